"""Budgets stop a computation and say what was finished; progress is told."""

import itertools
from typing import Any

import numpy as np
import pytest

from plica.errors import BudgetExceeded, InvalidInput
from plica.geometry import Box, Budget, Path, Segment, _budget, count_regions, decompose
from plica.geometry.signs._oracle import CutOracle
from plica.network import Network
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
