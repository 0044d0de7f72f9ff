"""Distances to the folds of a point's own cell in fractions: for small networks, and as the oracle of the others."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np

from plica._types import Array
from plica.exact import exactly
from plica.network import Fold, FractionColumns, Network, walk

Squares = list[tuple[Fraction | None, int]]


def exact_squares(network: Network, x: Any) -> Squares:
    """For each layer the least squared distance from x to a hyperplane of its own cell, and the unit it belongs to.

    None where no form of the layer depends on the input.
    """
    n = network.n_inputs
    point = exactly(x).reshape(-1)
    rows = np.concatenate([exactly(np.eye(n)), exactly(np.zeros((1, n)))]).reshape(n + 1, *network.input_shape)
    out: Squares = []

    def choose(layer: int, op: Fold, columns: Array, shape: tuple[int, ...]) -> Array:
        states = op.states_where(lambda forms: _at(forms.columns(columns, exactly), point) > 0, shape)
        walls = op.walls(states, columns.shape[1])
        forms = walls.columns(columns, exactly)
        best: tuple[Fraction | None, int] = (None, -1)
        for neuron, column, value in zip(walls.neuron.tolist(), forms.T, _at(forms, point), strict=True):
            size = sum((a * a for a in column[:-1]), Fraction(0))
            if size and (best[0] is None or value * value / size < best[0]):
                best = (value * value / size, neuron)
        out.append(best)
        return states

    walk(network, FractionColumns(choose), {0: rows})
    return out


def _at(columns: Array, point: Array) -> Array:
    """Affine forms at a point."""
    return np.asarray(point @ columns[:-1] + columns[-1])
