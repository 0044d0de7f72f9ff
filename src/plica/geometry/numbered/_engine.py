"""Planes through networks of few functions: forms are known by number on every cell, so ties on whole cells need no proof.

The ordinary engine carries values at vertices, and a tie of two forms there is left to integers, vertex by vertex. In a lattice
of minima almost everything ties: on a cell where a is least, min(a, b) and min(a, c) are one function. Here each entry has on
each cell the number of the function that it is (:class:`FormTable`), and each vertex the numbers of two lines. A form is zero at
a vertex if its number is that of zero, or its line is one of the vertex's; what is left is compared in floating point with
coefficients that were rounded once, and three lines through one point are found in integers.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from plica._parallel import parallel_ranges
from plica._types import Array
from plica.geometry._bits import pack
from plica.geometry._budget import Meter, tick
from plica.geometry.domains import Domain
from plica.geometry.numbered import _kernels
from plica.geometry.numbered._condensed import Condensed, Entries, Rows
from plica.geometry.numbered._forms import FormTable, side_lines
from plica.geometry.numbered._oracle import LineNames, NumberedOracle
from plica.geometry.numbered._outputs import OutputForms
from plica.geometry.numbered._states import SharedStates
from plica.geometry.plane._cut import CutResult, cut_mesh
from plica.geometry.plane._engine import PARAMETERS, PlaneWalk, start_mesh, start_tensors
from plica.geometry.plane._mesh import Mesh
from plica.geometry.signs._decisions import Tally
from plica.geometry.signs._exact_maps import ExactMap, LayerStates
from plica.geometry.signs._vertex_signs import SignForms
from plica.geometry.values._tensors import UNDERFLOW, Tensor
from plica.network import Network


class NumberedWalker:
    """Carries a subdivision, and the numbers of functions on its cells, through a condensed network."""

    def __init__(self, network: Network, program: Condensed, domain: Domain, meter: Meter) -> None:
        self.program, self.meter, self.tally = program, meter, Tally()
        self.table = FormTable()
        self.names = LineNames(side_lines(self.table, domain.corners()))
        self.mesh, self.parameters = start_mesh(domain), start_tensors(domain)[PARAMETERS]
        self.ids = self.table.number_columns(domain.chart.columns)[None]  # of the current atoms, on cells before the last cut
        self.parent, self.positive = np.zeros(1, np.int32), np.zeros((1, 1), np.uint64)
        self.lines = self.names.of_vertices(self.mesh.vertex_hyperplanes)
        self.layers: list[LayerStates] = []
        self.firsts: list[Array] = []

    def affine(self, steps: list[Rows]) -> None:
        """The numbers of the atoms after some affine operations."""
        for rows in steps:
            self.ids = self.table.apply(rows, self.ids, self.parent, self.positive)
            self.parent = np.arange(len(self.ids), dtype=np.int32)

    def values(self) -> tuple[Array, Array]:
        """The atoms at the vertices, zero exactly where they are known to vanish, with a bound of the error of each vertex."""
        n, cell = len(self.lines), self.mesh.vertex_cell()
        tick(8 * n * self.ids.shape[1])
        z, error = np.empty((n, self.ids.shape[1])), np.empty(n)
        forms, p = _kernels.NumberedForms(self.ids, self.table.coefficients, self.table.line), self.parameters

        def work(a: int, b: int) -> None:
            _kernels.forms_at(forms, cell, self.lines, p.values, p.error, a, b, z, error)

        parallel_ranges(work, n)
        return z, error

    def fold(self, layer: int, entries: Entries) -> None:
        """Cut with one layer."""
        z, error = self.values()
        n = z.shape[1]
        forms = SignForms(z, np.ones(n), error, np.full(n, UNDERFLOW), trust_zero=True)
        oracle = NumberedOracle(self.table, self.ids, self.mesh, self.lines, self.names, layer, self.tally)
        result = cut_mesh(self.mesh, forms, oracle, layer, watch=self.watch)
        self._take(result, layer, entries)

    def watch(self, n_cells: int, n_vertices: int, n_bytes: int) -> None:
        self.meter.check(n_cells=n_cells, n_bytes=n_bytes + 4 * n_cells * self.ids.shape[1])

    def _take(self, result: CutResult, layer: int, entries: Entries) -> None:
        mesh, ids, n_old = result.mesh, self.ids, len(self.lines)
        names = np.concatenate([mesh.edge_hyperplane, *np.split(mesh.vertex_hyperplanes[n_old:], 2, axis=1)])
        self.names.add_layer(names[names[:, 0] == layer, 1:], ids, self.table.line)
        self.lines = np.concatenate([self.lines, self.names.of_vertices(mesh.vertex_hyperplanes[n_old:])])
        self.mesh, self.parameters = mesh, self.parameters.extended(result.on_edges, result.inside, result.orders)
        self.parent, self.positive = result.parent, result.words
        not_zero = pack(ids != 0)[result.parent]
        states = SharedStates(np.concatenate([result.words, not_zero & ~result.words], axis=1), entries)
        self.layers.append(LayerStates(result.parent, states))
        self.firsts.append(entries.first)


def walk_numbered(network: Network, program: Condensed, domain: Domain, meter: Meter) -> PlaneWalk:
    """The exact complex of a network of few functions over a two-dimensional domain."""
    w = NumberedWalker(network, program, domain, meter)
    for layer, steps in enumerate(program.layers):
        w.affine(steps)
        w.fold(layer, steps[-1].entries)
        meter.layer_finished(w.mesh.n_cells)
    w.affine(program.tail)
    entries = program.tail[-1].entries

    def outputs() -> Tensor:
        z, error = w.values()
        return Tensor(entries.expanded(z), error * np.sqrt(len(entries.atom)) * (1 + 1e-12))

    parents, states = [s.parent for s in w.layers], [s._states for s in w.layers]
    exact = ExactMap(network, domain, w.layers)
    mesh = _named_by_neurons(w.mesh, w.firsts)
    return PlaneWalk(
        mesh, parents, states, exact, w.parameters, outputs, w.tally.decisions, output_forms=OutputForms(w.table, w.ids, entries)
    )


def _named_by_neurons(mesh: Mesh, firsts: list[Array]) -> Mesh:
    """The same subdivision; its hyperplanes are named by neurons of the network instead of atoms."""
    edges, vertices = mesh.edge_hyperplane.copy(), mesh.vertex_hyperplanes.copy()
    for names in (edges, vertices[:, :3], vertices[:, 3:]):
        for layer, first in enumerate(firsts):
            rows = names[:, 0] == layer
            names[rows, 2] = first[names[rows, 2]]
    return replace(mesh, edge_hyperplane=edges, vertex_hyperplanes=vertices)
