"""Topology and dual graphs: against known shapes, a second way, grids of points, and networkx and gudhi."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

import plica
from plica.errors import InvalidInput
from plica.geometry import Box, Segment, Space, decompose
from plica.measure import class_topology, dual_graph, level_topology, union_topology
from plica.measure.cells._topology import betti_by_matrices
from plica.network import Linear, Max, Network, Rectifier

ABS = Rectifier(np.array(-1.0))


def diamond(d: int, radius: float) -> Network:
    """|x_1| + ... + |x_d| - radius."""
    return Network.sequential(d, [ABS, Linear(np.ones((1, d)), np.array([-radius]))])


def waves(d: int, width: float) -> Network:
    """||x|_1 - 1/2| - width: negative on a shell around a sphere."""
    return Network.sequential(
        d, [ABS, Linear(np.ones((1, d)), np.array([-0.5])), ABS, Linear(np.ones((1, 1)), np.array([-width]))]
    )


def torus() -> Network:
    """A square ring, thickened: max(| max(|x|, |y|) - 1/2 |, |z|) - 1/4."""
    from plica.network import Builder, Concat, Gather

    b = Builder(3)
    a = b.add(ABS, 0)
    flat = b.add(Max(np.array([[0, 1]])), b.add(Gather(np.array([0, 1])), a))
    ring = b.add(ABS, b.add(Linear(np.ones((1, 1)), np.array([-0.5])), flat))
    both = b.add(Concat(0), ring, b.add(Gather(np.array([2])), a))
    return b.build(b.add(Linear(np.ones((1, 1)), np.array([-0.25])), b.add(Max(np.array([[0, 1]])), both)))


@pytest.mark.parametrize("d", [2, 3, 4])
def test_a_shell_is_a_sphere(d: int) -> None:
    box = Box([-1] * d, [1] * d)
    sphere = [1] + [0] * d
    sphere[d - 1] += 1
    assert list(level_topology(waves(d, 0.125), box, 0.0).betti) == sphere
    assert list(class_topology(diamond(d, 0.5), box, 1).betti) == sphere  # outside a ball, inside a box
    assert list(class_topology(diamond(d, 0.5), box, 0).betti) == [1] + [0] * d


def test_a_thick_ring_is_a_torus_without_and_a_circle_with_its_inside() -> None:
    box = Box([-1] * 3, [1] * 3)
    assert level_topology(torus(), box, 0.0).betti == (1, 1, 0, 0)  # a solid torus is a circle
    assert level_topology(torus(), box, 0.0, above=True).betti == (1, 1, 1, 0)  # its complement: a loop through it, and around
    outer, inner = level_topology(torus(), box, 0.125), level_topology(torus(), box, -0.125)
    both = outer.complex
    shell = union_topology(both, outer.components >= 0)
    assert shell.betti == outer.betti == inner.betti == (1, 1, 0, 0)


def test_intervals_on_a_line_are_components() -> None:
    found = class_topology(waves(1, 0.25), Box([-1], [1]), 0)
    assert found.betti == (2, 0) and found.n_components == 2
    assert class_topology(waves(1, 0.25), Segment([-1], [1]), 1).betti == (3, 0)
    assert found.touches_border().tolist() == [False, False]


@pytest.mark.parametrize(("d", "widths"), [(2, (10, 8)), (3, (7, 6)), (4, (5, 3))])
@pytest.mark.parametrize("seed", range(4))
def test_duality_and_matrices_agree(d: int, widths: tuple[int, int], seed: int) -> None:
    cx = decompose(plica.random_network([d, *widths, 1], seed=seed), Box([-1] * d, [1] * d))
    chosen = np.random.default_rng(seed).random(cx.n_cells) < 0.4
    found = union_topology(cx, chosen)
    assert found.betti == betti_by_matrices(cx, chosen)
    assert found.euler == sum((-1) ** k * b for k, b in enumerate(found.betti))
    assert (found.components >= 0).tolist() == chosen.tolist()


@pytest.mark.parametrize("seed", range(3))
def test_degenerate_networks_are_no_exception(seed: int) -> None:
    rng = np.random.default_rng(seed)
    first = Linear(rng.integers(-1, 2, (6, 2)).astype(float), rng.integers(-1, 2, 6) / 2)
    second, last = (Linear(rng.integers(-1, 2, shape).astype(float)) for shape in ((4, 6), (1, 4)))
    net = Network.sequential(2, [first, Rectifier(), second, Rectifier(), last, Linear(np.ones((1, 1)), np.array([-0.25]))])
    for label in (0, 1):
        found = class_topology(net, Box([-1, -1], [1, 1]), label)
        chosen = found.components >= 0
        assert found.betti == betti_by_matrices(found.complex, chosen)


def test_components_are_those_of_a_fine_grid() -> None:
    from scipy.ndimage import label

    net = plica.random_network([2, 12, 12, 3], seed=11, weights="he-normal", bias_std=0.5)
    axis = np.linspace(-1, 1, 700)
    x = np.stack(np.meshgrid(axis, axis, indexing="ij"), axis=-1).reshape(-1, 2)
    best = net(x).argmax(axis=1).reshape(700, 700)
    for k in range(3):
        found = class_topology(net, Box([-1, -1], [1, 1]), k)
        big = [c for c in range(found.n_components) if found.complex.sizes()[found.components == c].sum() > 1e-3]
        labels, n = label(best == k)
        assert len(big) == sum((labels == i + 1).mean() * 4 > 1e-3 for i in range(n))


def test_bad_questions_are_refused() -> None:
    net = plica.random_network([2, 3, 1], seed=0)
    with pytest.raises(InvalidInput, match="no class 2"):
        class_topology(net, Box([0, 0], [1, 1]), 2)
    with pytest.raises(InvalidInput, match="no output"):
        level_topology(net, Box([0, 0], [1, 1]), 0.0, output=1)
    with pytest.raises(InvalidInput, match="finite"):
        level_topology(net, Box([0, 0], [1, 1]), np.inf)
    with pytest.raises(InvalidInput, match="bounded"):
        class_topology(net, Space(2), 1)  # type: ignore[arg-type]
    cx = decompose(net, Box([0, 0], [1, 1]))
    with pytest.raises(InvalidInput, match="cells"):
        union_topology(cx, [True] * (cx.n_cells + 1))


@pytest.mark.parametrize("d", [1, 2, 3])
def test_eccentricities_are_those_of_all_searches(d: int) -> None:
    cx = decompose(plica.random_network([d, 9, 6, 1], seed=d, bias_std=0.3), Box([-1] * d, [1] * d))
    graph = dual_graph(cx)
    table = np.stack([graph.distances(i) for i in range(graph.n_cells)])
    assert (table == table.T).all() and graph.diameter == table.max() and graph.radius == table.max(axis=1).min()
    assert table[graph.center].max() == graph.radius
    walk = graph.walk(0, graph.n_cells - 1)
    assert len(walk) == table[0, -1] + 1
    assert all(b in cx.neighbors(a) for a, b in itertools.pairwise(walk))
    assert graph.mean_degree <= 2 * d and graph.n_edges == cx.adjacency().nnz // 2


@pytest.mark.peer
def test_networkx_agrees_about_diameter_and_radius() -> None:
    networkx = pytest.importorskip("networkx")
    cx = decompose(plica.random_network([2, 14, 8, 1], seed=3), Box([-1, -1], [1, 1]))
    graph, theirs = dual_graph(cx), cx.to_networkx()
    plain = graph.to_networkx()
    assert set(plain) == set(theirs) and set(map(frozenset, plain.edges)) == set(map(frozenset, theirs.edges))
    assert graph.diameter == networkx.diameter(theirs) and graph.radius == networkx.radius(theirs)


@pytest.mark.peer
@pytest.mark.parametrize("d", [2, 3])
def test_gudhi_agrees_about_sublevel_sets(d: int) -> None:
    pytest.importorskip("gudhi")
    cx = decompose(plica.random_network([d, 8, 6, 1], seed=d), Box([-1] * d, [1] * d))
    tree = cx.to_gudhi()
    levels = np.quantile(cx.outputs[:, 0], [0.2, 0.5, 0.8]) + 1e-7
    for t in levels:
        below = tree.copy()
        below.prune_above_filtration(float(t))
        below.compute_persistence(homology_coeff_field=2, persistence_dim_max=True)
        theirs = below.betti_numbers()
        found = level_topology(cx.network, cx.domain, float(t)).betti
        assert list(found)[: len(theirs)] == theirs and not any(found[len(theirs) :])
