"""Programs of parts of a tile from the program of the tile: the same functions, the same neurons, the same cells."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from plica.geometry import Box, Budget, Plane, decompose
from plica.geometry._budget import Meter
from plica.geometry.domains._tile import Tile
from plica.geometry.tiles import _stream
from plica.geometry.tiles._candidates import Members, leads, possible_winners
from plica.geometry.tiles._narrowing import _Narrowing, narrowed
from plica.geometry.tiles._program import N_AFFINE, ContestStep, Program
from plica.geometry.tiles._restriction import TooManyNeurons, restricted
from plica.geometry.tiles._tile_walk import TileWalker
from plica.geometry.values._equal_entries import without_equal_entries
from plica.network import Add, Builder, Clip, Conv, Linear, Max, Network, Rectifier, Reshape

POOLS = [False, True]


@pytest.fixture(autouse=True)
def quiet() -> Any:
    with np.errstate(all="ignore"):
        yield


def network_of(seed: int, *, pool: bool) -> Network:
    """Convolutions, a skip connection, ReLUs and leaky ones, maxima that overlap, and clipped units, on images of 6 x 6."""
    rng = np.random.default_rng(seed)
    b = Builder(36)
    x = b.add(Reshape((1, 6, 6)))
    x = b.add(Conv(rng.normal(size=(3, 1, 3, 3)), rng.normal(size=3) / 3, (1, 1), ((1, 1), (1, 1)), (1, 1)), x)
    x = b.add(Rectifier(), x)
    if pool:  # windows of 2 x 2 at every place: an entry is in up to four
        i = np.arange(36).reshape(6, 6)
        windows = np.stack([i[:-1, :-1], i[:-1, 1:], i[1:, :-1], i[1:, 1:]], axis=-1)
        x = b.add(Max(np.stack([windows + 36 * k for k in range(3)])), x)
    y = b.add(Conv(rng.normal(size=(3, 3, 3, 3)) / 4, rng.normal(size=3) / 3, (1, 1), ((1, 1), (1, 1)), (1, 1)), x)
    x = b.add(Rectifier(np.array(0.125)), b.add(Add(), x, y))
    n = 75 if pool else 108
    x = b.add(Linear(rng.normal(size=(9, n)) / 8, rng.normal(size=9) / 4), b.add(Reshape((n,)), x))
    return b.build(b.add(Linear(rng.normal(size=(4, 9)), rng.normal(size=4) / 4), b.add(Clip(-1.0, 1.0), x)))


def plane(seed: int) -> Plane:
    rng = np.random.default_rng(seed)
    return Plane.through(*rng.normal(size=(3, 36)))


def open_units(step: Any) -> Any:
    """The neurons, or the groups of a maximum, that may switch."""
    return step.groups if isinstance(step, ContestStep) else step.neurons


def parts_of(tile: Tile, n: int) -> Tile:
    for number in range(n):
        tile = tile.divided(number)[number % 2]
    return tile


@pytest.mark.parametrize("pool", POOLS)
@pytest.mark.parametrize("seed", range(4))
def test_the_program_of_a_part_is_that_of_the_network_there(seed: int, pool: bool) -> None:
    network = network_of(seed, pool=pool)
    whole = Tile.of(plane(seed))
    base = restricted(network, whole)
    for n in (1, 3, 6):
        tile = parts_of(whole, n)
        direct, part = restricted(network, tile), narrowed(network, base, tile)
        assert part.n_extra <= base.n_extra
        for a, b in zip(direct.steps, part.steps, strict=True):
            assert np.array_equal(open_units(a), open_units(b))
            bounds = a.error[:, None] + b.error[:, None]
            assert (np.abs(a.columns - b.columns) <= bounds).all()  # both are near the truth, as near as they say
            assert b.error.max() < 1e-9
        assert (np.abs(direct.outputs - part.outputs) <= (direct.outputs_error + part.outputs_error)[:, None]).all()
        assert np.allclose(direct.output_low, part.output_low, atol=1e-9)


@pytest.mark.parametrize("pool", POOLS)
def test_bounds_of_a_part_hold_at_its_points_and_neurons_that_switch_are_kept(pool: bool) -> None:
    network, domain, rng = network_of(7, pool=pool), plane(7), np.random.default_rng(0)
    base, tile = restricted(network, Tile.of(domain)), parts_of(Tile.of(domain), 4)
    program = narrowed(network, base, tile)
    x = domain.to_input(rng.dirichlet(np.ones(len(tile.window)), size=300) @ tile.window)
    values = np.array([network(p) for p in x])
    assert (values >= program.output_low - 1e-12).all() and (values <= program.output_high + 1e-12).all()
    patterns = [network.pattern(p) for p in x]
    for step, *states in zip(program.steps, *patterns, strict=True):
        flat = np.stack(states).reshape(len(x), -1)
        switching = np.flatnonzero((flat != flat[0]).any(axis=0))
        assert set(switching) <= set(open_units(step))


@pytest.mark.parametrize("pool", POOLS)
def test_cells_of_a_part_are_those_of_the_plane(pool: bool) -> None:
    network, domain = network_of(3, pool=pool), plane(3)
    inner = without_equal_entries(network, domain)
    base, tile = restricted(inner, Tile.of(domain)), parts_of(Tile.of(domain), 3)
    direct = TileWalker(inner, tile, restricted(inner, tile)).run()
    part = TileWalker(inner, tile, narrowed(inner, base, tile)).run()
    assert part.n_cells == direct.n_cells > 10
    assert np.array_equal(part.mesh.edges, direct.mesh.edges)
    for a, b in zip(part.exact.layers, direct.exact.layers, strict=True):
        assert np.array_equal(a.rows(np.arange(len(a.parent))), b.rows(np.arange(len(b.parent))))


@pytest.mark.parametrize("seed", range(3))
def test_a_plane_counted_by_shared_programs_has_its_cells(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    network, domain = network_of(seed, pool=True), plane(seed)
    inner = without_equal_entries(network, domain)
    monkeypatch.setattr(_stream, "shared_neurons", lambda network: 120)
    monkeypatch.setitem(_stream.finished_tiles.__kwdefaults__, "most", 25)
    seen = []
    monkeypatch.setattr(_stream, "narrowed", lambda *args, **options: seen.append(args) or narrowed(*args, **options))
    count = _stream.count_in_tiles(inner, domain, Meter(Budget(), len(network.layers)))
    assert seen and count.n_cells == decompose(network, domain).n_cells


def test_too_many_neurons_are_noticed_on_the_way() -> None:
    network, whole = network_of(0, pool=True), Tile.of(plane(0))
    with pytest.raises(TooManyNeurons):
        narrowed(network, restricted(network, whole), parts_of(whole, 1), most=3)


exact = np.vectorize(lambda x: Fraction(float(x)), otypes=[object])


def row_norms(miss: Any) -> Any:
    """The 2-norms of rows of fractions."""
    return np.array([float(sum(x * x for x in row)) ** 0.5 for row in miss])


def canceling(seed: int) -> Network:
    """A second layer that takes large sums from each other; in the upper right of the square every neuron is active."""
    rng = np.random.default_rng(seed)
    large = 1e7 * rng.uniform(0.5, 1.0, (3, 2))
    first = np.vstack([large, large.sum(axis=0), np.eye(2)])
    second = np.hstack([np.tile([1.0, 1.0, 1.0, -1.0], (4, 1)), rng.uniform(0.2, 0.4, (4, 2))])
    ops = [Linear(first, 0.9 * first.sum(axis=1)), Rectifier(), Linear(second, -0.3 * second[:, 4:].sum(axis=1)), Rectifier()]
    return Network.sequential(2, [*ops, Linear(rng.normal(size=(3, 4)), rng.normal(size=3))])


def in_the_corner(network: Network) -> tuple[_Narrowing, list[Any]]:
    """The narrowing to a tile in the upper right, step by step, and there the pre-activations of each layer in fractions."""
    whole = Tile.of(Box([-1, -1], [1, 1]))
    base, tile = restricted(network, whole), whole
    for n in range(4):
        tile = max(tile.divided(n), key=lambda part: float(part.window.sum()))
    work = _Narrowing(network, base, tile, None)
    for step in base.steps:
        work.cut(step)
    scale, center = exact(work.program.scale), exact(work.program.center)
    rows = np.array([[scale[0], 0, center[0]], [0, scale[1], center[1]], [0, 0, 1]], dtype=object)
    layers = []
    for op in (node.op for node in network.nodes if isinstance(node.op, Linear)):
        lower = exact(op.dense) @ rows[:-1]
        lower[:, -1] += exact(op.offset)
        rows = np.vstack([lower, np.array([[0, 0, 1]], dtype=object)])
        layers.append(lower)
    return work, layers


@pytest.mark.parametrize("seed", range(4))
def test_rows_of_variables_are_as_near_the_truth_as_is_said(seed: int) -> None:
    work, layers = in_the_corner(canceling(seed))
    assert work.n_new == 0 < work.n_done  # no neuron switches here
    first = 0
    true = []
    for step, z in zip(work.base.steps, layers, strict=False):
        true.append((1 - exact(step.slope))[:, None] * z[step.neurons])  # every neuron is active: e = z - slope z
        first += len(step.neurons)
    miss = exact(work.affine[:first]) - np.vstack(true)
    off = row_norms(miss.T)
    assert (off <= work.error).all() and off.max() > 0.0
    assert work.error.max() < 1.0  # of numbers of ten million


@pytest.mark.parametrize("seed", range(4))
def test_outputs_of_a_part_are_as_near_the_truth_as_is_said(seed: int) -> None:
    network = canceling(seed)
    work, layers = in_the_corner(network)
    y, error = work.on_part(work.base.outputs, work.base.outputs_error)
    off = row_norms(exact(y) - layers[-1].T)
    assert (off <= error).all() and off.max() > 0.0


@pytest.mark.parametrize("seed", range(4))
def test_products_with_rows_that_are_exact_have_the_error_of_rounding(seed: int) -> None:
    rng = np.random.default_rng(seed)
    network = network_of(seed, pool=False)
    whole = Tile.of(plane(seed))
    work = _Narrowing(network, restricted(network, whole), parts_of(whole, 3), None)
    for step in work.base.steps:
        work.cut(step)
    work.error[:] = 0.0
    columns = np.vstack([rng.normal(size=(work.n_done, 3)), np.zeros((N_AFFINE, 3))])
    y, error = work.on_part(columns, np.zeros(len(columns)))
    rows = exact(np.hstack([work.extra[: work.n_done, : work.n_new], work.affine[: work.n_done]]))
    off = row_norms(exact(y) - rows.T @ exact(columns[: work.n_done]))
    assert (off <= error).all() and off.max() > 0.0
    assert (error < 1e-11).all()


def test_members_that_lead_within_the_error_may_win() -> None:
    """Columns are known up to an error: whoever wins for some columns within it may win, and by so much."""
    program = Program.on(Tile.of(Box([-1, -1], [1, 1])))
    rng = np.random.default_rng(2)
    entries, allowed = np.arange(40).reshape(20, 2), np.ones((20, 2), np.bool_)
    live, origin = np.ones(40, np.bool_), np.zeros(40, np.int64)
    columns = rng.normal(size=(3, 40))
    size = 1e-3
    gap = rng.uniform(0.8, 0.999, 20) * 2**0.5 * size  # the second is this far below the first, as far as is known,
    columns[:, 1::2] = columns[:, ::2]
    columns[2, 1::2] -= gap
    error = np.array([0.0, 0.0, size])  # and in truth above it
    truth = 2**0.5 * size - gap
    winners = possible_winners(program, Members(columns, error, live, origin), entries, allowed)
    assert winners.all()
    assert (leads(program, columns, error, entries, winners) >= truth).all()
    apart = columns.copy()
    apart[2, 1::2] -= 10 * size
    assert not possible_winners(program, Members(apart, error, live, origin), entries, allowed)[:, 1].any()


@pytest.mark.parametrize("seed", range(3))
def test_members_one_digit_apart_are_all_compared(seed: int) -> None:
    """Two members of a maximum differ in the last place of one weight, and meet on a line through the plane."""
    rng = np.random.default_rng(seed)
    first = np.repeat(rng.normal(size=(4, 2)), 2, axis=0)
    first[1::2, 0] = np.nextafter(first[1::2, 0], np.inf)
    network = Network.sequential(
        2, [Linear(first), Max(np.arange(8).reshape(4, 2)), Linear(rng.normal(size=(5, 4)), rng.normal(size=5)), Rectifier()]
    )
    domain = Box([-1, -1], [1, 1])
    whole = Tile.of(domain)
    base, cx = restricted(network, whole), decompose(network, domain)
    assert cx.n_cells > 8
    for program in (base, narrowed(network, base, whole)):
        assert TileWalker(network, whole, program).run().n_cells == cx.n_cells
