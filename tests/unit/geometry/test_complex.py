"""The answers of a complex: cells, neighbors, folds, sizes, summaries, files."""

from fractions import Fraction
from pathlib import Path as FilePath
from typing import Any

import numpy as np
import pytest

from plica.errors import InvalidInput
from plica.geometry import Box, Complex, Path, Plane, Segment, decompose
from plica.testing import chain, draw_network

BOX = Box([-1, -1], [1, 1])
CROSS = chain([np.eye(2), np.array([[1.0, 2.0]])], [np.zeros(2), np.array([0.5])])


def cross() -> Any:
    return decompose(CROSS, BOX)


def test_a_cross_has_four_cells_nine_vertices_and_twelve_edges() -> None:
    cx = cross()
    assert (cx.n_cells, cx.n_vertices, len(cx.edges), cx.n_regions, cx.n_slivers) == (4, 9, 12, 4, 0)
    assert sorted(map(tuple, cx.vertices.tolist())) == sorted((x, y) for x in (-1.0, 0.0, 1.0) for y in (-1.0, 0.0, 1.0))
    assert sorted(cx.edge_layer.tolist()) == [-1] * 8 + [0] * 4
    assert cx.sizes().tolist() == [1.0] * 4
    assert np.array_equal(cx.points, cx.vertices)
    np.testing.assert_allclose(cx.outputs, CROSS(cx.vertices))


def test_cells_say_what_they_are() -> None:
    cx = cross()
    for i, cell in enumerate(cx.cells):
        assert (cell.index, len(cell.vertices), cell.size, cell.region) == (i, 4, 1.0, i)
        assert np.array_equal(cell.center, cx.vertices[cell.vertices].mean(axis=0))
        A, c = cell.affine_map
        assert A.tolist() == [[float(s) * w for s, w in zip(cell.pattern[0], (1, 2), strict=True)]] and c.tolist() == [0.5]
        assert np.array_equal(cell.slice_map[0], A)
        assert repr(cell) == f"<Cell {i}: 4 vertices, size 1>"
    assert len(cx.cells) == 4 and [c.index for c in cx.cells[1:3]] == [1, 2] and cx.cells[-1].index == 3
    with pytest.raises(IndexError):
        cx.cells[4]


def test_polygons_turn_left() -> None:
    for polygon in cross().cell_polygons():
        x, y = polygon.T
        assert (x * np.roll(y, -1) - np.roll(x, -1) * y).sum() == pytest.approx(2.0)


def test_neighbors_share_an_edge() -> None:
    cx = cross()
    diagonal = {tuple(1 - p for p in c.pattern[0]): c.index for c in cx.cells}
    for cell in cx.cells:
        expected = {0, 1, 2, 3} - {cell.index, diagonal[tuple(cell.pattern[0])]}
        assert set(cx.neighbors(cell.index)) == expected


def test_folds_are_found_by_layer_and_neuron() -> None:
    cx = cross()
    assert len(cx.folds()) == len(cx.folds(0)) == 4
    vertical = cx.folds(0, 0)
    assert vertical.shape == (2, 2, 2) and not vertical[:, :, 0].any()
    assert cx.unit_states(0, 1).tolist() == [int(c.pattern[0][1]) for c in cx.cells]
    for unit, message in (((1,), "no layer 1"), ((0, 2), "there is no 2"), ((None, 0), "without its layer")):
        with pytest.raises(InvalidInput, match=message):
            cx.folds(*unit)


def test_a_cell_that_does_not_exist_is_refused() -> None:
    for wrong in (4, -5, "a", 1.5):
        with pytest.raises(InvalidInput, match="there is no cell"):
            cross().pattern(wrong)


def test_vertices_are_known_exactly() -> None:
    network = chain([np.array([[3.0, 1.0], [1.0, -7.0]]), np.ones((1, 2))], [np.array([1.0, 0.5]), np.zeros(1)])
    cx = decompose(network, BOX)
    inner = [cx.exact_vertex(i) for i in range(cx.n_vertices) if np.abs(cx.vertices[i]).max() < 1]
    # 3 x + y + 1 = 0 and x - 7 y + 1/2 = 0
    assert inner == [(Fraction(-15, 44), Fraction(1, 44))]


