"""Distances to the folds of a point's own cell in fractions: for small networks, and as the oracle of the others."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np

from plica.exact import exactly
from plica.geometry.space._patterns_lp import _affine, _forms, _select, _states
from plica.network import Fold, Max, Network, Rectifier

Squares = list[tuple[Fraction | None, int]]


def exact_squares(network: Network, x: Any) -> Squares:
    """For each layer the least squared distance from x to a hyperplane of its own cell, and the unit it belongs to.

    None where no form of the layer depends on the input.
    """
    n = network.n_inputs
    point = exactly(x).reshape(-1)
    rows = np.concatenate([exactly(np.eye(n)), exactly(np.zeros((1, n)))]).reshape(n + 1, *network.input_shape)
    values, out = [rows], []
    for node in network.nodes[1:]:
        xs = [values[i] for i in node.inputs]
        if not isinstance(node.op, Fold):
            values.append(_affine(node.op, xs))
            continue
        flat = xs[0].reshape(n + 1, -1)
        here = [sum((a * c for a, c in zip(column[:-1], point, strict=True)), column[-1]) for column in flat.T]
        state = _states(node.op, [(z, Fraction(0)) for z in here])
        best: tuple[Fraction | None, int] = (None, -1)
        for unit, column in _named_forms(node.op, flat, state):
            size = sum((a * a for a in column[:-1]), Fraction(0))
            if size:
                value = sum((a * c for a, c in zip(column[:-1], point, strict=True)), column[-1])
                square = value * value / size
                if best[0] is None or square < best[0]:
                    best = (square, unit)
        out.append(best)
        values.append(_select(node.op, flat, state, node.shape))
    return out


def _named_forms(op: Fold, flat: Any, state: list[int]) -> list[tuple[int, Any]]:
    """Each form with the number of its unit."""
    if isinstance(op, Rectifier):
        return list(enumerate(_forms(op, flat, state)))
    if isinstance(op, Max):
        groups = op.groups.reshape(-1, op.groups.shape[-1])
        return [
            (k, flat[:, g[s]] - flat[:, j])
            for k, (g, s) in enumerate(zip(groups, state, strict=True))
            for j in g
            if j >= 0 and j != g[s]
        ]
    return [(k, f) for k, s in enumerate(state) for f in _forms(op, flat[:, k : k + 1], [s])]
