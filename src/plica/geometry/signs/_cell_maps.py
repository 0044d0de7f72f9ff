"""The affine maps of many cells at once, in doubles or in extended precision, with a bound of their error.

The bounds of :mod:`plica.geometry.values._tensors` follow a vertex from layer to layer: where it was made from others, how well
it is placed depends on how well they were, so deep networks lose digits quickly. Here nothing is inherited: the map of a cell
is the product of its layers, a vertex is where d of its rows vanish, and only rounding is to be bounded.
"""

from __future__ import annotations

from collections import OrderedDict
from functools import partial
from typing import Any

import numpy as np

from plica._types import Array
from plica.exact import Vector
from plica.geometry._budget import tick
from plica.geometry.signs._exact_maps import ExactMap
from plica.geometry.signs._intersections import meet_hyperplanes, meet_lines
from plica.geometry.signs._kept_maps import Forms, KeptForms, Maps, RecentMaps
from plica.geometry.signs._precision import EXTENDED_EPS, Precision
from plica.geometry.values._sliced import sliced_linear, sliced_operation
from plica.geometry.values._tensors import EPS, NORM_UNDERFLOW, UNDERFLOW, affine_constants, linear_part
from plica.network import Affine, Fold, walk

_FEW_CELLS = 64  # the maps of so few cells are kept one by one: a deep line asks about a few of them again and again
_CACHE_ENTRIES = 4_000_000
_LAYERS_AT_ONCE = 50
_PART_ENTRIES = 2**21
_PART_PRODUCTS = 2**29  # between two looks at the clock


