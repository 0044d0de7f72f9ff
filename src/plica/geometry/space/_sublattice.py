"""Some cells of a face lattice with all their faces, as a lattice of their own."""

from __future__ import annotations

import numpy as np

from plica._types import Array
from plica.geometry.space._lattice import Faces, Lattice, Vertices


def entries_of(faces: Faces, chosen: Array) -> tuple[Array, Array]:
    """Sizes and concatenated facet lists of the chosen faces."""
    size = faces.arrays.sizes[chosen].astype(np.int64)
    inside = np.arange(int(size.sum())) - np.repeat(np.cumsum(size) - size, size)
    return size, faces.arrays.pool[np.repeat(faces.arrays.offsets[chosen], size) + inside]


def sublattice(lattice: Lattice, cells: Array) -> tuple[Lattice, dict[int, Array]]:
    """The lattice of the given cells, which keep their order, and for each dimension the old numbers of the faces kept.

    Lower faces keep their order too. Hyperplanes keep their numbers.
    """
    kept: dict[int, Array] = {lattice.dimension: np.asarray(cells, np.int64)}
    made: list[Faces] = []
    for d in range(lattice.dimension, 0, -1):
        size, entries = entries_of(lattice.faces[d], kept[d])
        kept[d - 1], renamed = np.unique(entries, return_inverse=True)
        made.append(Faces(size, renamed.reshape(-1), lattice.faces[d].hyperplanes[kept[d]]))
    table = lattice.hyperplane_table[: lattice.n_hyperplanes].copy()
    return Lattice(Vertices(lattice.vertices.hyperplanes[kept[0]]), made[::-1], table), kept
