"""Programs of parts of a tile from the program of the tile: the same functions, the same neurons, the same cells."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from plica.geometry import Budget, Plane, decompose
from plica.geometry._budget import Meter
from plica.geometry.domains._tile import Tile
from plica.geometry.tiles import _stream
from plica.geometry.tiles._narrowing import narrowed
from plica.geometry.tiles._program import ContestStep
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
