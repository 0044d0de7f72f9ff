"""Budgets stop a computation and say what was finished; progress is told."""

import itertools
import tracemalloc
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from plica import _memory
from plica.errors import BudgetExceeded, InvalidInput
from plica.geometry import Box, Budget, Path, Segment, _budget, count_regions, decompose
from plica.geometry.signs._oracle import CutOracle
from plica.geometry.tiles._whole import walk_switching
from plica.measure.cells import _classes
from plica.network import Linear, Network, Rectifier
from plica.testing import chain

BOX = Box([-1, -1], [1, 1])
SEGMENT = Segment([-1.0, -0.7], [1.0, 0.9])


def network(widths: tuple[int, ...] = (2, 20, 20, 20, 1)) -> Network:
    rng = np.random.default_rng(0)
    weights = [rng.normal(size=(b, a)) * np.sqrt(2 / a) for a, b in itertools.pairwise(widths)]
    return chain(weights, [rng.normal(size=b) / 2 for b in widths[1:]])


@pytest.mark.parametrize("domain", [BOX, SEGMENT, Path([[-1, -1], [1, 1], [1, -1]])])
def test_too_many_cells_stop_the_work_with_what_was_finished(domain: Any) -> None:
    full = decompose(network(), domain)
    with pytest.raises(BudgetExceeded, match="max_cells=10 ") as caught:
        decompose(network(), domain, budget=Budget(max_cells=10))
    partial = caught.value.partial
    assert 0 < partial["n_cells"] < full.n_cells
    assert 0 <= partial["layers_done"] <= partial["n_layers"] == 3
    assert "Budget" in caught.value.hint
    assert decompose(network(), domain, budget=Budget(max_cells=full.n_cells)).n_cells == full.n_cells


@pytest.mark.parametrize("domain", [BOX, SEGMENT])
def test_too_many_seconds_stop_the_work(domain: Any) -> None:
    with pytest.raises(BudgetExceeded, match="max_seconds"):
        decompose(network(), domain, budget=Budget(max_seconds=1e-9))


def test_seconds_are_watched_between_layers(monkeypatch: pytest.MonkeyPatch) -> None:
    now = [0.0]
    monkeypatch.setattr(_budget, "clock", lambda: now[0])

    def slowly(_: dict[str, Any]) -> None:
        now[0] += 60.0

    with pytest.raises(BudgetExceeded) as caught:
        decompose(network(), BOX, budget=Budget(max_seconds=50.0), progress=slowly)
    assert caught.value.partial["layers_done"] == 1


def test_seconds_are_watched_while_integers_decide(monkeypatch: pytest.MonkeyPatch) -> None:
    """Folds within a rounding error of each other: one layer, whose order is left to the slow way."""
    weight = np.repeat([[1.0, 0.3]], 400, axis=0)
    net = chain([weight, np.ones((1, 400))], [np.arange(400) * 2.0**-58, np.zeros(1)])
    asked, now = [], [0.0]
    monkeypatch.setattr(_budget, "clock", lambda: now[0])

    def integers(self: CutOracle, vertex: int, answer: Any = CutOracle.integers) -> Any:
        asked.append(vertex)
        now[0] += 20.0
        return answer(self, vertex)

    monkeypatch.setattr(CutOracle, "integers", integers)
    with pytest.raises(BudgetExceeded, match="max_seconds"):
        decompose(net, SEGMENT, budget=Budget(max_seconds=10.0))
    assert len(asked) == 1


@pytest.mark.parametrize("domain", [BOX, SEGMENT])
def test_too_many_bytes_stop_the_work(domain: Any) -> None:
    with pytest.raises(BudgetExceeded, match="max_bytes"):
        decompose(network(), domain, budget=Budget(max_bytes=2000))


