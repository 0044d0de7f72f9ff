"""Exact answers for a cut by numbered forms: lines that are equal, lines through one point, and integers for the rest."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from plica._types import Array
from plica.exact import Vector, cross, dot, meet, to_floats
from plica.geometry._budget import tick
from plica.geometry.numbered import _kernels
from plica.geometry.numbered._forms import FormTable
from plica.geometry.plane._mesh import Mesh
from plica.geometry.signs._arrays import Crossings
from plica.geometry.signs._decisions import Tally
from plica.geometry.signs._precision import Precision

Newest = Callable[[int, Array], "Array | None"]


class LineNames:
    """Which line each hyperplane (layer, cell, form) of a subdivision is, for the layers that are cut."""

    def __init__(self, sides: list[int]) -> None:
        self.sides = np.array(sides, np.int32)
        self._known: list[tuple[Array, Array, int]] = []  # for each layer: sorted keys, lines, forms of the layer

    def add_layer(self, names: Array, ids: Array, line: Array) -> None:
        """Remember the lines of the hyperplanes (cell, form) of a layer."""
        width = ids.shape[1]
        keys = np.unique(names[:, 0].astype(np.int64) * width + names[:, 1])
        self._known.append((keys, line[ids[keys // width, keys % width]], width))

    def of_vertices(self, hyperplanes: Array, newest: Newest | None = None) -> Array:
        """The two lines of vertices given by their hyperplanes, (n, 2); those of the layer that is being cut by ``newest``."""
        out = np.stack([self.of(hyperplanes[:, :3], newest), self.of(hyperplanes[:, 3:], newest)], axis=1)
        is_corner = (hyperplanes[:, 0] < 0) & (hyperplanes[:, 2] < 0)
        corner = hyperplanes[is_corner, 1]
        out[is_corner] = np.stack([self.sides[corner - 1], self.sides[corner]], axis=1)
        return out

    def of(self, names: Array, newest: Newest | None = None) -> Array:
        """The lines of hyperplanes (layer, cell, form)."""
        out = np.zeros(len(names), np.int32)
        for layer in np.unique(names[:, 0]):
            rows = np.flatnonzero(names[:, 0] == layer)
            if layer < 0:
                out[rows] = self.sides[names[rows, 2]]
            elif newest is not None and (lines := newest(int(layer), names[rows, 1:])) is not None:
                out[rows] = lines
            else:
                keys, known, width = self._known[layer]
                out[rows] = known[np.searchsorted(keys, names[rows, 1].astype(np.int64) * width + names[rows, 2])]
        return out


class NumberedOracle:
    """Answers about the forms of one layer, which are known by number on every cell."""

    has_own_doubles = False

    def __init__(
        self, table: FormTable, ids: Array, mesh: Mesh, lines: Array, names: LineNames, layer: int, tally: Tally
    ) -> None:
        self._table, self._ids, self._mesh, self._lines, self._names, self._layer = table, ids, mesh, lines, names, layer
        self._tally, self._exponent = tally, table.exponent
        self._integers: dict[int, tuple[list[int], int]] = {}
        self._edge_cell: Array | None = None
        self._meetings: dict[tuple[int, int, int], bool] = {}

    @property
    def forms(self) -> _kernels.NumberedForms:
        return _kernels.NumberedForms(self._ids, self._table.coefficients, self._table.line)

    @property
    def tally(self) -> Tally:
        return self._tally

    def parts(self, rows: Array) -> list[Array]:
        return [rows]

    def values(self, precision: Precision, vertices: Array) -> tuple[Array, Array] | None:
        return None

    def values_at(self, precision: Precision, hyperplanes: Array, cells: Array) -> tuple[Array, Array] | None:
        return None

    def order_by_lines(self, edges: Array, crossings: Crossings, items: Array) -> Array:
        if self._edge_cell is None:
            sides = self._mesh.edge_cells()
            self._edge_cell = np.where(sides[:, 0] >= 0, sides[:, 0], sides[:, 1])
        is_decided = np.zeros(len(items), np.bool_)
        _kernels.rank_equal_lines(edges, self._edge_cell, self.forms, crossings, items, is_decided)
        return is_decided

    def renew(self) -> bool:
        return False  # nothing is inherited here

    def order_by_meetings(self, crossings: Crossings, items: Array) -> Array:
        along = self._names.of(self._mesh.edge_hyperplane[items])
        return np.array([self._rank_meetings(int(e), int(a), crossings) for e, a in zip(items, along, strict=True)], np.bool_)

    def _rank_meetings(self, edge: int, along: int, crossings: Crossings) -> bool:
        """Unite crossings of an edge that bounds leave open and that are at one point; returns whether that decides all."""
        assert self._edge_cell is not None
        part = slice(int(crossings.offsets[edge]), int(crossings.offsets[edge + 1]))
        t, t_error, rank = crossings.t[part], crossings.t_error[part], crossings.rank[part].copy()
        lines = self._table.line[self._ids[self._edge_cell[edge], crossings.form[part]]].tolist()
        for i in range(1, len(t)):
            if lines[i] == lines[i - 1] or t[i] - t[i - 1] > t_error[i] + t_error[i - 1]:
                continue
            if not self._meet(along, lines[i - 1], lines[i]):
                return False
            rank[i:] -= rank[i] - rank[i - 1]
        # points that are united are one point: each must be clear of the next by all of its bounds
        for r in range(1, int(rank[-1]) + 1):
            before, after = rank == r - 1, rank == r
            if not (t[after] - t_error[after]).min() > (t[before] + t_error[before]).max():
                return False
        crossings.rank[part], crossings.n_groups[edge] = rank, rank[-1] + 1
        return True

    def _meet(self, a: int, b: int, c: int) -> bool:
        """Whether three lines go through one point, or are parallel."""
        key = (a, b, c) if b < c else (a, c, b)
        if key not in self._meetings:
            tick()
            f, g, h = (self._table.lines[i] for i in key)
            self._meetings[key] = dot(cross(f, g), h) == 0
        return self._meetings[key]

    def integers(self, vertex: int) -> tuple[list[int], int]:
        if vertex not in self._integers:
            tick()
            p = meet(*(self._table.lines[i] for i in self._lines[vertex].tolist()))
            ids = self._ids[self._mesh.vertex_cell()[vertex]].tolist()
            x, y, w = p
            numbers = {}
            for i in dict.fromkeys(ids):
                a, b, c, exponent = self._table.exact[i]
                numbers[i] = (a * x + b * y + c * w) << (exponent - self._exponent)
            self._integers[vertex] = ([numbers[i] for i in ids], w)
        return self._integers[vertex]

    def rounded(self, vertex: int) -> Array:
        numbers, w = self.integers(vertex)
        ids = self._ids[self._mesh.vertex_cell()[vertex]].tolist()
        distinct = dict(zip(ids, numbers, strict=True))
        known = dict(zip(distinct, to_floats(distinct.values(), w, self._exponent), strict=True))
        return np.array([known[i] for i in ids])

    def form(self, cell: int, k: int) -> Vector:
        return self._table.exact[int(self._ids[cell, k])][:3]

    def position(self, hyperplanes: Array) -> Vector:
        tick()
        lines = self._names.of_vertices(hyperplanes[None], self._of_layer)[0]
        return meet(*(self._table.lines[i] for i in lines.tolist()))

    def _of_layer(self, layer: int, names: Array) -> Array | None:
        """The lines of hyperplanes of the layer that is being cut."""
        return self._table.line[self._ids[names[:, 0], names[:, 1]]] if layer == self._layer else None
