"""What a run will cost: the parts of a domain add up to its cells, and a few of them estimate it without bias."""

from __future__ import annotations

import tracemalloc
from itertools import pairwise
from typing import Any

import numpy as np
import pytest

from plica.errors import BudgetExceeded, InvalidDomain
from plica.geometry import Box, Budget, Domain, Path, Plane, Segment, Space, _decompose, _estimate, decompose, estimate_cost
from plica.geometry._budget import Meter
from plica.geometry.domains._tile import Tile
from plica.geometry.line import _parts
from plica.geometry.tiles import _stream
from plica.network import Clip, Linear, Network, random_network

CASES: list[tuple[Network, Domain]] = [
    (random_network([2, 20, 20, 1], seed=1), Box([-1, -1], [1, 1])),
    (random_network([4, 20, 20, 1], seed=2), Plane.through([0.1] * 4, [1.0, 0, 0, 0.2], [0, 1.0, 0.3, 0])),
    (random_network([5, 40, 40, 1], seed=1), Segment([-1.0] * 5, [1.0, 0.5, 0.3, -0.2, 0.9])),
    (random_network([3, 8, 8, 1], seed=1), Box([-1] * 3, [1] * 3)),
    (random_network([4, 6, 6, 1], seed=1), Box([-1, 0.25, -1, -1], [1, 0.25, 1, 1])),
]


@pytest.mark.parametrize(("network", "domain"), CASES)
@pytest.mark.parametrize("n_divisions", [0, 1, 3])
def test_all_parts_together_are_the_whole(network: Network, domain: Domain, n_divisions: int) -> None:
    n_divisions = min(n_divisions, 1) if domain.dimension > 2 else n_divisions
    cost = _estimate._sampled(network, domain, n_divisions, 10**6, 0, Meter(Budget(), 2))
    assert cost.n_cells == pytest.approx(decompose(network, domain).n_cells, abs=1e-9)
    assert cost.n_cells_error == 0.0 and cost.n_samples == cost.n_parts


