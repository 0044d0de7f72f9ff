"""Cells as meshes: polygons of a plane, polyhedra of space, for meshio, VTK and what reads them."""

from __future__ import annotations

from pathlib import Path as FilePath
from typing import TYPE_CHECKING, Any

import numpy as np

from plica._types import Array
from plica.errors import InvalidInput
from plica.geometry.export._missing import imported

if TYPE_CHECKING:
    from plica.geometry.plane._complex import PlaneComplex
    from plica.geometry.space._complex import SpaceComplex

VTK_POLYHEDRON = 42


def plane_mesh(cx: PlaneComplex) -> Any:
    """Polygons at z = 0, a block for each number of corners; cell data name the cell and its region, point data the outputs."""
    meshio = imported("meshio")
    sizes = np.diff(cx.cell_offsets)
    blocks, numbers = [], []
    for size in np.unique(sizes):
        chosen = np.flatnonzero(sizes == size)
        corners = cx.cell_vertices[cx.cell_offsets[chosen][:, None] + np.arange(size)]
        blocks.append(({3: "triangle", 4: "quad"}.get(int(size), "polygon"), corners.astype(np.int64)))
        numbers.append(chosen)
    return meshio.Mesh(
        np.column_stack([cx.vertices, np.zeros(len(cx.vertices))]),
        blocks,
        point_data={f"output_{k}": column for k, column in enumerate(cx.outputs.T)},
        cell_data={"cell": numbers, "region": [cx.regions[n] for n in numbers]},
    )


def space_mesh(cx: SpaceComplex) -> Any:
    """Polyhedra given by their faces, a block for each number of vertices, as VTU files have them."""
    meshio = imported("meshio")
    polyhedra = _polyhedra(cx)
    n_corners = [len(np.unique(np.concatenate(faces))) for faces in polyhedra]
    blocks, numbers = [], []
    for size in sorted(set(n_corners)):
        chosen = [i for i, n in enumerate(n_corners) if n == size]
        blocks.append((f"polyhedron{size}", [[face.tolist() for face in polyhedra[i]] for i in chosen]))
        numbers.append(cx.cell_of_part[chosen])
    return meshio.Mesh(
        cx.vertices,
        blocks,
        point_data={f"output_{k}": column for k, column in enumerate(cx.outputs.T)},
        cell_data={"cell": numbers, "region": [cx.regions[n] for n in numbers]},
    )


def write_polyhedra(cx: SpaceComplex, path: Any) -> None:
    """A legacy VTK file in ASCII: points, one polyhedron for each convex part of a cell, cell numbers, regions, outputs."""
    target = FilePath(path)
    if target.suffix != ".vtk":
        raise InvalidInput(f"{target.name!r} does not end in .vtk.", hint="for other formats: cx.to_meshio().write('cells.vtu')")
    streams = [[len(faces), *(n for face in faces for n in (len(face), *face.tolist()))] for faces in _polyhedra(cx)]
    lines = ["# vtk DataFile Version 3.0", "cells of a piecewise-linear network", "ASCII", "DATASET UNSTRUCTURED_GRID"]
    lines += [f"POINTS {len(cx.vertices)} double", *(" ".join(map(repr, p)) for p in cx.vertices.tolist())]
    lines.append(f"CELLS {len(streams)} {sum(len(s) + 1 for s in streams)}")
    lines += [" ".join(map(str, (len(s), *s))) for s in streams]
    lines += [f"CELL_TYPES {len(streams)}", *[str(VTK_POLYHEDRON)] * len(streams)]
    cells = cx.cell_of_part
    lines.append(f"CELL_DATA {len(streams)}")
    for name, column in (("cell", cells), ("region", cx.regions[cells])):
        lines += [f"SCALARS {name} int 1", "LOOKUP_TABLE default", *map(str, column.tolist())]
    lines.append(f"POINT_DATA {len(cx.vertices)}")
    for k, values in enumerate(cx.outputs.T):
        lines += [f"SCALARS output_{k} double 1", "LOOKUP_TABLE default", *map(repr, values.tolist())]
    try:
        target.write_text("\n".join(lines) + "\n", encoding="ascii")
    except OSError as error:
        raise InvalidInput(f"{str(target)!r} cannot be written: {error.strerror}.") from None


def _polyhedra(cx: SpaceComplex) -> list[list[Array]]:
    """The polygons of each convex part, as vertex numbers in order around them."""
    if cx.dimension != 3:
        raise InvalidInput(
            f"meshes hold cells of two and three dimensions; these have {cx.dimension}.",
            hint="rational vertices and incidences of any dimension: cx.to_polymake()",
        )
    first, corners = cx.facet_offsets, cx.facet_vertices
    parts = cx.facets_of_faces(3)
    faces = np.split(corners, first[1:-1])
    return [[faces[g] for g in parts.entries[a:b]] for a, b in zip(parts.offsets[:-1], parts.offsets[1:], strict=True)]
