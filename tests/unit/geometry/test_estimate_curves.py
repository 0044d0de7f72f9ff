"""What a boundary will cost: the parts of a plane hold all of its segments, and a few of them estimate how many."""

from __future__ import annotations

import numpy as np
import pytest

from plica.errors import BudgetExceeded, InvalidDomain
from plica.geometry import Box, Budget, Domain, Plane, Segment, _estimate_curves, decision_boundary, estimate_boundary_cost
from plica.geometry._budget import Meter
from plica.network import Network, random_network

CASES: list[tuple[Network, Domain]] = [
    (random_network([2, 20, 20, 3], seed=1, weights="he-normal", bias_std=0.5), Box([-1, -1], [1, 1])),
    (random_network([4, 20, 20, 5], seed=2, weights="he-normal", bias_std=0.5),
     Plane.through([0.1] * 4, [1.0, 0, 0, 0.2], [0, 1.0, 0.3, 0])),
    (random_network([2, 30, 1], seed=3, weights="he-normal", bias_std=0.5), Box([-2, -2], [2, 2])),
]  # fmt: skip


@pytest.mark.parametrize(("network", "domain"), CASES)
@pytest.mark.parametrize("n_divisions", [0, 1, 4])
def test_all_parts_together_hold_the_boundary(network: Network, domain: Domain, n_divisions: int) -> None:
    cost = _estimate_curves._sampled(network, domain, None, n_divisions, 10**6, 0, Meter(Budget(), 3))
    segments = decision_boundary(network, domain).segments
    assert len(segments) > 4 and cost.n_cells == pytest.approx(len(segments))
    assert cost.n_cells_error == 0.0 and cost.n_samples == cost.n_parts


def test_the_standard_error_of_segments_is_true() -> None:
    network, domain = CASES[0]
    true = len(decision_boundary(network, domain).segments)
    costs = [_estimate_curves._sampled(network, domain, None, 5, 12, seed, Meter(Budget(), 3)) for seed in range(30)]
    scores = np.array([(c.n_cells - true) / max(c.n_cells_error, 1.0) for c in costs])
    assert 0.3 < float(np.sqrt((scores**2).mean())) < 3.0


def test_large_windows_are_divided_until_parts_are_small(monkeypatch: pytest.MonkeyPatch) -> None:
    network, domain = CASES[0]
    monkeypatch.setattr(_estimate_curves, "_PART_CELLS", 60)
    cost = estimate_boundary_cost(network, domain, n_samples=6)
    assert cost.n_parts > 6 and cost.n_samples <= 8


def test_boundaries_among_some_outputs_are_estimated() -> None:
    network, domain = CASES[1]
    assert estimate_boundary_cost(network, domain, [0, 3]).n_cells == len(decision_boundary(network, domain, [0, 3]).segments)


def test_estimates_of_boundaries_refuse_what_they_cannot_do() -> None:
    network, domain = CASES[0]
    with pytest.raises(InvalidDomain, match="planes"):
        estimate_boundary_cost(network, Segment([0.0, 0.0], [1.0, 1.0]))
    with pytest.raises(InvalidDomain, match="n_samples"):
        estimate_boundary_cost(network, domain, n_samples=0)
    with pytest.raises(BudgetExceeded):
        estimate_boundary_cost(network, domain, budget=Budget(max_seconds=1e-9))


def test_the_standard_error_knows_that_kinds_of_parts_are_counted_in_a_sample(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of 64 parts 24 are asked which kind they are, and all of these are counted: the only error is in the numbers of kinds."""
    monkeypatch.setattr(_estimate_curves, "_PROBED", 24)
    net, box = random_network([2, 24, 24, 3], seed=1, weights="he-normal", bias_std=0.3), Box([-2, -2], [2, 2])
    truth = len(decision_boundary(net, box).segments)
    found = [_estimate_curves._sampled(net, box, None, 6, 64, seed, Meter(Budget(), 3)) for seed in range(60)]
    scores = np.array([(cost.n_cells - truth) / cost.n_cells_error for cost in found if cost.n_cells_error])
    assert len(scores) > 50
    assert 0.6 < float(np.sqrt((scores**2).mean())) < 1.6
