"""Invariants of values: maps and outputs against the network in fractions, continuity, regions."""

from __future__ import annotations

from fractions import Fraction

import numpy as np

from plica._types import Array
from plica.network import Affine, Fold, Network, walk
from plica.testing._case import Case, value

ACCURACY = 2e-6  # of float coordinates and outputs, relative to their range


def magnitude(network: Network, points: Array) -> tuple[Array, float]:
    """How large the sums inside the network can get at some points, and the relative rounding error of evaluating it once.

    Every product is replaced by its absolute value, so |computed - true| <= error * magnitude for any pattern.
    """
    semantics = _Magnitude()
    (y,) = walk(network, semantics, {0: np.abs(np.asarray(points, dtype=np.float64)).reshape(-1, *network.input_shape)}).values()
    return y.reshape(len(points), -1), 2.0**-52 * semantics.n_roundings


class _Magnitude:
    """A semantics: bounds of magnitudes; counts roundings on the way."""

    n_roundings = 1

    def affine(self, index: int, op: Affine, xs: list[Array]) -> Array:
        self.n_roundings += op.n_terms() + 2
        y = op.linear(xs, None if op.coefficients is None else np.abs(op.coefficients))
        return y if op.offset is None else y + np.abs(op.offset)

    def fold(self, index: int, op: Fold, x: Array, layer: int) -> Array:
        self.n_roundings += 1
        return op.largest(x)


def check_maps(case: Case) -> None:
    """On every cell the affine map is the network: exactly in integers, and up to rounding in floats."""
    n = case.network.n_inputs
    with np.errstate(all="ignore"):
        size, error = magnitude(case.network, np.vstack([np.eye(n), np.zeros((1, n))]))
    for i, point in enumerate(case.interiors):
        truth = case.output_at(point)
        for k, row in enumerate(case.maps[i]):
            if value(row, point) != truth[k]:
                case.fail(f"on cell {i} output {k} is {float(truth[k])}, the exact map gives {float(value(row, point))}")
        _check_float_map(case, i, point, truth, size, error)


def _check_float_map(case: Case, cell: int, point: tuple[Fraction, ...], truth: Array, size: Array, error: float) -> None:
    """(A, c) of the input space: rounding errors of one evaluation at each unit vector and at zero."""
    n = case.network.n_inputs
    x = np.array([float(c) for c in case.input_at(point)])
    with np.errstate(all="ignore"):
        if not np.isfinite(size).all() or size.max() > 1e300 or max(map(abs, truth)) > 10**300:
            return  # the map of this network is beyond floating point; its exact form was checked
        A, c = case.complex.cells[cell].affine_map
        bound = (error + n * 2.0**-51) * ((size[:-1] + size[-1]).T @ np.abs(x) + size[-1]) + 1e-300
        difference = np.abs(A @ x + c - np.array([float(t) for t in truth]))
    if not (difference <= bound).all():
        case.fail(f"on cell {cell} A x + c differs from the network by {difference.max():.3g}, allowed {bound.min():.3g}")


def check_outputs(case: Case) -> None:
    """Vertices and the outputs there are the exact ones up to rounding."""
    cx = case.complex
    exact = np.array([[float(c) for c in p] for p in case.vertices])
    span = 2 * np.ptp(case.domain.window / 2, axis=0).min()  # halves: the difference of two floats may overflow
    if not (np.abs(cx.vertices - exact) <= ACCURACY * span).all():
        worst = np.abs(cx.vertices - exact).max()
        case.fail(f"a vertex is {worst:.3g} away from its exact position")
    with np.errstate(all="ignore"):
        size, _ = magnitude(case.network, case.domain.to_input(case.domain.window))
        top = size.max(axis=0)
        if not np.isfinite(top).all() or top.max() > 1e300:
            return
    for v, point in enumerate(case.vertices):
        truth = np.array([float(t) for t in case.output_at(point)])
        if not (np.abs(cx.outputs[v] - truth) <= 2 * ACCURACY * top + 1e-300).all():
            case.fail(f"at vertex {v} the outputs are {truth}, given as {cx.outputs[v]}")


def check_continuity(case: Case) -> None:
    """The maps on both sides of an edge agree at its ends, exactly."""
    cx = case.complex
    for e, (a, b) in enumerate(cx.edge_cells.tolist()):
        if a < 0 or b < 0:
            continue
        for v in cx.edges[e].tolist():
            for left, right in zip(case.maps[a], case.maps[b], strict=True):
                if value(left, case.vertices[v]) != value(right, case.vertices[v]):
                    case.fail(f"the maps of cells {a} and {b} differ at their common vertex {v}")


def check_regions(case: Case) -> None:
    """Regions have one map, are connected, and neighbors of different regions have different maps."""
    cx = case.complex
    labels = cx.regions.tolist()
    if sorted(set(labels)) != list(range(cx.n_regions)) or cx.n_regions > cx.n_cells:
        case.fail(f"{cx.n_cells} cells have region labels {sorted(set(labels))}")
    reached = [-1] * cx.n_cells
    n_components = 0
    for start in range(cx.n_cells):
        if reached[start] >= 0:
            continue
        n_components += 1
        stack = [start]
        reached[start] = start
        while stack:
            i = stack.pop()
            for j in cx.neighbors(i):
                same = case.maps[i] == case.maps[j]
                if same != (labels[i] == labels[j]):
                    case.fail(f"cells {i} and {j} have {'equal' if same else 'different'} maps, regions {labels[i]}, {labels[j]}")
                if same and reached[j] < 0:
                    reached[j] = start
                    stack.append(j)
    if n_components != cx.n_regions:
        case.fail(f"cells with equal maps form {n_components} connected unions, n_regions is {cx.n_regions}")