def test_small_budgets_see_what_the_process_grows_by_but_for_code(monkeypatch: pytest.MonkeyPatch) -> None:
    megabyte, grown = 2**20, [0]
    monkeypatch.setattr(_budget, "resident_bytes", lambda: 2**30 + grown[0])
    monkeypatch.setattr(_budget.code_bytes, "total", 5)
    meter = _budget.Meter(Budget(max_bytes=100 * megabyte), 1, resident=2**30)
    grown[0] = 120 * megabyte
    meter.allow(17 * 1000)
    meter.looked -= 1.0
    meter.check()
    grown[0] = 140 * megabyte
    meter.looked -= 1.0
    with pytest.raises(BudgetExceeded, match="max_bytes"):
        meter.check()
    monkeypatch.setattr(_budget.code_bytes, "total", 5 + 60 * megabyte)
    meter.looked -= 1.0
    meter.check()
    meter.part().check()
    grown[0] = 257 * megabyte
    meter.looked -= 1.0
    with pytest.raises(BudgetExceeded, match="max_bytes"):
        meter.check()


def test_code_that_is_loaded_inside_of_other_code_is_counted_once(monkeypatch: pytest.MonkeyPatch) -> None:
    sizes = iter([100, 110, 150, 170, 200, 190])
    monkeypatch.setattr(_memory, "resident_bytes", lambda: next(sizes))
    code = _memory.CodeBytes()
    with code, code:
        pass
    assert code.total == 70
    with code:
        pass
    assert code.total == 70


def test_counting_keeps_the_budget_too() -> None:
    with pytest.raises(BudgetExceeded):
        count_regions(network(), BOX, budget=Budget(max_cells=10))
    with pytest.raises(BudgetExceeded):
        count_regions(network(), BOX, budget=Budget(max_cells=10), cells_only=True)
    with pytest.raises(BudgetExceeded):
        count_regions(network(), BOX, budget=Budget(max_bytes=2000), cells_only=True)


@pytest.mark.parametrize("name", ["max_cells", "max_seconds", "max_bytes"])
def test_a_budget_of_nothing_is_refused(name: str) -> None:
    with pytest.raises(InvalidInput, match=f"{name} must be positive"):
        Budget(**{name: 0})


def test_progress_is_told_after_every_layer() -> None:
    told: list[dict[str, Any]] = []
    cx = decompose(network(), BOX, progress=told.append)
    assert [t["layers_done"] for t in told] == [1, 2, 3]
    assert [t["n_cells"] for t in told] == sorted(t["n_cells"] for t in told)
    assert told[-1]["n_cells"] == cx.n_cells


def test_progress_along_a_line_is_a_position() -> None:
    told: list[dict[str, Any]] = []
    cx = decompose(network(), SEGMENT, progress=told.append)
    assert told[-1] == {"position": 1.0, "n_cells": cx.n_cells, "seconds": told[-1]["seconds"]}


def test_regions_keep_the_budget_when_they_are_read(monkeypatch: pytest.MonkeyPatch) -> None:
    """One unit in four leads nowhere, so that neighbors have to be compared."""
    rng = np.random.default_rng(0)
    last = rng.normal(size=(1, 20)) * (np.arange(20) % 4 > 0)
    net = chain([rng.normal(size=(20, 2)), rng.normal(size=(20, 20)), last], [rng.normal(size=n) / 2 for n in (20, 20, 1)])
    cx = decompose(net, BOX, budget=Budget(max_seconds=50.0))
    now = [0.0]
    monkeypatch.setattr(_budget, "clock", lambda: now.__setitem__(0, now[0] + 100.0) or now[0])
    with pytest.raises(BudgetExceeded, match="max_seconds"):
        _ = cx.n_regions
    monkeypatch.undo()
    assert cx.n_regions < cx.n_cells


@pytest.mark.parametrize("domain", [BOX, SEGMENT, Box([-1.0, -1.0, 0.0], [1.0, 1.0, 0.3])])
@pytest.mark.parametrize("after", [0, 2, 5])
def test_an_interrupted_call_leaves_no_trace(domain: Any, after: int, monkeypatch: pytest.MonkeyPatch) -> None:
    net = network((domain.n_inputs, 12, 12, 2))
    clean = decompose(network((domain.n_inputs, 12, 12, 2)), domain)
    calls, ask = [0], _budget.Meter.check

    def interrupted(self: Any, **about: Any) -> None:
        calls[0] += 1
        if calls[0] > after:
            raise KeyboardInterrupt
        ask(self, **about)

    with monkeypatch.context() as patch:
        patch.setattr(_budget.Meter, "check", interrupted)
        with pytest.raises(KeyboardInterrupt):
            decompose(net, domain)
    again = decompose(net, domain)
    assert again.vertices.tobytes() == clean.vertices.tobytes()
    assert again.outputs.tobytes() == clean.outputs.tobytes()
    assert np.array_equal(again.regions, clean.regions)


