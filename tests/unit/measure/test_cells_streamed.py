"""Values and classes part by part: the same numbers as from one complex, whatever the parts."""

from __future__ import annotations

import time
from typing import Any

import numpy as np
import pytest

from plica.errors import BudgetExceeded, InvalidDomain, InvalidInput
from plica.geometry import BoundedComplex, Box, Budget, Path, Plane, Polytope, Segment, Space, _budget, decompose, parts
from plica.geometry.tiles import _stream
from plica.measure import class_volumes, distribution, extremes, moments, stream_values
from plica.measure.cells import _streamed
from plica.measure.cells._integrals import Enclosed
from plica.network import Linear, Network, random_network


@pytest.fixture
def small_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(_stream.finished_tiles.__kwdefaults__, "most", 6)
    monkeypatch.setitem(parts.__kwdefaults__, "max_cells", 15)


def overlap(a: Enclosed, b: Enclosed) -> bool:
    return a.low <= b.high and b.low <= a.high


DOMAINS = [
    Box([-1.0], [2.0]),
    Box([-1.0, -1.0], [1.0, 0.5]),
    Box([-1.0, 0.25, -1.0], [1.0, 0.25, 1.0]),
    Plane([0.0, 0.5, 0.0], [[1.0, 0.0, 0.5], [0.0, 1.0, 0.0]]),
    Box([-1.0, -0.5, -1.0], [1.0, 0.5, 1.0]),
]


@pytest.mark.usefixtures("small_parts")
@pytest.mark.parametrize("domain", DOMAINS, ids=lambda d: f"{d!r}"[1:-1])
def test_parts_give_what_one_complex_gives(domain: Box) -> None:
    net = random_network(
        [domain.n_inputs, *((12, 10) if domain.dimension < 3 else (6, 5)), 3], seed=4, weights="he-normal", bias_std=0.4
    )
    cx = decompose(net, domain)
    assert isinstance(cx, BoundedComplex)
    at = [-0.5, 0.0, 0.25]
    found = stream_values(net, domain, weights=[1.0, -0.5, 0.25], order=3, levels=at)
    assert found.n_parts > 1 and found.n_cells > cx.n_cells
    ends = extremes(cx, weights=[1.0, -0.5, 0.25])
    assert (found.minimum.value, found.maximum.value) == (ends.minimum.value, ends.maximum.value)
    assert found.minimum.exact_point == ends.minimum.exact_point and found.maximum.exact_point == ends.maximum.exact_point
    whole = moments(cx, weights=[1.0, -0.5, 0.25], order=3)
    assert found.moments.volume == whole.volume
    for a, b in zip(found.moments.integrals, whole.integrals, strict=True):
        assert overlap(a, b) and a.high - a.low < 1e-3 * max(1.0, abs(b.middle))
    below = distribution(cx, weights=[1.0, -0.5, 0.25])
    for a, low, high in zip(found.below, *below.cdf_bounds(at), strict=True):
        assert overlap(a, Enclosed(low, high)) and a.high - a.low < 1e-3
    assert sum(x.low for x in found.histogram()) <= 1 <= sum(x.high for x in found.histogram())


@pytest.mark.usefixtures("small_parts")
@pytest.mark.parametrize("n_outputs", [1, 2, 4])
@pytest.mark.parametrize("domain", [Box([-1.0, -1.0], [1.0, 0.5]), Box([-1.0] * 3, [1.0] * 3)], ids=["plane", "space"])
def test_classes_in_parts_have_the_volumes_of_the_complex(domain: Box, n_outputs: int) -> None:
    net = random_network(
        [domain.n_inputs, *((9, 8) if domain.dimension < 3 else (5, 4)), n_outputs], seed=1, weights="he-normal", bias_std=0.3
    )
    whole, found = class_volumes(net, domain), class_volumes(net, domain, in_parts=True)
    assert found.volume == whole.volume and len(found.volumes) == len(whole.volumes)
    assert all(overlap(a, b) and a.high - a.low < 1e-3 for a, b in zip(found.volumes, whole.volumes, strict=True))
    assert whole.shares.max() < 1.0
    with pytest.raises(InvalidInput, match="no complex"):
        found.classes  # noqa: B018


@pytest.mark.usefixtures("small_parts")
def test_volumes_in_parts_are_fractions_on_request() -> None:
    net = Network.sequential(2, [Linear(np.array([[1.0, 0.0], [0.0, 1.0]]))])
    exact = class_volumes(net, Box([0, 0], [2, 1]), exact=True, in_parts=True)
    assert [str(v.exact) for v in exact.volumes] == ["3/2", "1/2"]


def test_parts_cover_the_domain_and_share_no_interior() -> None:
    net = random_network([3, 12, 12, 1], seed=1)
    found = list(parts(net, Box([-1.0] * 3, [1.0] * 3), max_cells=60))
    assert sum(p.size for p in found) == 8 and all(p.complex is not None and p.complex.n_cells <= 60 for p in found)
    ends = [(p.domain.low, p.domain.high) for p in found if isinstance(p.domain, Box)]
    for i, (a, b) in enumerate(ends):
        assert not any((np.minimum(b, d) > np.maximum(a, c)).all() for c, d in ends[:i])


def test_budgets_hold_over_all_parts() -> None:
    net = random_network([2, 40, 40, 2], seed=0)
    with pytest.raises(BudgetExceeded, match="max_cells"):
        stream_values(net, Box([-1, -1], [1, 1]), budget=Budget(max_cells=5))
    with pytest.raises(BudgetExceeded, match="max_seconds"):
        class_volumes(net, Box([-1, -1], [1, 1]), in_parts=True, budget=Budget(max_seconds=1e-9))


def test_what_has_no_parts_is_refused() -> None:
    net = random_network([3, 4, 1], seed=0)
    corner = Polytope([[-1, 0, 0], [0, -1, 0], [0, 0, -1], [1, 1, 1]], [0, 0, 0, 1])
    with pytest.raises(InvalidDomain, match="planes and boxes"):
        stream_values(net, corner)
    with pytest.raises(InvalidInput, match="path"):
        class_volumes(net, Path([[0, 0, 0], [1, 0, 0], [1, 1, 0]]), in_parts=True)
    with pytest.raises(InvalidDomain, match="planes and boxes"):
        next(parts(net, Space(3)))  # type: ignore[arg-type]
    with pytest.raises(InvalidInput, match="finite"):
        stream_values(net, Segment([0, 0, 0], [1, 1, 1]), levels=[np.nan])


@pytest.mark.parametrize("reading", ["moments", "distribution", "_lower"])
def test_what_is_read_of_a_part_counts_against_the_time(monkeypatch: pytest.MonkeyPatch, reading: str) -> None:
    """Its complex may be finished long before its numbers are."""
    late = 0.0
    net, box = random_network([2, 6, 1], seed=0), Box([-1, -1], [1, 1])
    read = getattr(_streamed, reading)

    def slow(*args: Any, **more: Any) -> Any:
        nonlocal late
        late += 100.0
        return read(*args, **more)

    monkeypatch.setattr(_budget, "clock", lambda: time.perf_counter() + late)
    monkeypatch.setattr(_streamed, reading, slow)
    with pytest.raises(BudgetExceeded, match="max_seconds"):
        stream_values(net, box, levels=[0.0], budget=Budget(max_seconds=50))
