"""What holds for every complex in n dimensions: volumes, facets, interior points, slices."""

from __future__ import annotations

from fractions import Fraction
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from space_cases import euler, exact, patterns

from plica.geometry import Box, Plane, Segment, decompose
from plica.network import Network, random_network
from plica.testing import _reference as reference
from plica.testing._pointwise import Pointwise

NET = random_network([3, 10, 8, 2], seed=3, weights="he-normal", bias_std=0.5)
BOX = Box([-1.0, -0.5, -2.0], [1.0, 1.5, 1.0])


@pytest.fixture(scope="module")
def cx() -> Any:
    return decompose(NET, BOX)


def states_at(network: Network, point: tuple[Fraction, ...]) -> tuple[int, ...]:
    value, out = Pointwise(network).at(np.array(point, dtype=object)), []
    for index in network.layers:
        node = network.nodes[index]
        out += reference.states_at(node.op, value(node.inputs[0]))
    return tuple(out)


def test_exact_volumes_sum_to_the_volume_of_the_box(cx: Any) -> None:
    volumes = [cx.exact_size(i) for i in range(cx.n_cells)]
    assert min(volumes) > 0
    assert sum(volumes) == BOX.exact_size()
    np.testing.assert_allclose(cx.sizes(), [float(v) for v in volumes], rtol=1e-6, atol=1e-12)


def test_the_alternating_sum_of_faces_is_one(cx: Any) -> None:
    assert euler(cx) == 1


def test_every_inner_facet_lies_between_two_cells_and_every_other_on_the_border(cx: Any) -> None:
    inner = (cx.facet_cells >= 0).all(axis=1)
    assert (cx.facet_cells[:, 0] >= 0).all()
    assert (inner == (cx.facet_layer >= 0)).all()
    assert (cx.facet_cells[inner, 0] != cx.facet_cells[inner, 1]).all()
    table = np.array(list(patterns(cx)))
    left, right = (table[cx.facet_cells[inner, side]] for side in (0, 1))
    assert ((left != right).sum(axis=1) == 1).all()  # in general position one unit changes


def test_patterns_differ_and_are_the_network_s_own_at_exact_interior_points(cx: Any) -> None:
    found = patterns(cx)
    assert len(found) == cx.n_cells
    for key, i in found.items():
        point = cx.interior_point(i)
        assert states_at(NET, point) == key
        assert all(low < c < high for low, c, high in zip(exact(BOX.low), point, exact(BOX.high), strict=True))


def test_vertices_are_near_their_exact_positions_and_the_network_is_what_it_says_there(cx: Any) -> None:
    positions = np.array([[float(c) for c in cx.exact_vertex(v)] for v in range(len(cx.vertices))])
    np.testing.assert_allclose(cx.vertices, positions, atol=1e-9)
    np.testing.assert_allclose(cx.outputs, NET(positions), atol=1e-9)


def test_affine_maps_agree_on_common_vertices(cx: Any) -> None:
    for cell in cx.cells[:40]:
        A, c = cell.affine_map
        ids = cell.vertices
        np.testing.assert_allclose(cx.vertices[ids] @ A.T + c, cx.outputs[ids], atol=1e-9)


def test_neighbors_share_a_facet_and_are_symmetric(cx: Any) -> None:
    pairs = {tuple(sorted(p)) for p in cx.facet_cells.tolist() if min(p) >= 0}
    assert {(i, j) for i in range(cx.n_cells) for j in cx.neighbors(i) if i < j} == pairs


def test_cell_at_finds_the_cell_of_random_points(cx: Any) -> None:
    rng, found = np.random.default_rng(0), patterns(cx)
    for x in BOX.low + (BOX.high - BOX.low) * rng.random((30, 3)):
        assert cx.cell_at(x) == found[states_at(NET, exact(x))]


def test_folds_of_a_unit_are_the_facets_where_it_changes(cx: Any) -> None:
    table = np.array(list(patterns(cx)))
    inner = np.flatnonzero((cx.facet_cells >= 0).all(axis=1))
    for layer, neuron, column in ((0, 3, 3), (1, 5, 15)):
        changes = table[cx.facet_cells[inner, 0], column] != table[cx.facet_cells[inner, 1], column]
        assert cx.fold_facets(layer, neuron).tolist() == inner[changes].tolist()


def test_dead_output_makes_one_region_and_live_output_many(cx: Any) -> None:
    assert 1 < cx.n_regions <= cx.n_cells
    dead = random_network([3, 6, 1], seed=0, weights="he-normal", bias_std=0.5)
    dead.nodes[-1].op.weight[:] = 0.0  # type: ignore[attr-defined]
    assert decompose(dead, BOX).n_regions == 1


@pytest.mark.parametrize("tilt", [(0.0, 0.0, 0.1875), (0.25, -0.125, 0.0625), (-0.5, 0.25, 0.125)])
def test_a_plane_through_the_complex_has_the_cells_that_it_cuts(tilt: tuple[float, float, float]) -> None:
    """The plane z = a x + b y + c over the whole box: a cell is cut when it has exact vertices on both sides."""
    a, b, c = tilt
    box = Box([-1.0] * 3, [1.0] * 3)
    cx = decompose(NET, box)
    plane = decompose(NET, Plane([0, 0, c], [[1, 0, a], [0, 1, b]], window=((-1, -1), (1, -1), (1, 1), (-1, 1))))
    heights = [_height(cx.exact_vertex(v), a, b, c) for v in range(len(cx.vertices))]
    cut = {key for key, i in patterns(cx).items() if _is_cut([heights[v] for v in cx.cells[i].vertices])}
    assert set(patterns(plane)) == cut


def _height(x: tuple[Fraction, ...], a: float, b: float, c: float) -> Fraction:
    return x[2] - Fraction(a) * x[0] - Fraction(b) * x[1] - Fraction(c)


def _is_cut(values: list[Fraction]) -> bool:
    return min(values) < 0 < max(values)


def test_lines_through_the_complex_meet_its_cells_in_order() -> None:
    rng = np.random.default_rng(1)
    cx = decompose(random_network([4, 8, 6, 1], seed=5, weights="he-normal", bias_std=0.5), Box([-1.0] * 4, [1.0] * 4))
    for _ in range(5):
        a, b = rng.uniform(-1, 1, (2, 4))
        line = decompose(cx.network, Segment(a, b))
        t = line.vertices[:, 0]
        cells = [cx.cell_at(a + (b - a) * s) for s in (t[:-1] + t[1:]) / 2]
        assert [tuple(np.concatenate([s.reshape(-1) for s in cx.pattern(i)])) for i in cells] == [
            tuple(np.concatenate([s.reshape(-1) for s in line.pattern(i)])) for i in range(line.n_cells)
        ]
        assert all(j in cx.neighbors(i) for i, j in pairwise(cells))
