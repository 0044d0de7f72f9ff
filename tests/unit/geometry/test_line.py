"""The line engine: chunks, paths, ends on folds, large networks."""

import itertools
from typing import Any

import numpy as np
import pytest

from plica.errors import InvalidInput
from plica.geometry import Box, Complex, Path, Segment, count_regions, decompose
from plica.geometry.line import _engine as _line
from plica.geometry.signs._positions import settled_outputs
from plica.network import Builder, Conv, Linear, Max, Network, Rectifier, Reshape, Scale, WindowSum
from plica.testing import FAMILIES, Case, chain, check_line, draw_network, draw_segment
from plica.testing._against_reference import compare_line

BOX = Box([0, 0], [1, 1])


def he(widths: tuple[int, ...], seed: int = 0) -> Network:
    rng = np.random.default_rng(seed)
    weights = [rng.normal(size=(b, a)) * np.sqrt(2 / a) for a, b in itertools.pairwise(widths)]
    return chain(weights, [rng.normal(size=b) / 2 for b in widths[1:]])


def outputs_in_units(cx: Any) -> Any:
    """The outputs before they are scaled back: where every layer is of size 1e150 they overflow."""
    (part,) = cx._parts
    s, cells = part.chunk, np.minimum(np.arange(part.n_cells + 1), part.n_cells - 1)
    return settled_outputs(s.outputs, s.parameters, s.hyperplanes, cells, part.exact, cx._exponent)


def assert_same(a: Complex, b: Complex) -> None:
    # floats may differ in the last bits: a matrix product of fewer rows may sum in another order
    np.testing.assert_allclose(a.vertices, b.vertices, rtol=0, atol=1e-9)
    x, y = outputs_in_units(a), outputs_in_units(b)
    np.testing.assert_allclose(x, y, rtol=1e-6, atol=1e-6 * np.abs(y).max())
    assert np.array_equal(a.regions, b.regions)
    assert [a.exact_vertex(i) for i in range(a.n_vertices)] == [b.exact_vertex(i) for i in range(b.n_vertices)]
    for i in range(a.n_cells):
        assert all(np.array_equal(x, y) for x, y in zip(a.pattern(i), b.pattern(i), strict=True))
        assert (a.exact_map(i).integers == b.exact_map(i).integers).all()
    layers = range(len(a.network.layers))
    for i in layers:
        np.testing.assert_allclose(a.folds(i), b.folds(i), atol=1e-9)
        np.testing.assert_allclose(a.folds(i, 0), b.folds(i, 0), atol=1e-9)


@pytest.mark.parametrize("family", FAMILIES)
def test_short_chunks_give_the_same_complex(family: str, monkeypatch: pytest.MonkeyPatch) -> None:
    for seed in range(4):
        network = draw_network(family, seed=seed)
        segment = draw_segment(network, seed=seed)
        whole = decompose(network, segment)
        for entries in (1, 12, 40):
            with monkeypatch.context() as patch:
                patch.setattr(_line, "CHUNK_ENTRIES", entries)
                assert_same(decompose(network, segment), whole)


def test_short_chunks_give_the_same_complex_of_a_wide_network(monkeypatch: pytest.MonkeyPatch) -> None:
    network, segment = he((3, 40, 30, 30, 2)), Segment([-1.0, -0.5, 0.3], [1.0, 0.8, -0.2])
    whole = decompose(network, segment)
    monkeypatch.setattr(_line, "CHUNK_ENTRIES", 200)
    assert_same(decompose(network, segment), whole)


def test_many_chunks_take_little_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    network, segment = he((2, 50, 2000, 1)), Segment([-1.0, -1.0], [1.0, 0.7])
    monkeypatch.setattr(_line, "CHUNK_ENTRIES", 8000)  # a few pieces each
    cx: Any = decompose(network, segment)
    states = cx._parts[0].chunk.layers[1].states
    assert cx.n_cells > 1000
    assert states.anchor_rows.size <= len(states.cell) + 2 * states.size


