"""Exact answers for a cut by numbered forms: lines that are equal, lines through one point, and integers for the rest."""

from __future__ import annotations

import numpy as np

from plica._types import Array
from plica.exact import Vector, dot, meet, to_float
from plica.geometry._budget import tick
from plica.geometry.numbered import _kernels
from plica.geometry.numbered._forms import FormTable
from plica.geometry.plane._mesh import Mesh
from plica.geometry.signs._arrays import Crossings
from plica.geometry.signs._decisions import Tally
from plica.geometry.signs._precision import Precision


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

    def of_vertices(self, hyperplanes: Array) -> Array:
        """The two lines of vertices given by their hyperplanes, (n, 2)."""
        out = np.stack([self.of(hyperplanes[:, :3]), self.of(hyperplanes[:, 3:])], axis=1)
        is_corner = (hyperplanes[:, 0] < 0) & (hyperplanes[:, 2] < 0)
        corner = hyperplanes[is_corner, 1]
        out[is_corner] = np.stack([self.sides[corner - 1], self.sides[corner]], axis=1)
        return out

    def of(self, names: Array) -> Array:
        """The lines of hyperplanes (layer, cell, form)."""
        out = np.zeros(len(names), np.int32)
        for layer in np.unique(names[:, 0]):
            rows = np.flatnonzero(names[:, 0] == layer)
            if layer < 0:
                out[rows] = self.sides[names[rows, 2]]
            else:
                keys, lines, width = self._known[layer]
                out[rows] = lines[np.searchsorted(keys, names[rows, 1].astype(np.int64) * width + names[rows, 2])]
        return out


class NumberedOracle:
    """Answers about the forms of one layer, which are known by number on every cell."""

    def __init__(self, table: FormTable, ids: Array, mesh: Mesh, lines: Array, names: LineNames, layer: int, tally: Tally) -> None:
        self._table, self._ids, self._mesh, self._lines, self._names, self._layer = table, ids, mesh, lines, names, layer
        self._tally, self._exponent = tally, table.exponent
        self._integers: dict[int, tuple[list[int], int]] = {}
        self._edge_cell: Array | None = None

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

    def integers(self, vertex: int) -> tuple[list[int], int]:
        if vertex not in self._integers:
            tick()
            p = meet(*(self._table.lines[i] for i in self._lines[vertex].tolist()))
            ids = self._ids[self._mesh.vertex_cell()[vertex]].tolist()
            numbers = {}
            for i in set(ids):
                form = self._table.exact[i]
                numbers[i] = dot(form[:3], p) << (form[3] - self._exponent)
            self._integers[vertex] = ([numbers[i] for i in ids], p[-1])
        return self._integers[vertex]

    def rounded(self, vertex: int) -> Array:
        numbers, w = self.integers(vertex)
        return np.array([to_float(i, w, self._exponent) for i in numbers])

    def form(self, cell: int, k: int) -> Vector:
        return self._table.exact[int(self._ids[cell, k])][:3]

    def position(self, hyperplanes: Array) -> Vector:
        tick()
        return meet(*(self._table.lines[self._line(name)] for name in hyperplanes.reshape(2, 3)))

    def _line(self, name: Array) -> int:
        layer, cell, form = name.tolist()
        if layer == self._layer:
            return int(self._table.line[self._ids[cell, form]])
        return int(self._names.of(name[None])[0])