@pytest.mark.parametrize("case", [0, 1])
def test_parts_of_wide_networks_are_counted_in_tiles_of_their_own(case: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """The sides that the estimate has made are no divisions between tiles that are counted: nothing else counts beyond them."""
    monkeypatch.setattr(_decompose, "WIDE", 1)
    monkeypatch.setattr(_stream, "ATTEMPTS", 1)
    network, domain = CASES[case]
    cost = _estimate._sampled(network, domain, 3, 10**6, 0, Meter(Budget(), 2))
    assert cost.n_cells == pytest.approx(decompose(network, domain).n_cells, abs=1e-9)
    low, _ = Tile.of(domain).divided(0)
    assert _stream.count_in_tiles(network, low, Meter(Budget(), 2)).n_cells == decompose(network, low).n_cells


def test_the_standard_error_is_true() -> None:
    network, domain = CASES[0]
    true = decompose(network, domain).n_cells
    costs = [_estimate._sampled(network, domain, 4, 6, seed, Meter(Budget(), 2)) for seed in range(40)]
    scores = np.array([(c.n_cells - true) / c.n_cells_error for c in costs])
    assert 0.5 < float(np.sqrt((scores**2).mean())) < 2.5
    assert abs(np.mean([c.n_cells for c in costs]) - true) < 4 * np.std([c.n_cells for c in costs]) / np.sqrt(40)


def test_large_domains_are_divided_until_parts_are_small(monkeypatch: pytest.MonkeyPatch) -> None:
    network, domain = CASES[0]
    monkeypatch.setattr(_estimate, "_PART_CELLS", 60)
    cost = estimate_cost(network, domain, n_samples=4)
    assert cost.n_parts > 4 and cost.n_samples == 4 and cost.n_cells_error > 0.0
    assert "estimated from 4 of" in str(cost)


def test_lines_that_go_in_parts_are_estimated_from_small_ones(monkeypatch: pytest.MonkeyPatch) -> None:
    """As if pieces were dear: parts of at most 8, as many as the neurons that change demand; together they are the whole."""
    network, domain = CASES[2]
    true = decompose(network, domain)
    changes = sum(int((a[1:] != a[:-1]).sum()) for a in true.patterns())
    monkeypatch.setattr(_parts, "goes_in_parts", lambda _: True)
    monkeypatch.setattr(_estimate, "_LEAST_CELLS", 8)
    monkeypatch.setattr(_estimate, "_PART_WORK", 1.0)
    assert true.n_cells / 4 < _parts.least_changes(network, domain) <= changes
    cost = estimate_cost(network, domain, n_samples=10**6)
    assert cost.n_parts >= _parts.least_changes(network, domain) / 8
    assert cost.n_cells == pytest.approx(true.n_cells, abs=1e-9)


def test_a_path_is_estimated_by_its_segments() -> None:
    network = random_network([2, 20, 20, 1], seed=0)
    path = Path([[-1, -1], [1, 0.3], [0.2, 1]])
    assert estimate_cost(network, path).n_cells == pytest.approx(decompose(network, path).n_cells)


def test_folds_along_every_division_are_estimated_all_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    """Then a part of a wide network is not counted in tiles."""
    network = random_network([2, 1024, 1], seed=0)
    domain = Box([-0.05, -0.05], [0.05, 0.05])
    tried = []

    def coincident(*args: Any) -> Any:
        tried.append(args)
        raise _stream.Coincidence

    monkeypatch.setattr(_stream, "count_in_tiles", coincident)
    assert estimate_cost(network, domain).n_cells == decompose(network, domain).n_cells
    assert tried


def test_the_budget_is_for_all_parts_together(monkeypatch: pytest.MonkeyPatch) -> None:
    network, domain = CASES[0]
    budgets = []

    def counted(network: Network, domain: Domain, budget: Budget, count: Any = _estimate._timed) -> Any:
        budgets.append(budget)
        return count(network, domain, budget)

    monkeypatch.setattr(_estimate, "_timed", counted)
    monkeypatch.setattr(_estimate, "_PART_CELLS", 60)
    estimate_cost(network, domain, n_samples=4, budget=Budget(max_seconds=1000.0))
    seconds = [b.max_seconds for b in budgets]
    assert len(seconds) > 4 and all(later < sooner <= 1000.0 for sooner, later in pairwise(seconds))


def test_estimates_refuse_what_they_cannot_do() -> None:
    network: Any = random_network([2, 8, 1], seed=0)
    with pytest.raises(InvalidDomain, match="R\\^n"):
        estimate_cost(network, Space(2))  # type: ignore[arg-type]
    with pytest.raises(InvalidDomain, match="n_samples"):
        estimate_cost(network, Box([-1, -1], [1, 1]), n_samples=0)
    with pytest.raises(BudgetExceeded):
        estimate_cost(network, Box([-1, -1], [1, 1]), budget=Budget(max_seconds=1e-9))


def test_boxes_of_clips_take_two_forms_for_each_unit() -> None:
    """Of 49,363 cells of 300 clips twice, 606 MB at their peak, 248 were said."""
    rng = np.random.default_rng(0)
    layers = [Linear(rng.normal(size=(120, n)) / np.sqrt(n), rng.normal(size=120)) for n in (3, 120)]
    net = Network.sequential(3, [layers[0], Clip(-0.5, 0.5), layers[1], Clip(-0.5, 0.5), Linear(rng.normal(size=(1, 120)))])
    box = Box([-0.35] * 3, [0.35] * 3)
    tracemalloc.start()
    n_cells = decompose(net, box).n_cells
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak > 1e8  # below, what is loaded on first use may be more
    assert 0.5 < _estimate._bytes(net, 3, n_cells) / peak < 2


def test_lines_through_a_wide_layer_take_a_chunk_at_a_time() -> None:
    """4,053 pieces of 10,000 units took 76 MB where 990 were said. Three tensors are counted, of which one layer has one."""
    net = random_network([8, 10_000, 4], seed=0, weights="he-normal", bias_std=0.3)
    segment = Segment([-1.0] * 8, [1.0, 0.5, 0.3, -0.2, 0.9, -0.7, 0.1, 0.4])
    n_cells = decompose(net, segment).n_cells
    tracemalloc.start()
    decompose(net, segment)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert n_cells > 3000 and 0.5 < _estimate._bytes(net, 1, n_cells) / peak < 4
