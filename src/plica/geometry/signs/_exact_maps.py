"""The affine maps of cells in integers, computed when floating point cannot decide.

On a cell every tensor of the network is an affine function of the domain's parameters; here it is kept as integer columns (one
for each parameter and one for the constant) over a power of two. A cell is found through its ancestors: its states in layer s and
its parent before layer s. What was computed for a parent is kept for its children, within a limit.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Sequence
from typing import Any

import numpy as np

from plica._lazy import cached_property
from plica._types import Array
from plica.exact import Dyadic, Vector, align, bits, fits, meet, reduced, root, shrink, to_object
from plica.geometry._budget import tick
from plica.geometry.domains import Domain
from plica.geometry.signs._decisions import Tally
from plica.geometry.signs._precision import Precision
from plica.network import Affine, Fold, Network, once_per_network, walk

_CACHE_CELLS = 4096
_CACHE_ENTRIES = 4_000_000


class LayerStates:
    """What one finished layer knows about the cells after it: their parents before it and the states of its units."""

    def __init__(self, parent: Array, states: Any) -> None:
        self.parent = parent
        self._states = states  # an object with row(cell) -> int8 array of states, flattened, and rows(cells)

    def row(self, cell: int) -> Array:
        return np.asarray(self._states.row(cell))

    def rows(self, cells: Array) -> Array:
        return np.asarray(self._states.rows(cells))


class ExactMap:
    """Exact affine maps of the cells of a complex that is being built."""

    def __init__(self, network: Network, domain: Domain, layers: Sequence[LayerStates] = ()) -> None:
        self.network = network
        self.domain = domain
        self.layers = list(layers)
        self.float_maps: dict[Precision, Any] = {}  # the same maps in floating point: see ``cell_maps``
        self.tally = Tally()
        self._cache: OrderedDict[tuple[int, int], dict[int, Dyadic]] = OrderedDict()
        self._cached_entries = 0

    @cached_property
    def _corners(self) -> list[Vector]:
        return self.domain.corners()

    # -- tensors on a cell ---------------------------------------------------------------------------------------------

    def fold_input(self, layer: int, cell: int) -> Dyadic:
        """The input of a folding layer on a cell of the complex before that layer: columns of shape (d + 1, size)."""
        node = self.network.nodes[self.network.layers[layer]]
        x = self._before(layer, cell)[node.inputs[0]]
        return Dyadic(x.integers.reshape(len(x.integers), -1), x.exponent)

    def output(self, cell: int) -> Dyadic:
        """The output of the network on a cell of the finished complex: columns of shape (d + 1, n_outputs)."""
        y = self._before(len(self.network.layers), cell)[len(self.network.nodes) - 1]
        return Dyadic(y.integers.reshape(len(y.integers), -1), y.exponent)

    def states(self, cells: Array) -> list[Array]:
        """The states of all units on cells of the finished complex: a row for each cell, layer by layer."""
        rows = []
        for layer in reversed(self.layers):
            rows.append(layer.rows(cells))
            cells = layer.parent[cells]
        return rows[::-1]

    def _before(self, layer: int, cell: int) -> dict[int, Dyadic]:
        """All tensors still needed just before a layer, on a cell of the complex before it."""
        missing: list[tuple[int, int]] = []  # the cell and its ancestors, as far as none is kept
        while (layer, cell) not in self._cache:
            missing.append((layer, cell))
            if layer == 0:
                break
            layer, cell = layer - 1, int(self.layers[layer - 1].parent[cell])
        values: dict[int, Dyadic] = self._cache.get((layer, cell), {})
        if values:
            self._cache.move_to_end((layer, cell))
        for key in reversed(missing):
            values = self._from_parent(*key, dict(values))
            self._remember(key, values)
        return values

    def _from_parent(self, layer: int, cell: int, before: dict[int, Dyadic]) -> dict[int, Dyadic]:
        """The same, given the tensors on the cell's parent before the layer before; nothing before the first layer."""
        folds = self.network.layers
        stop = folds[layer] if layer < len(folds) else len(self.network.nodes)
        if layer == 0:
            columns = self.domain.chart.columns
            start = {0: Dyadic(columns.integers.reshape(-1, *self.network.input_shape), columns.exponent)}
            return walk(self.network, _OnCell(self, None), start, stop=stop)
        return walk(self.network, _OnCell(self, self.layers[layer - 1].row(cell)), before, start=folds[layer - 1], stop=stop)

    def _remember(self, key: tuple[int, int], values: dict[int, Dyadic]) -> None:
        self._cache[key] = values
        self._cached_entries += sum(x.integers.size for x in values.values())
        while len(self._cache) > _CACHE_CELLS or (self._cached_entries > _CACHE_ENTRIES and len(self._cache) > 1):
            _, old = self._cache.popitem(last=False)
            self._cached_entries -= sum(x.integers.size for x in old.values())

    def forget(self, layer: int) -> None:
        """Drop what is kept of cells before ``layer`` and later ones: their numbers are about to be used again."""
        for maps in self.float_maps.values():
            maps.forget(layer)
        for key in [k for k in self._cache if k[0] >= layer]:
            self._cached_entries -= sum(x.integers.size for x in self._cache.pop(key).values())

    def apply(self, index: int, op: Affine, xs: list[Dyadic]) -> Dyadic:
        """An affine operation on integer columns; only the constant column gets the offset."""
        tick(8 * len(xs[0].integers) * self.network.nodes[index].size)
        coefficients, offset = _numbers(self.network, index)
        arrays, exponent = align(*xs)
        size = max(bits(a) for a in arrays)
        factor = None if coefficients is None else coefficients.integers
        if not fits(size, 0 if factor is None else bits(factor), max(op.n_terms(), len(xs)).bit_length() + 1):
            arrays = [to_object(a) for a in arrays]
            factor = None if factor is None else to_object(factor)
        elif any(a.dtype == object for a in arrays) or (factor is not None and factor.dtype == object):
            arrays = [shrink(a) for a in arrays]
            factor = None if factor is None else shrink(factor)
        y = Dyadic(shrink(op.linear(arrays, factor)), exponent + (0 if coefficients is None else coefficients.exponent))
        if offset is None:
            return y
        (body, constant), exponent = align(y, offset)
        if body.dtype == object or constant.dtype == object or max(bits(body), bits(constant)) >= 61:
            body = to_object(body)
        body = body.copy()
        body[-1] = body[-1] + constant
        return Dyadic(body, exponent)

    def at_point(self, point: Dyadic) -> list[Dyadic]:
        """The exact input of every fold at a point of the input space, flattened."""
        semantics = _AtPoint(self)
        walk(self.network, semantics, {0: Dyadic(point.integers.reshape(1, *self.network.input_shape), point.exponent)})
        return semantics.inputs

    # -- lines and points ----------------------------------------------------------------------------------------------

    def line(self, layer: int, cell: int, code: int) -> Vector:
        """The affine form that a line (layer, cell, code) stands for, up to a positive factor."""
        if layer < 0:
            p, q = self._corners[code], self._corners[(code + 1) % len(self._corners)]
            return reduced((p[1] * q[2] - p[2] * q[1], p[2] * q[0] - p[0] * q[2], p[0] * q[1] - p[1] * q[0]))
        x = self.fold_input(layer, cell)
        return form_of(self.network.folds[layer], x, code)

    def hyperplanes(self, vertices: Array) -> Array:
        """The hyperplanes (layer, cell, code) that vertices lie on, (n, d, 3); not for corners."""
        return vertices.reshape(len(vertices), self.domain.dimension, 3)

    def is_corner(self, vertices: Array) -> Array:
        """Which of the vertices are corners of the domain that are named by their number."""
        return np.asarray((vertices[:, 0] < 0) & (vertices[:, 2] < 0))

    def position(self, line: Array) -> Vector:
        """The vertex where its lines meet (in the plane), or where its form vanishes (on a line)."""
        numbers = [int(i) for i in line]
        if numbers[0] < 0 and numbers[2] < 0:
            return self._corners[numbers[1]]
        if self.domain.dimension == 1:
            return root(self.line(*numbers[:3]))
        return meet(self.line(*numbers[:3]), self.line(*numbers[3:]))


