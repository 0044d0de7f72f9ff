"""Planes tile by tile: the same cells and the same curves as the complex in one piece, in bounded memory."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from plica.errors import BudgetExceeded, InvalidDomain, InvalidInput
from plica.geometry import (
    Box,
    Budget,
    Domain,
    Plane,
    Segment,
    count_regions,
    decision_boundary,
    decompose,
    level_set,
)
from plica.geometry._budget import Meter, watched
from plica.geometry._curves import Curves
from plica.geometry._levels import decision_ops, level_ops
from plica.geometry.domains._tile import Tile
from plica.geometry.tiles import _curves, _restriction, _stream
from plica.geometry.tiles._curves import _Crossing, _mixed_up
from plica.geometry.tiles._restriction import TooManyNeurons, restricted
from plica.geometry.tiles._tile_walk import TileCells
from plica.geometry.values._equal_entries import without_equal_entries
from plica.geometry.values._rescaling import rescaled
from plica.geometry.values._sliced import sliced_linear
from plica.geometry.values._tensors import Tensor
from plica.network import Add, Builder, Clip, Concat, Conv, Linear, Max, Network, Rectifier, Reshape, extended, random_network
from plica.testing import FAMILIES, draw_network


@pytest.fixture(autouse=True)
def quiet() -> Any:
    with np.errstate(all="ignore"):
        yield


def plane_of(network: Network, seed: int) -> Domain:
    if network.n_inputs == 2:
        return Box([-1, -1], [1, 1])
    rng = np.random.default_rng(seed)
    corners = ((-1, -1), (1, -1), (1, 1), (-1, 1))
    return Plane(rng.normal(size=network.n_inputs) / 10, [*rng.normal(size=(2, network.n_inputs))], window=corners)


def convolutional(seed: int, *, pool: bool, inputs: int = 64) -> Network:
    """A small convolutional network with a skip connection, on images of 8 x 8."""
    rng = np.random.default_rng(seed)
    b = Builder(inputs)
    x = b.add(Reshape((1, 8, 8)))
    x = b.add(Conv(rng.normal(size=(3, 1, 3, 3)), rng.normal(size=3) / 3, (1, 1), ((1, 1), (1, 1)), (1, 1)), x)
    x = b.add(Rectifier(), x)
    y = b.add(Conv(rng.normal(size=(3, 3, 3, 3)) / 4, rng.normal(size=3) / 3, (1, 1), ((1, 1), (1, 1)), (1, 1)), x)
    x = b.add(Rectifier(np.array(0.125)), b.add(Add(), x, y))
    if pool:
        i = np.arange(192).reshape(3, 4, 2, 4, 2).transpose(0, 1, 3, 2, 4).reshape(3, 4, 4, 4)
        x = b.add(Max(i), x)
    x = b.add(Reshape((48 if pool else 192,)), x)
    x = b.add(Clip(-1.0, 1.0), b.add(Linear(rng.normal(size=(9, 48 if pool else 192)) / 8, rng.normal(size=9) / 4), x))
    return b.build(b.add(Linear(rng.normal(size=(4, 9)), rng.normal(size=4) / 4), x))


def tiled_count(network: Network, domain: Domain, monkeypatch: pytest.MonkeyPatch, *, most: int) -> int | None:
    """The number of cells from tiles; None where every division coincides with a fold, or numbers are extreme."""
    inner = without_equal_entries(network, domain)
    if any(rescaled(inner, domain)[1]):
        return None
    monkeypatch.setitem(_stream.finished_tiles.__kwdefaults__, "most", most)
    monkeypatch.setattr(_stream, "_MOST_BITS", 6)
    try:
        return _stream.count_in_tiles(inner, domain, Meter(Budget(), len(network.layers))).n_cells
    except _stream.Coincidence:
        return None


@pytest.mark.parametrize("family", FAMILIES)
def test_tiles_count_the_cells_of_the_plane(family: str, monkeypatch: pytest.MonkeyPatch) -> None:
    network = draw_network(family, seed=1)
    if network.n_inputs < 2:
        pytest.skip("a network on a line has no plane")
    domain = plane_of(network, 1)
    n_cells = decompose(network, domain).n_cells
    for most in (4, 12):
        assert tiled_count(network, domain, monkeypatch, most=most) in (n_cells, None)


@pytest.mark.parametrize("pool", [False, True])
@pytest.mark.parametrize("seed", [0, 1])
def test_tiles_of_convolutional_networks_count_the_cells(seed: int, pool: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    network = convolutional(seed, pool=pool)
    rng = np.random.default_rng(seed)
    domain = Plane.through(*(rng.uniform(size=64) * (rng.uniform(size=64) < 0.5) for _ in range(3)))
    n_cells = decompose(network, domain).n_cells
    assert n_cells > 1000
    for most in (40, 200):
        assert tiled_count(network, domain, monkeypatch, most=most) == n_cells


@pytest.mark.parametrize("family", ["average pool", "residual", "max-pool", "channel slopes", "leaky"])
def test_extended_precision_counts_the_same_cells(family: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_restriction, "needs_digits", lambda network: True)
    for seed in range(3):
        network = draw_network(family, seed=seed)
        domain = plane_of(network, seed)
        assert tiled_count(network, domain, monkeypatch, most=8) in (decompose(network, domain).n_cells, None)


def test_sliced_products_are_products_in_extended_precision() -> None:
    rng = np.random.default_rng(0)
    net = convolutional(0, pool=False)
    for index, node in enumerate(net.nodes):
        if not isinstance(node.op, (Conv, Linear)):
            continue
        shape = net.nodes[node.inputs[0]].shape
        x = (rng.normal(size=(3, *shape)) * 10.0 ** rng.integers(-8, 3, size=(3, *shape))).astype(np.longdouble)
        x += x * rng.normal(size=x.shape) * 2.0**-58
        y = sliced_linear(net, index, [x])
        columns, weight = x.reshape(3, -1), node.op.coefficients
        true = [[sum(Fraction(*map(int, a.as_integer_ratio())) * Fraction(float(b)) for a, b in zip(row, w, strict=True) if b)
                 for w in node.op.matrix(shape).toarray()[:5]] for row in columns]  # fmt: skip
        assert weight is not None
        for row, exact, given in zip(y.reshape(3, -1), true, columns, strict=True):
            size = float(np.linalg.norm(given.astype(float)))
            bound = Fraction(float(np.abs(weight).sum()) * size) / 2**61
            for a, b in zip(row, exact, strict=False):
                assert abs(Fraction(*map(int, a.as_integer_ratio())) - b) <= bound


def test_a_fold_along_a_division_is_noticed() -> None:
    """The first division of the square is put on the fold u = c of the only neuron."""
    low, _ = Tile.of(Box([-1, -1], [1, 1])).divided(0)
    at = float(low.window[:, 0].max())
    net = Network.sequential(2, [Linear(np.array([[1.0, 0.0]]), np.array([-at])), Rectifier(), Linear(np.ones((1, 1)))])
    tile = _stream.TileWalker(net, low, restricted(net, low)).run()
    with pytest.raises(_stream.Coincidence):
        _stream.check_divisions(tile)


def test_bounds_of_a_tile_hold_at_its_points() -> None:
    network, rng = convolutional(2, pool=True), np.random.default_rng(0)
    plane = Plane.through(*rng.uniform(size=(3, 64)))
    tile = Tile.of(plane)
    for number in range(6):
        tile = tile.divided(number)[number % 2]
        program = restricted(network, tile)
        weights = rng.dirichlet(np.ones(len(tile.window)), size=200)
        values = np.array([network(x) for x in plane.to_input(weights @ tile.window)])
        assert (values >= program.output_low - 1e-12).all() and (values <= program.output_high + 1e-12).all()
    with pytest.raises(TooManyNeurons):
        restricted(network, Tile.of(plane), most=3)


def segments_in_tiles(network: Network, domain: Domain, ops: Any, most: int, monkeypatch: pytest.MonkeyPatch) -> Curves | None:
    asked = without_equal_entries(extended(network, ops), domain)
    if any(rescaled(asked, domain)[1]):
        return None
    monkeypatch.setattr(_curves, "MOST_OPEN", most)
    monkeypatch.setattr(_stream, "_MOST_BITS", 6)
    try:
        return _curves.follow_curves(asked, domain, Meter(Budget(), len(asked.layers)))
    except _stream.Coincidence:
        return None


def covered(segments: Any, others: Any) -> Any:
    """How far the ends and the middles of segments are from the nearest of the others."""
    points = np.concatenate([segments[:, 0], segments[:, 1], segments.mean(axis=1)])
    a, along = others[:, 0], others[:, 1] - others[:, 0]
    square = np.maximum((along * along).sum(axis=1), 1e-300)
    t = np.clip(np.einsum("ijk,jk->ij", points[:, None] - a, along) / square, 0, 1)
    return np.linalg.norm(points[:, None] - (a + t[..., None] * along), axis=2).min(axis=1)


@pytest.mark.parametrize("family", FAMILIES)
def test_curves_are_those_of_the_complex(family: str, monkeypatch: pytest.MonkeyPatch) -> None:
    network = draw_network(family, seed=2)
    if network.n_inputs < 2:
        pytest.skip("a network on a line has no plane")
    domain = plane_of(network, 2)
    cx: Any = decompose(network, domain)
    middle = float(np.median(cx.outputs[:, 0])) + 1e-3
    if not np.isfinite(middle):
        pytest.skip("the outputs are beyond the floats")
    questions = [(level_ops(network, middle, 0), cx.level_set(middle)), (decision_ops(network, None), cx.decision_boundary())]
    for ops, segments in questions:
        curves = segments_in_tiles(network, domain, ops, 6, monkeypatch)
        if curves is None:
            continue
        found = curves.segments
        assert bool(len(found)) == bool(len(segments))
        if len(found):
            assert covered(found, segments).max() < 1e-6 and covered(segments, found).max() < 1e-6
            lengths = [np.linalg.norm(s[:, 1] - s[:, 0], axis=1).sum() for s in (found, segments)]
            assert lengths[0] == pytest.approx(lengths[1], rel=1e-6)


def test_the_boundary_of_an_absolute_value_is_two_polylines_closed_by_the_window() -> None:
    net = Network.sequential(
        2, [Linear(np.array([[1.0, 0.0], [-1.0, 0.0]])), Rectifier(), Linear(np.ones((1, 2)), np.array([-0.5]))]
    )
    curves = decision_boundary(net, Box([-1, -1], [1, 1]))
    assert sorted(round(float(p[0, 0]), 12) for p in curves.polylines) == [-0.5, 0.5]
    assert curves.length == pytest.approx(4.0)


def test_a_closed_curve_is_one_closed_polyline() -> None:
    net = Network.sequential(
        2,
        [Linear(np.array([[1.0, 0], [-1, 0], [0, 1], [0, -1]])), Rectifier(), Linear(np.ones((1, 4)), np.array([-0.5]))],
    )
    (diamond,) = level_set(net, Box([-1, -1], [1, 1])).polylines
    assert np.array_equal(diamond[0], diamond[-1])
    assert level_set(net, Box([-1, -1], [1, 1])).length == pytest.approx(4 * np.sqrt(0.5))


def test_where_nothing_is_all_of_the_window_is_proved_free() -> None:
    net = random_network([2, 20, 20, 1], seed=0)
    curves = level_set(net, Box([-1, -1], [1, 1]), value=1e6)
    assert curves.polylines == () and curves.skipped == 1.0 and curves.n_tiles == 0 and curves.n_skipped == 1


def test_curves_keep_the_budget_and_refuse_lines() -> None:
    net = random_network([2, 40, 40, 2], seed=0)
    with pytest.raises(BudgetExceeded, match="max_cells"):
        decision_boundary(net, Box([-1, -1], [1, 1]), budget=Budget(max_cells=5))
    with pytest.raises(BudgetExceeded, match="max_seconds"):
        decision_boundary(net, Box([-1, -1], [1, 1]), budget=Budget(max_seconds=1e-9))
    with pytest.raises(InvalidDomain, match="parts of planes"):
        decision_boundary(net, Segment([-1.0, -1.0], [1.0, 1.0]))


def test_wide_networks_are_counted_in_tiles_within_the_budget() -> None:
    rng = np.random.default_rng(0)
    net = Network.sequential(
        3, [Linear(rng.normal(size=(1100, 3)), 8 * rng.normal(size=1100)), Rectifier(), Linear(rng.normal(size=(1, 1100)))]
    )
    plane = Plane([0, 0, 0], [[1, 0, 0], [0, 1, 1]])
    told: list[dict[str, Any]] = []
    count = count_regions(net, plane, cells_only=True, progress=told.append)
    assert count.n_cells == decompose(net, plane).n_cells
    assert "position" in told[-1]
    with pytest.raises(BudgetExceeded, match="max_cells"):
        count_regions(net, plane, cells_only=True, budget=Budget(max_cells=100))


def test_tiles_are_exact_parts_of_the_window() -> None:
    whole = Tile.of(Plane.through([0.0, 0.0], [1.0, 0.0], [0.0, 1.0]))
    parts = [whole]
    for number in range(6):
        parts = [half for tile in parts for half in tile.divided(number)]
    assert sum((tile.exact_size() for tile in parts), Fraction(0)) == Fraction(1, 2)


def test_the_budget_is_asked_for_memory_before_it_is_taken() -> None:
    net = convolutional(0, pool=False)
    rng = np.random.default_rng(0)
    with pytest.raises(BudgetExceeded, match="max_bytes"), watched(Meter(Budget(max_bytes=1000), 1)):
        restricted(net, Tile.of(Plane.through(*rng.uniform(size=(3, 64)))))


@pytest.mark.parametrize("is_large", [True, False])
def test_a_budget_leaves_the_curves_so_far_and_the_tiles_that_are_open(is_large: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    network, box = random_network([2, 40, 40, 3], seed=1, weights="he-normal", bias_std=0.1), Box([-1, -1], [1, 1])
    monkeypatch.setattr(_curves, "shared_neurons", lambda _: int(is_large))
    monkeypatch.setattr(_curves, "MOST_OPEN", 20)
    whole = decision_boundary(network, box)
    with pytest.raises(BudgetExceeded) as caught:
        decision_boundary(network, box, budget=Budget(max_cells=150))
    found = caught.value.partial["curves"]
    assert found.open_tiles and not whole.open_tiles and "tiles open" in repr(found)
    assert 0 < found.length < whole.length
    known = {tuple(np.sort(s.round(9), axis=0).ravel()) for s in found.segments}
    every = {tuple(np.sort(s.round(9), axis=0).ravel()) for s in whole.segments}
    middles = whole.segments.mean(axis=1)
    is_open = np.zeros(len(middles), np.bool_)
    for corners in found.open_tiles:
        along, off = np.roll(corners, -1, axis=0) - corners, middles[:, None] - corners
        is_open |= (along[:, 0] * off[..., 1] - along[:, 1] * off[..., 0] >= 0.0).all(axis=1)
    assert known <= every and 0 < is_open.sum() < len(middles)
    closed = {tuple(np.sort(s.round(9), axis=0).ravel()) for s in whole.segments[~is_open]}
    assert closed == known


def as_set(segments: Any) -> set[tuple[float, ...]]:
    return {tuple(np.sort(s.round(9), axis=0).ravel()) for s in segments}


def test_curves_between_samples_are_followed_to_their_ends_and_others_are_not(monkeypatch: pytest.MonkeyPatch) -> None:
    """Two diamonds: samples two thirds apart see the large one and step over the small one, which is where nobody looked."""
    sides = np.array([[1.0, 1.0], [1.0, -1.0], [-1.0, 1.0], [-1.0, -1.0]])
    near, far = np.array([-0.1, 0.1]), np.array([0.8, 0.8])
    b = Builder(2)
    large, small = (b.add(Linear(sides, -sides @ center), 0) for center in (near, far))
    heights = [b.add(Max(np.arange(4)[None]), node) for node in (large, small)]
    left = [b.add(Linear(-np.ones((1, 1)), np.array([size])), node) for size, node in zip((0.6, 0.15), heights, strict=True)]
    together = b.add(Max(np.array([[0, 1]])), b.add(Concat(0), *left))
    net, box = b.build(together), Box([-1, -1], [1, 1])
    monkeypatch.setattr(_curves, "MOST_OPEN", 2)
    every = level_set(net, box)
    assert every.length == pytest.approx(4 * np.sqrt(2) * 0.75)
    found = level_set(net, box, samples=4)
    assert found.length == pytest.approx(4 * np.sqrt(2) * 0.6)
    (diamond,) = found.polylines
    assert np.array_equal(diamond[0], diamond[-1])
    assert as_set(found.segments) < as_set(every.segments)
    middles = every.segments.mean(axis=1)
    missing = middles[[tuple(np.sort(s.round(9), axis=0).ravel()) not in as_set(found.segments) for s in every.segments]]
    for middle in missing:  # may be in tiles that are open, and nowhere else
        turns = [np.roll(c, -1, axis=0) - c for c in found.open_tiles]
        offs = [middle - c for c in found.open_tiles]
        assert any((t[:, 0] * o[:, 1] - t[:, 1] * o[:, 0] >= 0.0).all() for t, o in zip(turns, offs, strict=True))
    assert level_set(net, box, samples=60).length == pytest.approx(every.length)


@pytest.mark.parametrize("seed", [0, 1, 3])
def test_curves_between_samples_are_curves_of_the_boundary(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    network, box = random_network([2, 40, 40, 3], seed=seed, weights="he-normal", bias_std=0.1), Box([-1, -1], [1, 1])
    monkeypatch.setattr(_curves, "MOST_OPEN", 20)
    every, some = decision_boundary(network, box), decision_boundary(network, box, samples=5)
    assert as_set(some.segments) <= as_set(every.segments) and some.length > 0.0
    ends = [tuple(line[k].round(9)) for line in some.polylines for k in (0, -1) if not np.array_equal(line[0], line[-1])]
    inside = [e for e in set(ends) if max(map(abs, e)) < 1 - 1e-9]
    assert all(ends.count(e) >= 3 for e in inside)  # where three classes meet, and nowhere else


def test_samples_lie_on_both_sides_of_a_curve() -> None:
    network, box = random_network([2, 40, 40, 1], seed=1, weights="he-normal", bias_std=0.1), Box([-1, -1], [1, 1])
    asked = extended(network, decision_ops(network, None))
    points = _curves.Ahead(asked, box, _curves._Collected(2.0), 7, most=None)._points
    first, second = np.split(points, 2)
    assert len(first) > 3 and np.abs(first - second).max() < 1e-4
    assert ((network(first) > 0) != (network(second) > 0)).all()


@pytest.mark.parametrize("axis", [0, 1])
def test_samples_are_compared_along_both_axes(axis: int) -> None:
    row = np.eye(2)[axis : axis + 1]
    net = Network.sequential(2, [Linear(np.concatenate([row, -row])), Rectifier(), Linear(np.array([[1.0, -1.0]]))])
    curves = level_set(net, Box([-1, -1], [1, 1]), value=0.3, samples=4)
    assert curves.length == pytest.approx(2.0)
    assert np.allclose(curves.segments[:, :, axis], 0.3)


def test_without_a_curve_between_samples_nothing_is_said() -> None:
    net, box = random_network([2, 20, 20, 1], seed=0), Box([-1, -1], [1, 1])
    curves = level_set(net, box, value=1e6, samples=3)
    assert curves.polylines == () and curves.skipped == 0.0 and len(curves.open_tiles) == 1
    for wrong in (1, 2.5, 10**6):
        with pytest.raises(InvalidInput, match="whole number from 2"):
            level_set(net, box, samples=wrong)  # type: ignore[arg-type]


@pytest.mark.parametrize("most", [0.9e-6, 0.1])
def test_points_that_bounds_know_badly_are_still_joined_across_divisions(most: float, monkeypatch: pytest.MonkeyPatch) -> None:
    """Positions off by as much as their bounds say: both sides of a division mean the same points, in the same order."""
    network, box = random_network([2, 40, 40, 3], seed=1, weights="he-normal", bias_std=0.1), Box([-1, -1], [1, 1])
    monkeypatch.setattr(_curves, "MOST_OPEN", 20)
    every, some = decision_boundary(network, box), decision_boundary(network, box, samples=12)
    rng, real = np.random.default_rng(0), TileCells.positions_anew

    def badly(done: TileCells, vertices: Any) -> Tensor:
        x = real(done, vertices)
        off = most * rng.uniform(-1, 1, size=x.values.shape) / np.sqrt(2)
        return Tensor(x.values + off, x.error + most)

    monkeypatch.setattr(TileCells, "positions_anew", badly)
    for one, other in ((every, decision_boundary(network, box)), (some, decision_boundary(network, box, samples=12))):
        assert len(one.polylines) == len(other.polylines) and len(one.segments) == len(other.segments)
        assert one.length == pytest.approx(other.length, rel=1e-3)
        assert covered(one.segments, other.segments).max() < 1e-5


@pytest.mark.parametrize(("half", "known", "samples"), [(1e-7, 0.9e-6, None), (1e-7, 0.9e-6, 21), (1e-12, 0.9e-8, None)])
def test_two_curves_nearer_than_bounds_tell_apart_do_not_change_places(
    half: float, known: float, samples: int | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    """|x - 0.3| is small, with folds across: divisions cross both lines, and their points are computed anew, in order."""
    rows = np.concatenate([[[1.0, 0.0], [-1.0, 0.0]], np.repeat([[0.0, 1.0]], 12, axis=0)])
    across = np.linspace(-0.9, 0.8, 12)
    wanted = np.concatenate([np.ones(2), np.zeros(11), [half * 1e-5]])[None]
    layers = [Linear(rows, np.concatenate([[-0.3, 0.3], -across])), Rectifier(), Linear(wanted, np.array([-half]))]
    net, box = Network.sequential(2, layers), Box([-1, -1], [1, 1])
    rng, real = np.random.default_rng(0), TileCells.positions_anew

    def badly(done: TileCells, vertices: Any) -> Tensor:
        """What is known of points on divisions is worse by more than the lines are apart."""
        x, names = real(done, vertices), done.mesh.vertex_hyperplanes[vertices]
        off = known * ((names[:, 0] < 0) | (names[:, 3] < 0))
        return Tensor(x.values + off[:, None] * rng.uniform(-1, 1, size=x.values.shape) / np.sqrt(2), x.error + off)

    monkeypatch.setattr(_curves, "MOST_OPEN", 3)
    monkeypatch.setattr(TileCells, "positions_anew", badly)
    curves = level_set(net, box, samples=samples)  # of 21 points in each row one is between the lines
    assert curves.n_tiles > 2 and len(curves.polylines) == 2
    on_folds = [line[np.abs(line[:, 1:] - across).min(axis=1) < 1e-7, 0] for line in curves.polylines]
    left, right = sorted(on_folds, key=lambda x: float(x[0]))
    assert min(len(left), len(right)) >= 12
    assert np.abs(left - (0.3 - half)).max() < half / 100 and np.abs(right - (0.3 + half)).max() < half / 100


def test_what_is_said_of_points_on_divisions_holds(monkeypatch: pytest.MonkeyPatch) -> None:
    """On x = 0.3 + y / 8: coordinates within their errors of the line, and none is known worse than it was computed anew."""
    layers = [Linear(np.concatenate([[[1.0, -0.125]], np.eye(2)])), Rectifier(), Linear(np.array([[1.0, 1e-12, 1e-12]]))]
    net, box = Network.sequential(2, layers), Box([-1, -1], [1, 1])
    rng, real = np.random.default_rng(0), TileCells.positions_anew
    collected: list[Any] = []

    def badly(done: TileCells, vertices: Any) -> Tensor:
        x = real(done, vertices)
        off = 0.1 * rng.uniform(-1, 1, size=x.values.shape) / np.sqrt(2)
        return Tensor(x.values + off, x.error + 0.1)

    class Watched(_curves._Collected):
        def add(self, done: TileCells) -> None:
            super().add(done)
            collected.append(self)

    monkeypatch.setattr(_curves, "MOST_OPEN", 1)
    monkeypatch.setattr(_stream, "_MOST_BITS", 5)
    monkeypatch.setattr(TileCells, "positions_anew", badly)
    monkeypatch.setattr(_curves, "_Collected", Watched)
    assert level_set(net, box, value=0.3).length == pytest.approx(2 * np.hypot(1, 0.125), rel=1e-5)
    seen = [x for crossings in collected[-1].on_divisions.values() for x in crossings]
    places = np.concatenate(collected[-1].points)
    assert len(seen) >= 4
    for x in seen:
        u, v = places[x.point]
        assert x.at in (u, v) and x.error < 2.1e-6 and abs(u - 0.3 - v / 8) <= 2 * x.error + 1e-11


def test_a_curve_that_ends_near_a_corner_enters_the_tiles_on_both_sides_of_it() -> None:
    """What is known of the end does not say in which of two tiles it goes on."""
    right = Tile.of(Box([-1, -1], [1, 1])).divided(0)[1]
    low, high = right.divided(1)
    corner = float(low.window[:, 1].max())

    class Ends:
        def __init__(self, *ends: tuple[int, float, float]) -> None:
            self._ends = ends

        def ends(self) -> Any:
            return iter(self._ends)

    network = random_network([2, 5, 1], seed=0)
    asked = extended(network, level_ops(network, 1e6, 0))
    for end, entered in (
        ((0, corner + 1e-9, 2e-9), [True, True]),
        ((0, corner - 1e-9, 2e-9), [True, True]),
        ((0, corner + 1e-9, 1e-10), [False, True]),
        ((0, corner - 1e-9, 1e-10), [True, False]),
        ((1, 0.5, 1e-10), [True, True]),
        ((2, 0.5, 1e-10), [False, False]),
    ):
        assert _curves.Ahead(asked, Box([-1, -1], [1, 1]), Ends(end)).first([low, high]) == entered


def test_points_in_the_wrong_order_on_a_division_are_computed_anew() -> None:
    assert _mixed_up(np.array([0.3, 0.1, 0.2]), np.array([0.04, 0.05, 0.04])).tolist() == []
    assert _mixed_up(np.array([0.3, 0.1, 0.2]), np.array([0.03, 0.05, 0.06])).tolist() == [1, 2]
    assert _mixed_up(np.array([0.3, 0.1, 0.2, 0.31]), np.array([0.04, 0.05, 0.06, 0.0])).tolist() == [0, 1, 2, 3]
    assert _mixed_up(np.array([0.3, 0.1, 0.2]), np.array([0.0, 0.2, 0.0])).tolist() == [0, 1, 2]  # not neighbors alone
    assert _mixed_up(np.array([0.3]), np.array([1.0])).tolist() == []
    one = _Crossing(0.5, 0.01, 0, True)
    assert one.may_be(_Crossing(0.515, 0.006, 1, False)) and not one.may_be(_Crossing(0.515, 0.004, 1, False))
    assert not one.may_be(_Crossing(0.5, 0.01, 1, True))
