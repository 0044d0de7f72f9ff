"""Complexes for other tools: what they read is what the complex is."""

from __future__ import annotations

import itertools
import json
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

import plica
from plica.geometry import Box, PlaneComplex, Segment, SpaceComplex, decompose

PLANE = plica.random_network([2, 10, 6, 2], seed=4)
SPACE = plica.random_network([3, 7, 5, 1], seed=6)


@pytest.fixture(scope="module")
def plane() -> PlaneComplex:
    cx = decompose(PLANE, Box([-1, -1], [1, 1]))
    assert isinstance(cx, PlaneComplex)
    return cx


@pytest.fixture(scope="module")
def space() -> SpaceComplex:
    cx = decompose(SPACE, Box([-1, -1, -1], [1, 1, 1]))
    assert isinstance(cx, SpaceComplex)
    return cx


def test_geojson_rings_are_closed_and_counter_clockwise(plane: PlaneComplex) -> None:
    found = json.loads(json.dumps(plane.to_geojson()))
    assert found["type"] == "FeatureCollection" and len(found["features"]) == plane.n_cells
    for feature, area in zip(found["features"], plane.sizes(), strict=True):
        (ring,) = feature["geometry"]["coordinates"]
        assert ring[0] == ring[-1]
        signed = sum(p[0] * q[1] - q[0] * p[1] for p, q in itertools.pairwise(ring)) / 2
        assert signed == pytest.approx(area, rel=1e-6, abs=1e-12)
        assert feature["properties"]["region"] == plane.regions[feature["id"]]


@pytest.mark.parametrize("kind", ["line", "plane", "space"])
def test_simplices_fill_the_domain(kind: str, plane: PlaneComplex, space: SpaceComplex) -> None:
    line = decompose(PLANE, Segment([-1, -1], [1, 0.5]))
    cx = {"line": line, "plane": plane, "space": space}[kind]
    total = 0.0
    simplices = cx.triangulation()
    for simplex in simplices.vertices:
        p = cx.vertices[simplex]
        total += abs(np.linalg.det(p[1:] - p[0]))
    assert np.array_equal(np.unique(simplices.cells), np.arange(cx.n_cells))
    assert all(set(s.tolist()) <= set(cx.vertices_of(c).tolist()) for s, c in zip(*simplices, strict=True))
    assert total == pytest.approx(np.prod(np.arange(1, cx.dimension + 1)) * cx.domain.size)


def test_rational_text_holds_exact_vertices_and_cells(space: SpaceComplex) -> None:
    text = space.to_polymake()
    head, _, rest = text.partition("VERTICES\n")
    vertices, _, cells = rest.partition("MAXIMAL_POLYTOPES\n")
    assert "PolyhedralComplex<Rational>" in head
    rows = [tuple(map(Fraction, line.split())) for line in vertices.split("\n") if line]
    assert rows == [(1, *space.exact_vertex(v)) for v in range(space.n_vertices)]
    found = [set(map(int, line.strip("{}").split())) for line in cells.split("\n") if line]
    assert found == [set(space.vertices_of(c).tolist()) for c in range(space.n_cells)]


def test_legacy_vtk_has_a_polyhedron_for_each_cell(space: SpaceComplex, tmp_path: Path) -> None:
    space.write_vtk(tmp_path / "cells.vtk")
    words = (tmp_path / "cells.vtk").read_text().split("\n")
    start = next(i for i, line in enumerate(words) if line.startswith("CELLS"))
    _, n, total = words[start].split()
    rows = [list(map(int, line.split())) for line in words[start + 1 : start + 1 + int(n)]]
    assert int(n) == space.n_cells and sum(map(len, rows)) == int(total)
    for cell, row in enumerate(rows):
        assert row[0] == len(row) - 1
        place, corners = 2, set()
        for _ in range(row[1]):
            corners |= set(row[place + 1 : place + 1 + row[place]])
            place += 1 + row[place]
        assert place == len(row) and corners == set(space.vertices_of(cell).tolist())