@once_per_network
def _numbers(network: Network, index: int) -> tuple[Dyadic | None, Dyadic | None]:
    """The coefficients and the offset of an affine node in integers."""
    op = network.nodes[index].op
    assert isinstance(op, Affine)
    return (
        None if op.coefficients is None else Dyadic.from_floats(op.coefficients),
        None if op.offset is None else Dyadic.from_floats(op.offset),
    )


class _OnCell:
    """A semantics: integer columns on a cell, given its states in the next layer."""

    def __init__(self, maps: ExactMap, states: Array | None) -> None:
        self._maps, self._states = maps, states

    def affine(self, index: int, op: Affine, xs: list[Dyadic]) -> Dyadic:
        return self._maps.apply(index, op, xs)

    def fold(self, index: int, op: Fold, x: Dyadic, layer: int) -> Dyadic:
        assert self._states is not None
        return select_exactly(op, x, self._states, self._maps.network.nodes[index].shape)


class _AtPoint:
    """A semantics: integers at one point; keeps the flat inputs of all folds."""

    def __init__(self, maps: ExactMap) -> None:
        self._maps = maps
        self.inputs: list[Dyadic] = []

    def affine(self, index: int, op: Affine, xs: list[Dyadic]) -> Dyadic:
        return self._maps.apply(index, op, xs)

    def fold(self, index: int, op: Fold, x: Dyadic, layer: int) -> Dyadic:
        self.inputs.append(Dyadic(x.integers.reshape(-1), x.exponent))
        return select_exactly(op, x, states_exactly(op, x).reshape(-1), self._maps.network.nodes[index].shape)


def states_exactly(op: Fold, x: Dyadic) -> Array:
    """The states of the neurons of a fold at one point (a batch of one row)."""
    if op.is_homogeneous:  # what the integers are multiples of does not matter
        return op.state(x.integers)
    flat = Dyadic(x.integers.reshape(1, -1), x.exponent)
    return op.states_where(lambda forms: forms.dyadic_columns(flat).integers[0] > 0, x.integers.shape[1:])


def select_exactly(op: Fold, x: Dyadic, states: Array, shape: tuple[int, ...]) -> Dyadic:
    """The affine piece of a fold that the states choose, on integer columns."""
    n = len(x.integers)
    y = op.pieces(states.reshape(-1), x.integers.shape[1:]).dyadic_columns(Dyadic(x.integers.reshape(n, -1), x.exponent))
    return Dyadic(y.integers.reshape(n, *shape), y.exponent)


def form_of(op: Fold, x: Dyadic, code: int) -> Vector:
    """The cutting form with a given code, on integer columns of the layer's input."""
    form = op.forms(np.array([code]), x.integers.shape[1]).dyadic_columns(x)
    return reduced([int(i) for i in form.integers[:, 0]])