@pytest.mark.parametrize("entries", [4_000_000, 1])
def test_the_knots_of_a_path_join_what_is_one_region(entries: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_line, "CHUNK_ENTRIES", entries)
    network = chain([np.eye(2), np.ones((1, 2))], [np.zeros(2), np.zeros(1)])
    cx = decompose(network, Path([[-1, 1], [1, 1], [1, 2], [-1, 2]]))
    assert cx.vertices[:, 0].tolist() == [0.0, 0.5, 1.0, 2.0, 2.5, 3.0]
    assert (cx.n_cells, cx.n_regions) == (5, 3)
    assert cx.regions.tolist() == [0, 1, 1, 1, 2]
    assert cx.folds(0, 0).tolist() == [[0.5], [2.5]]
    assert cx.facet_layer.tolist() == [-1, 0, -1, -1, 0, -1]  # type: ignore[attr-defined]


def test_a_box_of_dimension_one_is_a_line_in_its_own_coordinate() -> None:
    network = chain([np.array([[1.0]]), np.ones((1, 1))], [np.array([-2.0]), np.zeros(1)])
    cx = decompose(network, Box([1.0], [5.0]))
    assert cx.vertices[:, 0].tolist() == [1.0, 2.0, 5.0]
    assert cx.outputs[:, 0].tolist() == [0.0, 0.0, 3.0]
    assert cx.sizes().tolist() == [1.0, 3.0]


@pytest.mark.parametrize("seed", range(6))
def test_segments_that_begin_end_and_run_on_folds(seed: int) -> None:
    network = draw_network("corners and edges", seed=seed)
    rng = np.random.default_rng(seed)
    corners = np.array([[-1.0, -1.0], [1.0, -1.0], [1.0, 1.0], [-1.0, 1.0]])
    for _ in range(4):
        a, b = corners[rng.permutation(4)[:2]]  # along edges and diagonals of the box, where the folds are
        segment = Segment(a, b)
        compare_line(Case(network, BOX), segment, decompose(network, segment))


@pytest.mark.parametrize("seed", range(8))
def test_convolution_pooling_and_residual_edges_on_lines(seed: int) -> None:
    for family in ("max-pool", "average pool", "residual", "concat", "maxout", "random graph"):
        check_line(Case(draw_network(family, seed=100 + seed), BOX, seed=seed))