def test_small_cells_far_from_the_origin_keep_their_digits() -> None:
    box = Box([1e6, 1e6], [1e6 + 1, 1e6 + 1])
    network = chain([np.array([[1.0, -1.0]]), np.ones((1, 1))], [np.array([0.25]), np.zeros(1)])
    assert decompose(network, box).sizes().sum() == pytest.approx(1.0, rel=1e-9)


@pytest.mark.parametrize("domain", [BOX, Segment([-1.0, -1.0], [1.0, 0.5])])
def test_summaries_and_dicts_are_plain(domain: Any) -> None:
    cx = decompose(CROSS, domain)
    summary = cx.summary()
    assert summary["n_cells"] == cx.n_cells and summary["widths"] == [2, 2, 1]
    plain = cx.to_dict()
    assert len(plain["vertices"]) == cx.n_vertices and plain["regions"] == cx.regions.tolist()
    assert all(isinstance(v, int | float | list) for v in plain.values())
    assert f"{cx.n_cells} " in repr(cx) and "2-2-1" in repr(cx)
    assert "<table>" in cx._repr_html_()


PLANE = Plane([0.1, 0.2, 0.3], [[1, 0, 1], [0, 1, 0]], window=[[0, 0], [1, 0], [0, 1]])
THROUGH = Plane.through([0.1, 0, 0], [1, 0.3, 0], [0, 1, 0.7], margin=0.2)


@pytest.mark.parametrize(
    "domain", [BOX, Segment([-1.0, -0.9], [1.0, 0.5]), Path([[-1, 0.5], [1, 0.5], [1, -1]]), PLANE, THROUGH, Box([-1.0], [2.0])]
)
def test_a_complex_comes_back_from_its_file(domain: Any, tmp_path: FilePath) -> None:
    rng = np.random.default_rng(0)
    n = domain.n_inputs
    network = chain([rng.normal(size=(5, n)), rng.normal(size=(2, 5))], [rng.normal(size=5), rng.normal(size=2)])
    cx = decompose(network, domain)
    cx.save(tmp_path / "complex.npz")
    again = Complex.load(tmp_path / "complex.npz")
    assert np.array_equal(again.vertices, cx.vertices) and np.array_equal(again.regions, cx.regions)
    assert [again.exact_vertex(i) for i in range(again.n_vertices)] == [cx.exact_vertex(i) for i in range(cx.n_vertices)]
    with np.load(tmp_path / "complex.npz", allow_pickle=False) as arrays:
        assert np.array_equal(arrays["vertices"], cx.vertices)


def test_a_file_that_is_no_complex_is_refused(tmp_path: FilePath) -> None:
    with pytest.raises(InvalidInput, match="does not end in"):
        cross().save(tmp_path / "complex.txt")
    with pytest.raises(InvalidInput, match="cannot be read"):
        Complex.load(tmp_path / "absent.npz")
    np.savez(tmp_path / "other.npz", x=np.zeros(3))
    with pytest.raises(InvalidInput, match="is not a complex"):
        Complex.load(tmp_path / "other.npz")


def changed(source: FilePath, target: FilePath, **arrays: Any) -> FilePath:
    with np.load(source, allow_pickle=False) as stored:
        np.savez(target, **({k: stored[k] for k in stored.files} | arrays))
    return target


def test_a_file_that_was_changed_is_refused(tmp_path: FilePath) -> None:
    cross().save(tmp_path / "good.npz")
    for change, message in (
        ({"n_cells": np.array(5)}, "the file says 5 cells"),
        ({"n_cells": np.array([4])}, "is not a complex"),
        ({"domain_kind": np.array("Sphere")}, "no domain"),
        ({"domain_points": np.zeros(3)}, "no domain"),
    ):
        with pytest.raises(InvalidInput, match=message):
            Complex.load(changed(tmp_path / "good.npz", tmp_path / "bad.npz", **change))


def test_regions_have_decisions_of_their_own() -> None:
    cx = decompose(draw_network("leaky with slope one", seed=1), BOX)
    before = cx.decisions
    assert cx.n_regions == 1 and cx.decisions == before
    assert cx.region_decisions.total == (cx.edge_cells >= 0).all(axis=1).sum()