class CellMaps:
    """Affine maps of the cells of an ExactMap.

    What is asked of few cells is kept, so that cells with the same ancestors share the work.
    """

    def __init__(self, exact: ExactMap, precision: Precision) -> None:
        self._exact = exact
        self._type: Any = precision.dtype
        self.eps: Any = precision.eps
        self._sides: dict[tuple[int, int], tuple[Array, Array]] = {}
        self._cache: OrderedDict[tuple[int, int], dict[int, Maps]] = OrderedDict()
        self.everything: Any = None  # maps of all cells in many digits: see :mod:`._all_maps`
        self._taken_over: dict[int, dict[int, Maps]] = {}  # of these, those before the layer that they were made for, in parts
        self._entries = 0
        self._recent, self._forms = RecentMaps(), KeptForms()

    def forget(self, layer: int) -> None:
        """Drop what is kept of cells before ``layer`` and later ones: their numbers are about to be used again."""
        self._recent.forget(layer)
        self._forms.forget(layer)
        if any(key >= layer for key in self._taken_over):
            self._taken_over, self.everything = {}, None
        for key in [key for key in self._cache if key[0] >= layer]:
            self._entries -= sum(x.size for x, _ in self._cache.pop(key).values())

    def take_over(self, layer: int, forms: dict[int, Forms], maps: dict[int, Maps]) -> None:
        """Keep maps of all cells before a layer, and forms by layer and key, that are known better than they would be here.

        Both come in parts that add up: maps as (cells, parts * (d + 1), size).
        """
        self._taken_over = {layer: maps}
        self._recent.forget(0)
        for of_layer, (keys, parts, bound) in forms.items():
            size = np.abs(parts).sum(axis=1)
            self._forms.take_over(of_layer, keys, self._sum(parts), (bound + 2 * self.eps * size).astype(self._type) + UNDERFLOW)

    def of_parts(self, x: Array, error: Array) -> Maps:
        """Columns that come in parts, each number rounded once or twice."""
        y = self._sum(x.reshape(len(x), -1, error.shape[1], x.shape[2]))
        return y, error.astype(self._type) + 2 * self.eps * _norm(y)

    def _sum(self, parts: Array) -> Array:
        """The sums of parts, along the second axis, from the smallest on."""
        y = parts[:, -1].astype(self._type)
        for k in range(parts.shape[1] - 2, -1, -1):
            y += parts[:, k]
        return y

    def parts(self, rows: Array) -> list[Array]:
        """Rows about one or two cells each in parts whose maps fit in memory, whatever layer they pass."""
        nodes, d = self._exact.network.nodes, self._exact.domain.dimension + 1
        work = max((n.size * n.op.n_terms() for n in nodes if isinstance(n.op, Affine)), default=1)
        step = max(1, min(_PART_ENTRIES // max(node.size for node in nodes), _PART_PRODUCTS // (d * max(1, work))))
        return [rows[i : i + step] for i in range(0, len(rows), step)]

    def fold_input(self, layer: int, cells: Array) -> tuple[Maps, Array]:
        """The input of a folding layer on the distinct cells among these, and which of them each is."""
        distinct, which = _distinct(cells)
        network = self._exact.network
        self._prepare(layer, distinct)
        return self._before(layer, distinct)[network.nodes[network.layers[layer]].inputs[0]], which

    def output(self, cells: Array) -> tuple[Maps, Array]:
        """The output of the network, in the same way."""
        distinct, which = _distinct(cells)
        self._prepare(len(self._exact.network.layers), distinct)
        return self._before(len(self._exact.network.layers), distinct)[len(self._exact.network.nodes) - 1], which

    def positions(self, vertices: Array) -> tuple[Array, Array, Array]:
        """Homogeneous positions of vertices given by their hyperplanes, bounds of their errors, and which are known at all."""
        d = self._exact.domain.dimension
        p, error = (np.zeros((len(vertices), d + 1), self._type) for _ in range(2))
        is_corner = self._exact.is_corner(vertices)
        for corner in np.unique(vertices[is_corner, 1]):
            rows = np.flatnonzero(is_corner & (vertices[:, 1] == corner))
            p[rows], error[rows] = self._rounded(self._exact.position(vertices[rows[0]]))
        rest = np.flatnonzero(~is_corner)
        names = self._exact.hyperplanes(vertices[rest])
        f, e = (x.reshape(len(rest), d, d + 1) for x in self._hyperplanes(names.reshape(-1, 3)))
        if d == 1:
            p[rest], error[rest] = np.stack([-f[:, 0, 1], f[:, 0, 0]], axis=1), e[:, 0, ::-1]
        elif d == 2:
            p[rest], error[rest] = meet_lines(f[:, 0], e[:, 0], f[:, 1], e[:, 1], self.eps)
        else:
            p[rest, :-1], error[rest, :-1] = meet_hyperplanes(f, e, self.eps)
            p[rest, -1] = 1
        sign = np.where(p[:, -1:] < 0.0, -1.0, 1.0)
        return sign * p, error, (np.abs(p[:, -1]) > 2 * error[:, -1]) & np.isfinite(error).all(axis=1)

    def _hyperplanes(self, names: Array) -> tuple[Array, Array]:
        """Affine forms of hyperplanes (layer, cell, code), with a bound of the error of each coefficient."""
        d = self._exact.domain.dimension
        f, error = (np.empty((len(names), d + 1), self._type) for _ in range(2))
        ahead = self._needed(names)
        for layer in sorted({*ahead, *np.unique(names[:, 0]).tolist()}):
            if layer in ahead:
                self._before(layer, ahead[layer])
            rows = np.flatnonzero(names[:, 0] == layer)
            if not len(rows):
                continue
            if layer < 0:
                for side in np.unique(names[rows, 1:], axis=0):
                    some = rows[(names[rows, 1:] == side).all(axis=1)]
                    f[some], error[some] = self._side(int(side[0]), int(side[1]))
                continue
            f[rows], error[rows] = self._forms.forms(
                int(layer), names[rows, 1], names[rows, 2], partial(self._new_forms, int(layer))
            )
        return f, error

    def _needed(self, names: Array) -> dict[int, Array]:
        """By layer the cells whose maps these forms need and nobody keeps, their ancestors included.

        One after the other, each layer would begin with a few cells of its own as far back as nothing is kept.
        """
        needed: dict[int, Array] = {}
        cells = np.empty(0, np.int64)
        for layer in range(int(names[:, 0].max(initial=0)), 0, -1):
            rows = names[:, 0] == layer
            cells = np.union1d(cells, self._forms.missing(layer, names[rows, 1], names[rows, 2]))
            cells = self._missing(layer, cells)
            if len(cells):
                needed[layer] = cells
                cells = np.unique(self._exact.layers[layer - 1].parent[cells])
        return needed

    def _prepare(self, layer: int, cells: Array) -> None:
        """Compute ancestors that nobody keeps in steps of some layers: each asks the one before, and stacks end."""
        waiting = []
        for at in range(layer, 0, -1):
            cells = self._missing(at, cells)
            if not len(cells):
                break
            if at < layer and at % _LAYERS_AT_ONCE == 0:
                waiting.append((at, cells))
            cells = np.unique(self._exact.layers[at - 1].parent[cells])
        for at, some in reversed(waiting):
            self._before(at, some)

    def _missing(self, layer: int, cells: Array) -> Array:
        """The cells whose maps before a layer are not kept."""
        if layer in self._taken_over:
            return cells[:0]
        cells = self._recent.missing(layer, cells)
        if len(cells) > _FEW_CELLS:
            return cells
        return np.array([cell for cell in cells.tolist() if (layer, cell) not in self._cache], dtype=np.int64)

    def _new_forms(self, layer: int, cells: Array, codes: Array) -> tuple[Array, Array]:
        (x, e), which = self.fold_input(layer, cells)
        return self._rows(layer, x, e, which, codes)

    def _side(self, cell: int, code: int) -> tuple[Array, Array]:
        """A side of the domain."""
        if (cell, code) not in self._sides:
            self._sides[cell, code] = self._rounded(self._exact.line(-1, cell, code))
        return self._sides[cell, code]

    def _rows(self, layer: int, x: Array, error: Array, which: Array, codes: Array) -> tuple[Array, Array]:
        """The forms with these codes among the columns of a layer's input."""
        forms = self._exact.network.folds[layer].forms(codes, x.shape[2])
        form, error = forms.picked(x, which), error[which]
        if forms.other is not None:
            error = 2 * error
        return form, error + self.eps * np.abs(form) if forms.rounds else error

    def _before(self, layer: int, cells: Array) -> dict[int, Maps]:
        """All tensors still needed just before a layer, on distinct cells of the complex before it."""
        if layer in self._taken_over:
            return {i: self.of_parts(x[cells], e[cells]) for i, (x, e) in self._taken_over[layer].items()}
        if len(cells) > _FEW_CELLS or not len(self._recent.missing(layer, cells)):
            return self._recent.maps(layer, cells, partial(self._compute, layer)) if len(cells) else self._compute(layer, cells)
        kept = self._kept(layer, cells.tolist())
        if len(kept) == 1:
            return kept[0]
        return {i: (np.concatenate([k[i][0] for k in kept]), np.concatenate([k[i][1] for k in kept])) for i in kept[0]}

    def _kept(self, layer: int, cells: list[int]) -> list[dict[int, Maps]]:
        """The same on each of a few cells; those not known yet are computed together, and kept within a limit."""
        known = {cell: self._cache[layer, cell] for cell in cells if (layer, cell) in self._cache}
        missing = [cell for cell in cells if cell not in known]
        if missing:
            found = self._compute(layer, np.array(missing))  # this may let go of what was known
            for j, cell in enumerate(missing):
                known[cell] = {i: (x[j : j + 1], e[j : j + 1]) for i, (x, e) in found.items()}
        for cell in cells:
            if (layer, cell) not in self._cache:
                self._cache[layer, cell] = known[cell]
                self._entries += sum(x.size for x, _ in known[cell].values())
            self._cache.move_to_end((layer, cell))
        while self._entries > _CACHE_ENTRIES and len(self._cache) > 1:
            self._entries -= sum(x.size for x, _ in self._cache.popitem(last=False)[1].values())
        return [known[cell] for cell in cells]

    def _compute(self, layer: int, cells: Array) -> dict[int, Maps]:
        network, folds = self._exact.network, self._exact.network.layers
        stop = folds[layer] if layer < len(folds) else len(network.nodes)
        if layer == 0:
            return walk(network, OnCells(self, None), {0: self._start()}, stop=stop)
        states = self._exact.layers[layer - 1]
        parents, which = _distinct(states.parent[cells])
        values = dict(self._before(layer - 1, parents))
        if len(cells) > 1:
            values = {i: (x[which], e[which]) for i, (x, e) in values.items()}
        return walk(network, OnCells(self, states.rows(cells)), values, start=folds[layer - 1], stop=stop)

    def maps_at_start(self) -> dict[int, Maps]:
        """All tensors before the first layer, on the one cell that there is."""
        return self._compute(0, np.zeros(1, np.int64))

    def input_shape(self, index: int) -> tuple[int, ...]:
        """The shape of the first input of a node."""
        nodes = self._exact.network.nodes
        return nodes[nodes[index].inputs[0]].shape

    def _start(self) -> Maps:
        chart = self._exact.domain.chart
        points, error = chart.points.astype(self._type), np.zeros(len(chart.points), self._type)
        if chart.is_through:  # a difference of two doubles may need one rounding
            points[:-1] -= points[-1]
            error[:-1] = self.eps * _norm(points[:-1]) + UNDERFLOW
        return points[None], error[None]

    def apply(self, index: int, op: Affine, xs: list[Maps]) -> Maps:
        """An affine operation on columns; only the constant column gets the offset."""
        network = self._exact.network
        node, c = network.nodes[index], affine_constants(network, index)
        m, d = xs[0][1].shape
        n_read = sum(network.nodes[i].size for i in node.inputs)  # again with room around it, or in another order
        tick(m * d * (node.size + n_read) * np.dtype(self._type).itemsize)
        shaped = [x.reshape(m * d, *network.nodes[i].shape) for (x, _), i in zip(xs, node.inputs, strict=True)]
        slices = None if self._type is np.float64 else sliced_operation(network, index)
        if self._type is np.float64:
            y = linear_part(op, shaped, m * d, node.shape)
        else:
            y = sliced_linear(network, index, shaped)
        y = np.ascontiguousarray(y).reshape(m, d, -1)
        gamma = 0.0 if op.n_terms() == 0 else (op.n_terms() + 3) * self.eps
        errors, norms = xs[0][1], _norm(xs[0][0])
        for x, e in xs[1:]:
            errors, norms = errors + e, norms + _norm(x)
        local = gamma * c.absolute_gain * norms if slices is None else slices.rounding(norms, _norm(y), c.absolute_gain)
        error: Array = c.gain * errors + (local + UNDERFLOW)
        if op.offset is not None:
            y = y if op.n_terms() else y.copy()
            offset = op.offset if op.offset.shape == node.shape else np.broadcast_to(op.offset, node.shape)
            y[:, -1] += offset.reshape(-1)
            error[:, -1] += self.eps * (c.offset_norm + _norm(y[:, -1]))
        return y, error

    def select(self, op: Fold, x: Array, error: Array, states: Array, shape: tuple[int, ...]) -> Maps:
        """The affine pieces that the states choose, given the shape of the fold's input."""
        pieces = op.pieces(states[:, None], shape)
        y, error = pieces.columns(x), op.lipschitz() * error
        return y, error + self.eps * _norm(y) + UNDERFLOW if pieces.rounds else error

    def _rounded(self, vector: Vector) -> tuple[Array, Array]:
        """Integers as floats, up to a common positive factor."""
        top = max(abs(i) for i in vector).bit_length()
        values = np.array([np.longdouble(i >> (top - 128)) if top > 128 else _to_long(i) for i in vector])
        error = 2 * EXTENDED_EPS * np.abs(values) + (1 if top > 128 else 0)
        return values.astype(self._type), error.astype(self._type) + self.eps * np.abs(values).astype(self._type)


class OnCells:
    """A semantics: columns on cells with bounds of their errors, given the cells' states in the next layer."""

    def __init__(self, maps: CellMaps, states: Array | None) -> None:
        self._maps, self._states = maps, states

    def affine(self, index: int, op: Affine, xs: list[Maps]) -> Maps:
        return self._maps.apply(index, op, xs)

    def fold(self, index: int, op: Fold, x: Maps, layer: int) -> Maps:
        assert self._states is not None
        return self._maps.select(op, *x, self._states, self._maps.input_shape(index))


def cell_maps(exact: ExactMap, precision: Precision) -> CellMaps:
    """The maps of a complex in a precision, made when they are asked for first."""
    if precision not in exact.float_maps:
        exact.float_maps[precision] = CellMaps(exact, precision)
    maps: CellMaps = exact.float_maps[precision]
    return maps


def _distinct(cells: Array) -> tuple[Array, Array]:
    """The distinct cells among these, and which of them each is."""
    if cells.size == 1:
        return cells.reshape(1), np.zeros(cells.shape, np.intp)
    distinct, which = np.unique(cells, return_inverse=True)
    return distinct, which


def _norm(rows: Array) -> Array:
    """Norms along the last axis."""
    return np.asarray(np.sqrt(np.einsum("...i,...i->...", rows, rows)) * (1 + 1e-12) + NORM_UNDERFLOW)


def values_at(p: Array, p_error: Array, x: Array, error: Array) -> tuple[Array, Array]:
    """Columns at homogeneous positions, row by row, with a bound of the error of each value."""
    eps = EPS if x.dtype == np.float64 else EXTENDED_EPS
    size, q = np.abs(x), np.abs(p)
    value = np.einsum("ij,ijk->ik", p, x) / p[:, -1:]
    bound = np.einsum("ij,ij->i", q + p_error, error)[:, None]
    bound = bound + np.einsum("ij,ijk->ik", p_error + 4 * eps * q, size)
    bound = (bound + np.abs(value) * (p_error[:, -1:] + 4 * eps * q[:, -1:])) / (q - p_error)[:, -1:]
    return value, bound * (1 + 1e-6) + UNDERFLOW


def _to_long(i: int) -> np.longdouble:
    high = i >> 64
    return np.longdouble(high) * np.longdouble(2.0) ** 64 + np.longdouble(i - (high << 64))