def test_exports_refuse_what_they_cannot_hold(space: SpaceComplex, tmp_path: Path) -> None:
    with pytest.raises(plica.InvalidInput, match=r"end in \.vtk"):
        space.write_vtk(tmp_path / "cells.ply")
    with pytest.raises(plica.InvalidInput, match="cannot be written"):
        space.write_vtk(tmp_path / "nowhere" / "cells.vtk")
    four = decompose(plica.random_network([4, 4, 1], seed=0), Box([-1] * 4, [1] * 4))
    with pytest.raises(plica.InvalidInput, match="two and three dimensions"):
        four.write_vtk(tmp_path / "cells.vtk")


def test_a_missing_package_is_named(plane: PlaneComplex, monkeypatch: pytest.MonkeyPatch) -> None:
    import sys

    for name, export in (("shapely", plane.to_shapely), ("networkx", plane.to_networkx), ("meshio", plane.to_meshio)):
        monkeypatch.setitem(sys.modules, name, None)
        with pytest.raises(plica.MissingExtra, match=name):
            export()


@pytest.mark.peer
def test_networkx_reads_the_dual_graph(plane: PlaneComplex) -> None:
    networkx = pytest.importorskip("networkx")
    graph = plane.to_networkx()
    assert networkx.is_connected(graph) and networkx.is_planar(graph)
    assert (networkx.to_numpy_array(graph, nodelist=range(plane.n_cells), weight=None) == plane.adjacency().toarray()).all()
    assert all(data["layers"] for _, _, data in graph.edges(data=True))


@pytest.mark.peer
def test_shapely_reads_the_cells(plane: PlaneComplex) -> None:
    shapely = pytest.importorskip("shapely")
    polygons = plane.to_shapely()
    assert all(p.is_valid for p in polygons)
    np.testing.assert_allclose(shapely.area(polygons), plane.sizes(), rtol=1e-6, atol=1e-12)
    assert shapely.unary_union(shapely.set_precision(polygons, 1e-9)).area == pytest.approx(4.0)


@pytest.mark.peer
@pytest.mark.parametrize("suffix", ["vtk", "vtu", "ply", "obj"])
def test_meshio_writes_and_reads_the_plane(plane: PlaneComplex, suffix: str, tmp_path: Path) -> None:
    meshio = pytest.importorskip("meshio")
    mesh = plane.to_meshio()
    if suffix == "obj":
        mesh.cell_data, mesh.point_data = {}, {}
    mesh.write(tmp_path / f"cells.{suffix}")
    back = meshio.read(tmp_path / f"cells.{suffix}")
    assert sum(len(block) for block in back.cells) == plane.n_cells
    np.testing.assert_allclose(back.points[:, :2], plane.vertices, atol=1e-6)


@pytest.mark.peer
def test_meshio_writes_and_reads_polyhedra(space: SpaceComplex, tmp_path: Path) -> None:
    meshio = pytest.importorskip("meshio")
    space.to_meshio().write(tmp_path / "cells.vtu")
    back = meshio.read(tmp_path / "cells.vtu")
    assert sum(len(block) for block in back.cells) == space.n_cells
    assert all(block.type.startswith("polyhedron") for block in back.cells)
    np.testing.assert_allclose(back.points, space.vertices)


@pytest.mark.peer
def test_vtk_reads_polyhedra_and_their_volumes(space: SpaceComplex, tmp_path: Path) -> None:
    pyvista = pytest.importorskip("pyvista")
    space.write_vtk(tmp_path / "cells.vtk")
    grid = pyvista.read(tmp_path / "cells.vtk")
    assert grid.n_cells == space.n_cells and set(grid.celltypes.tolist()) == {42}
    volumes = grid.compute_cell_sizes(length=False, area=False)["Volume"]
    np.testing.assert_allclose(np.abs(volumes), space.sizes(), rtol=1e-6, atol=1e-9)
    assert grid.cell_data["region"].tolist() == space.regions.tolist()


@pytest.mark.peer
@pytest.mark.parametrize("kind", ["plane", "space"])
def test_gudhi_reads_a_contractible_complex(kind: str, plane: PlaneComplex, space: SpaceComplex) -> None:
    pytest.importorskip("gudhi")
    cx = {"plane": plane, "space": space}[kind]
    tree = cx.to_gudhi()
    tree.compute_persistence(homology_coeff_field=2, persistence_dim_max=True)
    assert tree.betti_numbers() == [1] + [0] * (len(tree.betti_numbers()) - 1)
    assert tree.filtration([0]) == cx.outputs[0, 0]
