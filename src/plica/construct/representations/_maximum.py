r"""Maxima and minima of affine forms, pair by pair, and from them every continuous piecewise-linear function."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from math import ceil, log2
from typing import Any

import numpy as np

from plica._types import Array
from plica.construct._arguments import array_argument, integer_argument
from plica.construct._construction import Construction
from plica.errors import InvalidInput
from plica.geometry import Complex
from plica.network import Linear, Network, Op, Rectifier

MAX_WIDTH = 4096


class _Layers:
    """Values y = R h + c of the last hidden layer h; each :meth:`fold` puts a layer of rectifiers behind them."""

    def __init__(self, forms: Array) -> None:
        """Start with affine forms: rows (slopes..., constant)."""
        self.n_inputs = forms.shape[1] - 1
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

    def network(self, name: str) -> Network:
        return Network.sequential(self.n_inputs, [*self.ops, Linear(self.read, self.shift)], name=name)


def maximum(n: int) -> Construction:
    r""":math:`\max(x_1, \ldots, x_n)` with :math:`\lceil \log_2 n \rceil` hidden layers, without connections around them.

    Examples
    --------
    >>> m = maximum(5)
    >>> m.depth, m([3.0, -1.0, 4.0, 1.0, 5.0])
    (3, array([5.]))
    """
    n = integer_argument("n", n)
    if n > MAX_WIDTH:
        raise InvalidInput(f"a maximum of {n:,} numbers is more than {MAX_WIDTH:,}.")
    layers = _Layers(np.hstack([np.eye(n), np.zeros((n, 1))]))
    layers.reduce([list(range(n))], sign=1.0)
    theorem = {"depth": ceil(log2(n)), "regions": n, "error": 0}
    return Construction("maximum", layers.network(f"maximum of {n}"), {"n": n}, theorem, ("arora2018",))


def max_min(forms: Any, groups: Sequence[Sequence[int]]) -> Construction:
    r"""The largest over the groups of the smallest affine form in each; forms are rows (slopes, constant).

    Every continuous piecewise-linear function has this form: :func:`lattice_form` finds it.

    Examples
    --------
    >>> hat = max_min([[1.0, 0.0], [-1.0, 1.0], [0.0, 0.0]], [[0, 1], [2]])  # max(min(x, 1 - x), 0)
    >>> hat([0.75]), hat([-3.0])
    (array([0.25]), array([0.]))
    """
    rows = array_argument("forms", forms)
    if rows.ndim != 2 or rows.shape[1] < 2 or not np.isfinite(rows).all():
        raise InvalidInput(f"forms are rows of slopes and a constant, got shape {rows.shape}.")
    if not groups or any(not g or not all(0 <= i < len(rows) for i in g) for g in groups):
        raise InvalidInput(f"groups name forms 0 to {len(rows) - 1}, at least one each.")
    layers = _Layers(rows)
    best = layers.reduce([list(g) for g in groups], sign=-1.0)
    layers.reduce([best], sign=1.0)
    depth = ceil(log2(max(map(len, groups)))) + ceil(log2(len(groups)))
    parameters = {"n_forms": len(rows), "n_groups": len(groups)}
    return Construction("max-min", layers.network("max of min"), parameters, {"depth": depth, "error": 0}, ("arora2018",))


def lattice_form(complex_: Complex) -> tuple[Array, list[list[int]]]:
    """Forms g_j and groups S_i with f = max_i min_{j in S_i} g_j over the domain of a complex with one output.

    For each cell i, S_i holds the forms that are at least as large as its own on the whole cell (at its vertices, exactly).

    Examples
    --------
    >>> import plica
    >>> cx = plica.decompose(plica.random_network([1, 3, 1], seed=0), plica.Box([-9], [9]))
    >>> forms, groups = lattice_form(cx)
    >>> len(forms) == cx.n_regions
    True
    """
    if not isinstance(complex_, Complex):
        raise InvalidInput(f"expected a complex, got {type(complex_).__name__}.", hint="plica.decompose(network, domain)")
    maps: dict[tuple[Fraction, ...], int] = {}
    own = []
    for i in range(complex_.n_cells):
        own.append(maps.setdefault(tuple(complex_.exact_map(i).fractions()), len(maps)))
    forms = list(maps)
    groups = set()
    for i, mine in enumerate(own):
        corners = [(*complex_.exact_vertex(int(v)), Fraction(1)) for v in complex_.cells[i].vertices]
        here = [_at(forms[mine], c) for c in corners]
        groups.add(tuple(j for j, g in enumerate(forms) if all(_at(g, c) >= h for c, h in zip(corners, here, strict=True))))
    return np.array([[float(c) for c in g] for g in maps]), [list(g) for g in sorted(groups)]


def _at(form: Sequence[Fraction], corner: Sequence[Fraction]) -> Fraction:
    return sum((a * c for a, c in zip(form, corner, strict=True)), Fraction(0))
