"""A face lattice cut by the forms of a layer, one after the other."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, NamedTuple, Protocol

import numpy as np

from plica._parallel import parallel_ranges
from plica._types import Array
from plica.geometry._bits import n_words
from plica.geometry._budget import tick
from plica.geometry.signs._ladder import climb
from plica.geometry.signs._precision import Precision
from plica.geometry.signs._vertex_signs import Oracle, SignForms, VertexSigns, vertex_signs
from plica.geometry.space import _cut_kernels as kernels
from plica.geometry.space._arrays import FormArrays, NewNumbers, grown, growth
from plica.geometry.space._lattice import Lattice

RANGE = 2048  # faces cut by one core at a time, at least
LONGEST = 65536  # and at most: between two ranges the budget is asked
PASS = 1 << 20  # faces looked at between two looks at the clock

Names = Callable[[Array, int], tuple[int, Array, Any]]
"""Columns of the hyperplane table for form k on the given cells: layer, cells before the layer, codes."""


class Watch(Protocol):
    """Asked before memory is taken and, without arguments, between long stretches of work; raises where a budget ends."""

    def __call__(self, *, n_cells: int | None = None, n_bytes: int = 0) -> None: ...


class CutFaces(NamedTuple):
    """The faces of one dimension that a form cuts, and how many facets they have together."""

    numbers: Array
    n_facets: int

    @property
    def n(self) -> int:
        return len(self.numbers)


NO_FACES = CutFaces(np.zeros(0, np.int32), 0)


@dataclass(eq=False)
class LatticeCut:
    """One cut of a lattice: by a layer, or by one comparison of a maximum."""

    lattice: Lattice
    oracle: Oracle
    names: Names
    watch: Watch

    def run(self, forms: SignForms) -> None:
        """Cut with every form in turn."""
        v, m = self.lattice.vertices, forms.z.shape[1]
        rows = v.capacity + sum(f.capacity for f in self.lattice.faces.values())
        self.watch(n_bytes=self.lattice.nbytes + forms.z.nbytes + 24 * rows * n_words(m))
        signs = vertex_signs(forms, self.oracle)
        start = v.n
        self.forms = forms
        with np.errstate(divide="ignore"):
            self.inverse_scale = np.where(forms.scale > 0, 1.0 / forms.scale, 0.0)
        v.begin_cut(signs.pos, signs.neg)
        below = v.arrays.words
        for faces in self.lattice.faces.values():
            faces.begin_cut(n_words(m))
            for a in range(0, faces.n, PASS):
                self.watch()
                kernels.gather_words(faces.arrays, below, a, min(a + PASS, faces.n))
            below = faces.arrays.words
        for k in range(m):
            self._cut_with(k)
        forms.z, forms.error = forms.z[: v.n], forms.error[: v.n]
        self.lattice.new_vertices = (start, v.n)

    def _cut_with(self, k: int) -> None:
        """Cut with form k, from edges up to cells."""
        top = self.lattice.dimension
        self.watch()
        cut = {top: self._find(top, k)}
        if not cut[top].n:
            return
        any_zero = bool(kernels.has_zero(self.lattice.vertices.arrays.words, self.lattice.vertices.n, k))
        for d in range(1, top):
            cut[d] = self._find(d, k)
        self._make_room(cut)
        self._cut_edges(cut[1], k)
        for d in range(2, top + 1):
            self._cut_faces(d, cut[d], k, any_zero)
        for d in range(1, top + 1):
            kernels.forget_parts(self.lattice.faces[d].arrays.parts, cut[d].numbers, cut[d].n)

    def _find(self, d: int, k: int) -> CutFaces:
        faces = self.lattice.faces[d]
        numbers = np.empty(faces.n, np.int32)
        count, total = kernels.find_cut(faces.arrays, faces.n, k, numbers)
        return CutFaces(numbers[:count].copy(), int(total))

    def _make_room(self, cut: dict[int, CutFaces]) -> None:
        """Room for the parts of the cut faces and their zero faces, if the budget allows it.

        A face with s facets becomes two with at most s + 1 facets each. The zero face between them has at most s: one in each
        facet, where the form cuts it or, on a facet that it does not cut, in the one face of it that lies in the zero set.
        """
        lattice, v, forms = self.lattice, self.lattice.vertices, self.forms
        room = {}
        for d in lattice.faces:
            above = cut.get(d + 1, NO_FACES)
            entries = 2 * (cut[1].n + above.n) if d == 1 else 2 * cut[d].n_facets + 2 * cut[d].n + above.n_facets
            room[d] = (cut[d].n + above.n, entries)
        n_vertices, n_hyperplanes = v.n + cut[1].n, lattice.n_hyperplanes + sum(c.n for c in cut.values())
        needs = [lattice.faces[d].growth(*room[d]) for d in room]
        needs += [v.growth(cut[1].n), growth(lattice.hyperplane_table, n_hyperplanes)]
        needs += [growth(forms.z, n_vertices), growth(forms.error, n_vertices)]
        n_bytes = sum(n for n, _ in needs) + max(n for _, n in needs)  # one array is copied at a time
        self.watch(n_cells=lattice.n_cells + cut[lattice.dimension].n, n_bytes=n_bytes)
        tick(n_bytes - lattice.nbytes - forms.z.nbytes - forms.error.nbytes)
        for d, (n_faces, entries) in room.items():
            lattice.faces[d].make_room(n_faces, entries)
        forms.z, forms.error = (grown(a, n_vertices, v.n) for a in (forms.z, forms.error))
        v.make_room(cut[1].n)

    def _new(self, d: int, cut: CutFaces, k: int) -> NewNumbers:
        """Numbers for what the cut faces of dimension d become; each gets a hyperplane."""
        faces, below = self.lattice.faces[d], self.lattice.faces[d - 1] if d > 1 else self.lattice.vertices
        layer, cells, codes = self.names(faces.arrays.cell[cut.numbers], k)
        return NewNumbers(faces.n, below.n, self.lattice.new_hyperplanes(layer, cells, codes))

    def _cut_edges(self, cut: CutFaces, k: int) -> None:
        edges, v, forms = self.lattice.faces[1], self.lattice.vertices, self.forms
        new = self._new(1, cut, k)
        values = FormArrays(forms.z, forms.scale, self.inverse_scale, forms.error, forms.floor)

        def work(a: int, b: int) -> int:
            return int(kernels.cut_edges(cut.numbers, a, b, k, edges.arrays, v.arrays, values, new))

        undecided = sum(parallel_ranges(work, cut.n, least=RANGE))
        v.n += cut.n
        self.oracle.tally.add(cut.n * forms.z.shape[1] - undecided, Precision.DOUBLE)
        if undecided:
            self._resolve(new.zero)
        kernels.edge_words(edges.arrays, v.arrays.words, cut.numbers, cut.n, edges.n)
        edges.n += cut.n
        edges.pool_end = 2 * edges.n

    def _cut_faces(self, d: int, cut: CutFaces, k: int, any_zero: bool) -> None:
        """The cores share the work, each range of faces with its own stretch of the pools."""
        faces, facets = self.lattice.faces[d], self.lattice.faces[d - 1]
        ridge_words = (self.lattice.faces[d - 2] if d > 2 else self.lattice.vertices).arrays.words  # type: ignore[union-attr]
        new = self._new(d, cut, k)
        n_parts = max(1, min(16, cut.n // RANGE), cut.n // LONGEST)
        bounds, sizes = [0, cut.n], [0, cut.n_facets]
        if n_parts > 1:
            bounds = [cut.n * i // n_parts for i in range(n_parts + 1)]
            sizes = [0, *np.cumsum(faces.arrays.sizes[cut.numbers], dtype=np.int64)[np.array(bounds[1:]) - 1].tolist()]
        # a polygon is cut in two points, another face in at most as many facets as it has
        own = [faces.pool_end + 2 * s + 2 * b for s, b in zip(sizes, bounds, strict=True)]
        theirs = [facets.pool_end + (2 * b if d == 2 else s) for s, b in zip(sizes, bounds, strict=True)]

        def work(a: int, b: int) -> list[tuple[int, int]]:
            ends = []
            for i in range(a, b):
                self.watch()
                ends.append(
                    kernels.cut_faces(
                        cut.numbers, bounds[i], bounds[i + 1], k, faces.arrays, facets.arrays, ridge_words, new,
                        (own[i], theirs[i]), any_zero,
                    )
                )  # fmt: skip
            return ends

        ends = [end for part in parallel_ranges(work, n_parts, least=1) for end in part]
        if any(end[1] > theirs[i + 1] for i, end in enumerate(ends)):
            raise AssertionError("a zero face has more facets than the face it cuts")
        faces.pool_end, facets.pool_end = int(ends[-1][0]), int(ends[-1][1])
        faces.n, facets.n = faces.n + cut.n, facets.n + cut.n

    def _resolve(self, start: int) -> None:
        """Decide the signs at new vertices that error bounds left open."""
        v, forms = self.lattice.vertices, replace(self.forms, tensor_error=None)  # that knows nothing of new vertices
        words, undecided = v.arrays.words, v.arrays.undecided
        question = VertexSigns(forms, self.oracle, words[:, 0], words[:, 1], undecided)
        climb(question, start + np.flatnonzero(undecided[start : v.n].any(axis=1)), self.oracle.tally)
