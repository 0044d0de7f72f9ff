"""Budgets in three and more dimensions, over R^n and in tiles: asked everywhere, shared by the parts of a computation."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from plica._memory import memory_limit
from plica.errors import BudgetExceeded
from plica.geometry import Box, Budget, Space, _budget, decompose
from plica.geometry._budget import Meter
from plica.geometry.space import _cut, _engine
from plica.geometry.space._lattice import cube, cube_bytes
from plica.geometry.tiles._tiles import count_on, decompose_on
from plica.network import random_network

NET = random_network([3, 12, 8, 1], seed=0, weights="he-normal", bias_std=0.5)
CUBE = Box([-1.0] * 3, [1.0] * 3)


class Clock:
    """Every look takes one second."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        self.now += 1.0
        return self.now


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    fake = Clock()
    monkeypatch.setattr(_budget, "clock", fake)
    return fake


def n_looks(work: Any) -> int:
    """How many looks at the clock some work takes without a budget."""
    fake = Clock()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(_budget, "clock", fake)
        work()
    return int(fake.now)


def test_the_clock_is_looked_at_for_every_form_in_every_dimension() -> None:
    assert n_looks(lambda: decompose(NET, CUBE)) > 20 * 3  # 20 forms; cells and polygons are cut in ranges, edges before


def test_ranges_of_faces_look_at_the_clock(monkeypatch: pytest.MonkeyPatch) -> None:
    whole = n_looks(lambda: decompose(NET, CUBE))
    monkeypatch.setattr(_cut, "RANGE", 1)
    monkeypatch.setattr(_cut, "LONGEST", 1)
    assert n_looks(lambda: decompose(NET, CUBE)) > 3 * whole


def test_carried_rows_look_at_the_clock(monkeypatch: pytest.MonkeyPatch) -> None:
    whole = n_looks(lambda: decompose(NET, CUBE))
    monkeypatch.setattr(_engine, "_STEP", 1)
    assert n_looks(lambda: decompose(NET, CUBE)) > whole + 100


@pytest.mark.parametrize("limit", [3, 30, 70])
def test_a_computation_ends_at_the_first_look_after_its_time(limit: int, clock: Clock) -> None:
    with pytest.raises(BudgetExceeded, match="max_seconds") as caught:
        decompose(NET, CUBE, budget=Budget(max_seconds=limit))
    assert limit < caught.value.partial["seconds"] <= limit + 3


def test_all_of_space_shares_one_budget(clock: Clock) -> None:
    """2 n boxes at infinity and the box that is shown: together they have the time of one."""
    net = random_network([3, 5, 1], seed=1, weights="he-normal", bias_std=0.5)
    looks = n_looks(lambda: decompose(net, Space(3)))
    with pytest.raises(BudgetExceeded):
        decompose(net, Space(3), budget=Budget(max_seconds=looks // 2))
    assert clock.now < 0.75 * looks


@pytest.mark.parametrize("work", [count_on, decompose_on])
def test_tiles_share_one_budget(work: Any, clock: Clock) -> None:
    looks = n_looks(lambda: work(None, NET, CUBE))
    with pytest.raises(BudgetExceeded):
        work(None, NET, CUBE, budget=Budget(max_seconds=looks // 2))
    assert clock.now < 0.75 * looks


def test_what_is_left_for_a_part(clock: Clock) -> None:
    meter = Meter(Budget(max_seconds=10, max_cells=7), 1)
    spent = clock.now
    rest = meter.rest()
    assert rest.max_cells == 7
    assert 0 < rest.max_seconds < 10
    assert rest.max_seconds == pytest.approx(10 - (clock.now - spent + 1), abs=1.5)
    part = meter.part()
    assert (part.started, part.resident, part.budget) == (meter.started, meter.resident, meter.budget)


@pytest.mark.parametrize(("free", "expected"), [(0.9, 0.5), (0.5, 0.45), (0.1, 0.09)])
def test_the_default_is_half_of_the_memory_or_nine_tenths_of_what_is_free(
    free: float, expected: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(_budget, "available_bytes", lambda: int(free * memory_limit()))
    assert Budget().max_bytes == pytest.approx(expected * memory_limit(), abs=2)
    assert Budget() == Budget()


@pytest.mark.parametrize(("added", "code", "raises"), [(100, 40, False), (100, 0, True), (60, 0, False), (300, 280, True)])
def test_memory_that_the_process_takes_counts(
    added: int, code: int, raises: bool, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Megabytes; of small growth compiled code does not count, and little else; the arrays of this network are far below."""
    start = 2**30
    monkeypatch.setattr(_budget, "resident_bytes", lambda: start + added * 2**20)
    meter = Meter(Budget(max_bytes=50 * 2**20), 1, resident=start)
    monkeypatch.setattr(_budget.code_bytes, "total", _budget.code_bytes.total + code * 2**20)
    if not raises:
        meter.check(n_bytes=2**20)
        return
    with pytest.raises(BudgetExceeded, match="max_bytes"):
        meter.check(n_bytes=2**20)


@pytest.mark.parametrize("dimension", [22, 40])
def test_a_box_of_many_dimensions_is_refused_before_it_is_built(dimension: int) -> None:
    net = random_network([dimension, 2, 1], seed=0)
    with pytest.raises(BudgetExceeded, match="max_bytes"):
        decompose(net, Box([-1.0] * dimension, [1.0] * dimension), budget=Budget(max_bytes=2**34))


@pytest.mark.parametrize("dimension", [3, 6, 9])
def test_the_bytes_of_a_cube_are_an_upper_bound_and_not_a_wild_one(dimension: int) -> None:
    lattice, _ = cube(dimension)
    assert lattice.nbytes <= cube_bytes(dimension) <= 8 * lattice.nbytes


def test_bytes_are_asked_for_before_they_are_taken(monkeypatch: pytest.MonkeyPatch) -> None:
    """After each question the lattice has at most the bytes that were asked for."""
    asked: list[int] = []
    check = Meter.check

    def listen(self: Meter, *, n_cells: int | None = None, n_bytes: int = 0) -> None:
        if n_bytes:
            asked.append(n_bytes)
        check(self, n_cells=n_cells, n_bytes=n_bytes)

    monkeypatch.setattr(Meter, "check", listen)
    cx: Any = decompose(NET, CUBE)
    walk = cx._walk
    kept = walk.lattice.nbytes + walk.parameters.nbytes + walk.outputs.nbytes
    assert kept <= max(asked) <= 6 * kept
    with pytest.raises(BudgetExceeded, match="max_bytes"):
        decompose(NET, CUBE, budget=Budget(max_bytes=max(asked) - 1))
    assert decompose(NET, CUBE, budget=Budget(max_bytes=max(asked))).n_cells == cx.n_cells


def test_an_interrupt_leaves_the_engine_usable(monkeypatch: pytest.MonkeyPatch) -> None:
    """Ctrl-C between two ranges of faces ends the work; the next computation is as ever."""
    expected = decompose(NET, CUBE)
    looks = iter(range(40))

    def interrupt(self: Meter, **options: Any) -> None:
        if next(looks, None) is None:
            raise KeyboardInterrupt

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Meter, "check", interrupt)
        with pytest.raises(KeyboardInterrupt):
            decompose(NET, CUBE)
    again: Any = decompose(NET, CUBE)
    assert again.n_cells == expected.n_cells
    np.testing.assert_array_equal(again.vertices, expected.vertices)
