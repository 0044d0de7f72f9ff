"""A second look in extended precision, between floating point and integers.

Large generic networks leave a few signs to the error bounds of float64, and none of them is a true zero. The affine maps of the
cells in question are computed again in the processor's extended format (64 bits of mantissa on x86), with the same kind of
error bound: that settles nearly all at a small part of the cost of integers. Where the platform has no such format, nothing is
sharp.
"""

from __future__ import annotations

from collections import OrderedDict
from typing import Any

import numpy as np

from plica.exact import Vector
from plica.geometry._exactmap import ExactMap
from plica.geometry._tensors import affine_constants, lipschitz
from plica.network import Affine, Clip, Fold, Max, Rectifier

Array = np.ndarray[Any, np.dtype[Any]]
Columns = tuple[Array, Array]  # values (d + 1, size) and the error of each column in the 2-norm
IS_SHARP = bool(np.finfo(np.longdouble).nmant >= 63)
SHARP_UNIT = np.longdouble(2.0) ** -62
_CACHE_ENTRIES = 4_000_000


class SharpMap:
    """The affine maps of cells in extended precision; the cells are those of an ExactMap."""

    def __init__(self, exact: ExactMap) -> None:
        self._exact = exact
        self._cache: OrderedDict[tuple[int, int], dict[int, Columns]] = OrderedDict()
        self._entries = 0
        self._coefficients: dict[int, tuple[Array | None, Array | None]] = {}

    def fold_input(self, layer: int, cell: int) -> Columns:
        """The input of a folding layer on a cell before it."""
        network = self._exact.network
        return self._before(layer, cell)[network.nodes[network.layers[layer]].inputs[0]]

    def _before(self, layer: int, cell: int) -> dict[int, Columns]:
        key = (layer, cell)
        if key in self._cache:
            self._cache.move_to_end(key)
            return self._cache[key]
        network, folds = self._exact.network, self._exact.network.layers
        if layer == 0:
            chart = self._exact.domain.chart
            points = chart.points.astype(np.longdouble)
            error = np.zeros(len(points))
            if chart.is_through:  # a difference of two doubles may need one rounding
                points[:-1] -= points[-1]
                error[:-1] = SHARP_UNIT * np.linalg.norm(chart.points, axis=1)[:-1] * 2
            values: dict[int, Columns] = {0: (points, error)}
            start = 1
        else:
            states = self._exact.layers[layer - 1]
            fold = folds[layer - 1]
            values = dict(self._before(layer - 1, int(states.parent[cell])))
            op = network.nodes[fold].op
            assert isinstance(op, Fold)
            values[fold] = _select(op, values[network.nodes[fold].inputs[0]], states.row(cell), network.nodes[fold].shape)
            start = fold + 1
        stop = folds[layer] if layer < len(folds) else len(network.nodes)
        for i in range(start, stop):
            values[i] = self._apply(i, [values[j] for j in network.nodes[i].inputs])
        values = {i: x for i, x in values.items() if self._exact.uses[i] >= stop}
        self._cache[key] = values
        self._entries += sum(x.size for x, _ in values.values())
        while self._entries > _CACHE_ENTRIES and len(self._cache) > 1:
            _, old = self._cache.popitem(last=False)
            self._entries -= sum(x.size for x, _ in old.values())
        return values

    def _apply(self, index: int, xs: list[Columns]) -> Columns:
        network = self._exact.network
        node = network.nodes[index]
        op = node.op
        assert isinstance(op, Affine)
        if index not in self._coefficients:
            self._coefficients[index] = (
                None if op.coefficients is None else op.coefficients.astype(np.longdouble),
                None if op.offset is None else np.broadcast_to(op.offset, node.shape).reshape(-1).astype(np.longdouble),
            )
        coefficients, offset = self._coefficients[index]
        n = len(xs[0][0])
        shaped = [x.reshape(n, *network.nodes[i].shape) for (x, _), i in zip(xs, node.inputs, strict=True)]
        y = op.linear(shaped, coefficients).reshape(n, -1)
        c = affine_constants(network, index)
        norm = np.sum([np.sqrt((x * x).sum(axis=1)) for x, _ in xs], axis=0)
        error = c.gain * np.sum([e for _, e in xs], axis=0) + (op.n_terms() + 4) * SHARP_UNIT * c.absolute_gain * norm
        if offset is not None:
            y[-1] = y[-1] + offset
            error[-1] = error[-1] + SHARP_UNIT * (c.offset_norm + np.sqrt((y[-1] * y[-1]).sum()))
        return y, error

    # -- lines, points, values -------------------------------------------------------------------------------------------

    def line(self, layer: int, cell: int, code: int) -> tuple[Array, Array]:
        """An affine form with a bound of the error of each coefficient."""
        if layer < 0:
            return rounded(self._exact.line(layer, cell, code))
        x, error = self.fold_input(layer, cell)
        op = self._exact.network.nodes[self._exact.network.layers[layer]].op
        if isinstance(op, Clip):
            size = x.shape[1]
            form = x[:, code % size].copy()
            form[-1] -= op.low if code < size else op.high
            return (form if code < size else -form), error + SHARP_UNIT * np.abs(form)
        if isinstance(op, Max):
            k = op.groups.shape[-1]
            members = op.groups.reshape(-1, k)[code // (k * k)]
            form = x[:, members[code // k % k]] - x[:, members[code % k]]
            return form, 2 * error + SHARP_UNIT * np.abs(form)
        return x[:, code], error

    def position(self, line: Array) -> tuple[Array, Array] | None:
        """The homogeneous position of a vertex and a bound of the error of each entry; None beyond lines and planes."""
        numbers = [int(i) for i in line]
        if numbers[0] < 0 and numbers[2] < 0:
            p, error = rounded(self._exact.position(line))
        elif self._exact.domain.dimension == 1:
            f, e = self.line(*numbers[:3])
            p, error = np.array([-f[1], f[0]]), np.array([e[1], e[0]])
        elif self._exact.domain.dimension == 2:
            (f, e), (g, h) = self.line(*numbers[:3]), self.line(*numbers[3:])
            p = np.array([f[1] * g[2] - f[2] * g[1], f[2] * g[0] - f[0] * g[2], f[0] * g[1] - f[1] * g[0]])
            a, b = np.abs(f), np.abs(g)
            pairs = ((1, 2), (2, 0), (0, 1))
            cost = np.outer(a, h) + np.outer(e, b) + np.outer(e, h) + 2 * SHARP_UNIT * np.outer(a, b)
            error = np.array([cost[i, j] + cost[j, i] for i, j in pairs])
        else:
            return None
        if not abs(p[-1]) > 2 * error[-1]:
            return None
        return (p, error) if p[-1] > 0 else (-p, error)


def rounded(vector: Vector) -> tuple[Array, Array]:
    """Integers in extended precision."""
    top = max(abs(i) for i in vector).bit_length()
    scaled = np.array([np.longdouble(i >> (top - 128)) if top > 128 else _to_long(i) for i in vector])
    return scaled, 2 * SHARP_UNIT * np.abs(scaled) + (np.longdouble(1) if top > 128 else np.longdouble(0))


def _to_long(i: int) -> np.longdouble:
    high = i >> 64
    return np.longdouble(high) * np.longdouble(2.0) ** 64 + np.longdouble(i - (high << 64))


def _select(op: Fold, x: Columns, states: Array, shape: tuple[int, ...]) -> Columns:
    values, error = x
    if isinstance(op, Rectifier):
        if not op.slope.any():
            return np.where(states == 1, values, np.longdouble(0)), error
        slope = np.broadcast_to(op.slope, shape).reshape(-1)
        y = np.where(states == 1, values, slope * values)
        return y, lipschitz(op) * error + SHARP_UNIT * np.sqrt((y * y).sum(axis=1))
    if isinstance(op, Clip):
        y = np.where(states == 1, values, np.longdouble(0))
        y[-1] = np.where(states == 0, op.low, np.where(states == 2, op.high, y[-1]))
        return y, error
    assert isinstance(op, Max)
    groups = op.groups.reshape(-1, op.groups.shape[-1])
    return values[:, groups[np.arange(len(groups)), states]], lipschitz(op) * error