def test_a_line_in_many_small_chunks_keeps_a_small_budget() -> None:
    """The tensors of one layer at all breakpoints would take 60 MB."""
    net = network((2, 400, 400, 400, 1))
    whole = decompose(net, SEGMENT)
    cx = decompose(net, SEGMENT, budget=Budget(max_bytes=6_000_000))
    assert cx.n_cells == whole.n_cells
    assert np.allclose(cx.vertices, whole.vertices, atol=1e-9)


def test_maps_of_all_cells_keep_the_budget_when_they_are_read() -> None:
    net = network((2, 12, 12, 900))
    cx = decompose(net, BOX)
    n_bytes = 8 * cx.n_cells * 3 * 900
    cx.budget = Budget(max_bytes=n_bytes // 2)
    for read in (cx.affine_maps, cx.slice_maps):
        with pytest.raises(BudgetExceeded, match="max_bytes"):
            read()
    cx.budget = Budget(max_bytes=4 * n_bytes)
    assert cx.affine_maps().matrices.shape == (cx.n_cells, 900, 2)


def test_a_tile_makes_its_new_variables_a_few_at_a_time_and_asks_before() -> None:
    """A table of vertices and neurons is made once, without others of its size beside it."""
    net, small = network((2, 300, 1)), _budget.Meter(Budget(max_bytes=20_000_000), 1)
    tracemalloc.start()
    walk = walk_switching(net, BOX, _budget.Meter(Budget(), 1))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert walk is not None
    table = 8 * len(walk.mesh.vertex_hyperplanes) * 300
    assert peak < 2 * table
    with pytest.raises(BudgetExceeded, match="max_bytes"), _budget.watched(small):
        walk_switching(net, BOX, small)


def test_class_areas_in_parts_look_at_the_clock_while_they_add_up(monkeypatch: pytest.MonkeyPatch) -> None:
    asked, add_up = [], _classes.label_volumes

    def adding(*args: Any, **options: Any) -> Any:
        asked.append(_budget._current.get())
        return add_up(*args, **options)

    monkeypatch.setattr(_classes, "label_volumes", adding)
    for in_parts in (False, True):
        _classes.class_volumes(network((2, 8, 8, 3)), BOX, in_parts=in_parts, budget=Budget(max_seconds=1e6))
    assert len(asked) >= 2 and all(meter is not None and meter.budget.max_seconds == 1e6 for meter in asked)


def test_class_areas_of_huge_outputs_need_no_outputs(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where a class is does not ask how large outputs are; exact ones beyond the floats were computed vertex by vertex."""
    rng = np.random.default_rng(0)
    net = chain(
        [1e150 * rng.normal(size=(b, a)) for a, b in ((2, 12), (12, 12), (12, 2))], [np.zeros(12), np.zeros(12), np.zeros(2)]
    )
    monkeypatch.setattr("plica.measure.cells._sharp.exact_value", lambda *_: pytest.fail("asked for an output"))
    found = _classes.class_volumes(net, BOX, in_parts=True)
    assert sum(v.low for v in found.volumes) <= 4.0 <= sum(v.high for v in found.volumes)


@pytest.mark.parametrize("domain", [BOX, SEGMENT])
def test_a_thousand_layers_do_not_end_the_stack(domain: Any) -> None:
    """Ancestors of cells are asked for layer by layer: in floating point and in integers."""
    depth = 400
    layers = [op for _ in range(depth) for op in (Linear(np.array([[1.0, 0.25], [0.25, 1.0]]) / 1.25, np.zeros(2)), Rectifier())]
    net = Network.sequential(2, [Linear(np.eye(2), np.full(2, 0.25)), Rectifier(), *layers, Linear(np.ones((1, 2)))])
    cx = decompose(net, domain)
    exact = cx.exact_map(0)
    assert exact.integers.shape == (cx.dimension + 1, 1)
    maps = cx.slice_maps()
    value = [float(Fraction(int(i)) * Fraction(2) ** exact.exponent) for i in exact.integers[:, 0]]
    np.testing.assert_allclose([*maps.matrices[0, 0], maps.offsets[0, 0]], value, rtol=1e-9, atol=1e-12)
