"""ReLU networks for maxima and minima of affine forms, and for max-min expressions of them."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import numpy as np

from plica.network import Linear, Network, Op, Rectifier

Array = np.ndarray[Any, np.dtype[Any]]


class Tree:
    """Values y = R h + c of the last hidden layer h; each :meth:`fold` puts a layer of rectifiers behind them."""

    def __init__(self, n_inputs: int, forms: Array) -> None:
        """Start with affine forms: rows (slopes..., constant)."""
        self.n_inputs = n_inputs
        self.ops: list[Op] = []
        self.read, self.shift = np.ascontiguousarray(forms[:, :-1]), forms[:, -1].copy()

    def fold(self, groups: Sequence[Sequence[int]], *, sign: float) -> list[list[int]]:
        """Halve every group of values: pairs become their maximum (sign 1) or minimum (sign -1); returns the groups left.

        max(a, b) = relu(a - b) + relu(b) - relu(-b) and min(a, b) = relu(b) - relu(-b) - relu(b - a); a value without a partner
        passes as relu(a) - relu(-a).
        """
        before: list[dict[int, float]] = []
        after: list[dict[int, float]] = []
        left: list[list[int]] = []
        for group in groups:
            own = []
            for i in range(0, len(group), 2):
                pair = list(group[i : i + 2])
                own.append(len(after))
                columns = {}
                if len(pair) == 2:
                    columns[len(before)] = sign
                    before.append({pair[0]: sign, pair[1]: -sign})
                for s in (1.0, -1.0):
                    columns[len(before)] = s
                    before.append({pair[-1]: s})
                after.append(columns)
            left.append(own)
        pick, gather = np.zeros((len(before), len(self.shift))), np.zeros((len(after), len(before)))
        for r, entries in enumerate(before):
            pick[r, list(entries)] = list(entries.values())
        for r, entries in enumerate(after):
            gather[r, list(entries)] = list(entries.values())
        self.ops += [Linear(pick @ self.read, pick @ self.shift), Rectifier()]
        self.read, self.shift = gather, np.zeros(len(after))
        return left

    def reduce(self, groups: Sequence[Sequence[int]], *, sign: float) -> list[int]:
        """Fold until every group is one value."""
        while any(len(g) > 1 for g in groups):
            groups = self.fold(groups, sign=sign)
        return [g[0] for g in groups]

    def network(self) -> Network:
        return Network.sequential(self.n_inputs, [*self.ops, Linear(self.read, self.shift)])


def maximum_network(n: int) -> Network:
    """max(x_1, ..., x_n) as a ReLU network with ceil(log2 n) hidden layers."""
    tree = Tree(n, np.hstack([np.eye(n), np.zeros((n, 1))]))
    tree.reduce([list(range(n))], sign=1.0)
    return tree.network()


def max_min_network(n_inputs: int, forms: Array, groups: Sequence[Sequence[int]]) -> Network:
    """The largest over the groups of the smallest form in each, as a ReLU network."""
    tree = Tree(n_inputs, forms)
    best = tree.reduce([list(g) for g in groups], sign=-1.0)
    tree.reduce([best], sign=1.0)
    return tree.network()


def lattice_form(complex_: Any) -> tuple[Array, list[list[int]]]:
    """Forms g_j and groups S_i with f = max_i min_{j in S_i} g_j over the domain of a complex with one output.

    For each cell i, S_i holds the forms that are at least as large as its own on the whole cell (at its vertices, exactly).
    """
    maps: dict[tuple[Fraction, ...], int] = {}
    own = []
    for i in range(complex_.n_cells):
        own.append(maps.setdefault(tuple(complex_._exact_map(i).fractions()), len(maps)))
    groups = set()
    for i, mine in enumerate(own):
        corners = [(*complex_.exact_vertex(int(v)), Fraction(1)) for v in complex_.cells[i].vertices]
        forms = list(maps)
        here = [_at(forms[mine], c) for c in corners]
        groups.add(tuple(j for j, g in enumerate(forms) if all(_at(g, c) >= h for c, h in zip(corners, here, strict=True))))
    return np.array([[float(c) for c in g] for g in maps]), [list(g) for g in sorted(groups)]


def _at(form: Sequence[Fraction], corner: Sequence[Fraction]) -> Fraction:
    return sum((a * c for a, c in zip(form, corner, strict=True)), Fraction(0))