def test_a_picture_of_784_pixels_through_256_units_and_back() -> None:
    network = he((784, 256, 256, 10))
    rng = np.random.default_rng(1)
    a, b = rng.uniform(size=(2, 784))
    cx = decompose(network, Segment(a, b))
    assert cx.n_cells > 100
    for i in (0, cx.n_cells // 2, cx.n_cells - 1):
        cell = cx.cells[i]
        x = a + cell.center[0] * (b - a)
        A, c = cell.affine_map
        assert A.shape == (10, 784)
        np.testing.assert_allclose(A @ x + c, network(x), atol=1e-9)
        slope, start = cell.slice_map
        np.testing.assert_allclose(slope[:, 0] * cell.center[0] + start, network(x), atol=1e-9)
        assert all(np.array_equal(p, q) for p, q in zip(cell.pattern, network.pattern(x), strict=True))
    back = decompose(network, Segment(b, a))
    np.testing.assert_allclose(back.vertices[::-1], 1 - cx.vertices, atol=1e-9)
    assert count_regions(network, Segment(a, b)).n_regions == cx.n_regions


def picture_network(pool: str) -> Network:
    rng = np.random.default_rng(0)
    builder = Builder((1, 12, 12))
    builder.add(Conv(rng.normal(size=(4, 1, 3, 3)) / 3, rng.normal(size=4) / 4, (1, 1), ((1, 1), (1, 1)), (1, 1)))
    builder.add(Rectifier())
    if pool == "max":
        index = np.arange(4 * 144).reshape(4, 6, 2, 6, 2).transpose(0, 1, 3, 2, 4).reshape(4, 6, 6, 4)
        builder.add(Max(index))
    else:
        builder.add(WindowSum(1, tuple(range(0, 12, 2)), tuple(range(2, 14, 2))))
        builder.add(WindowSum(2, tuple(range(0, 12, 2)), tuple(range(2, 14, 2))))
        builder.add(Scale(np.array(0.25)))
    builder.add(Conv(rng.normal(size=(3, 4, 3, 3)) / 6, rng.normal(size=3) / 4, (2, 2), ((1, 1), (1, 1)), (1, 1)))
    builder.add(Rectifier())
    builder.add(Reshape((27,)))
    builder.add(Linear(rng.normal(size=(5, 27)) / 5))
    return builder.build()


@pytest.mark.parametrize("pool", ["max", "average"])
def test_a_convolutional_network_agrees_with_its_own_forward_pass(pool: str, monkeypatch: pytest.MonkeyPatch) -> None:
    network = picture_network(pool)
    a, b = np.random.default_rng(2).uniform(size=(2, 144))
    cx = decompose(network, Segment(a, b))
    assert cx.n_cells > 50
    for cell in list(cx.cells)[:: cx.n_cells // 10]:
        x = a + cell.center[0] * (b - a)
        assert all(np.array_equal(p, q) for p, q in zip(cell.pattern, network.pattern(x), strict=True))
    np.testing.assert_allclose(cx.outputs, network(cx.points.reshape(-1, 1, 12, 12)), atol=1e-9)
    monkeypatch.setattr(_line, "CHUNK_ENTRIES", 5000)
    assert_same(decompose(network, Segment(a, b)), cx)


def test_questions_about_units_that_do_not_exist_are_refused() -> None:
    cx = decompose(he((2, 3, 1)), Segment([0.0, 0.0], [1.0, 1.0]))
    for unit in ((1,), (-1,), (0, 3), (None, 0)):
        with pytest.raises(InvalidInput, match=r"there is no|without its layer"):
            cx.folds(*unit)
    with pytest.raises(InvalidInput, match="there is no cell"):
        cx.neighbors(cx.n_cells)


def test_neighbors_along_a_line() -> None:
    cx = decompose(he((2, 6, 1)), Segment([-3.0, -3.0], [3.0, 2.5]))
    assert cx.n_cells > 2
    assert cx.neighbors(0) == [1]
    assert cx.neighbors(1) == [0, 2]
    assert cx.neighbors(-1) == [cx.n_cells - 2]
    assert len(cx.folds()) == cx.n_cells - 1


def test_a_linear_layer_may_act_on_the_rows_of_a_matrix() -> None:
    rng = np.random.default_rng(5)
    b = Builder((6,))
    b.add(Linear(rng.normal(size=(12, 6)), rng.normal(size=12)))
    b.add(Reshape((3, 4)))
    b.add(Rectifier())
    b.add(Linear(rng.normal(size=(5, 4)), rng.normal(size=5)))
    b.add(Rectifier())
    b.add(Reshape((15,)))
    b.add(Linear(rng.normal(size=(2, 15)), rng.normal(size=2)))
    net, segment = b.build(), Segment(3 * rng.normal(size=6), 3 * rng.normal(size=6))
    cx = decompose(net, segment)
    assert cx.n_cells > 5
    for t, y in zip(cx.vertices[:, 0], cx.outputs, strict=True):
        np.testing.assert_allclose(net(segment.chart.to_input(np.array([[t]])))[0], y, atol=1e-12)
    halves = (cx.vertices[1:, 0] + cx.vertices[:-1, 0]) / 2
    states = {
        tuple(np.concatenate([p.reshape(-1) for p in net.pattern(segment.chart.to_input(np.array([[t]])))])) for t in halves
    }
    assert len(states) == cx.n_cells
