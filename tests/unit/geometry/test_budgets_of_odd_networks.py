"""Budgets where networks are odd: convolutions with maxima, thousands of inputs, boxes, readings of what is finished."""

from __future__ import annotations

import importlib
import tracemalloc
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from plica import _parallel, measure
from plica.errors import BudgetExceeded
from plica.geometry import (
    Box,
    Budget,
    Path,
    Segment,
    Space,
    _budget,
    cells_along,
    cells_near,
    decision_boundary,
    decompose,
    decompose_many,
)
from plica.geometry._budget import Meter, tick, watched, watched_anew
from plica.geometry.space import _cut
from plica.geometry.unbounded import _engine as unbounded
from plica.geometry.values import _tensors
from plica.geometry.values._tensors import NOT_ZERO, Tensor, keep_true_zeros, linear_part
from plica.measure.cells._lipschitz import exact_norm
from plica.network import Conv, Max, random_network

NET = random_network([2, 8, 8, 2], seed=0, weights="he-normal", bias_std=0.5)
SQUARE = Box([-1.0, -1.0], [1.0, 1.0])
READINGS: dict[str, Callable[[Any], Any]] = {
    name: getattr(measure, name)
    for name in (
        "extremes lipschitz moments distribution critical_points persistence discrete_gradient region_definitions "
        "functional_dimension symmetries"
    ).split()
}


def peak_of(work: Callable[[], Any]) -> int:
    tracemalloc.start()
    try:
        work()
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize("name", READINGS)
def test_what_is_measured_on_a_complex_keeps_its_budget(name: str) -> None:
    cx = decompose(NET, SQUARE)
    cx.budget = Budget(max_seconds=1e-9)
    with pytest.raises(BudgetExceeded, match="max_seconds"):
        READINGS[name](cx)
    cx.budget = Budget()
    READINGS[name](cx)


@pytest.mark.parametrize("domain", [SQUARE, Segment([-1.0, -0.7], [1.0, 0.9])])
def test_boundaries_that_are_read_off_a_complex_keep_its_budget(domain: Any) -> None:
    cx = decompose(NET, domain)
    cx.budget = Budget(max_seconds=1e-9)
    for read in (cx.decision_boundary, cx.level_set):  # type: ignore[attr-defined]
        with pytest.raises(BudgetExceeded, match="max_seconds"):
            read()


def test_among_a_thousand_classes_some_can_be_compared_and_all() -> None:
    net = random_network([2, 12, 12, 1000], seed=0, weights="he-normal", bias_std=0.5)
    assert decision_boundary(net, SQUARE, outputs=[3, 5, 8]).length > 0
    segments = decision_boundary(net, SQUARE).segments
    top = np.sort(net(segments.mean(axis=1)), axis=1)[:, -2:]
    assert len(segments) and np.allclose(top[:, 0], top[:, 1])


def test_a_wide_layer_takes_no_rows_at_vertices_that_nobody_asked_for() -> None:
    """Three hundred lines and their 40,000 crossings: the rows of the layer, 90 MB, are made when outputs are read."""
    net = random_network([2, 300, 1], seed=0, weights="he-normal", bias_std=0.5)
    cx = decompose(net, Box([-2.0, -2.0], [2.0, 2.0]), budget=Budget(max_bytes=60_000_000))
    assert cx.n_cells > 20_000
    cx.budget = Budget(max_bytes=30_000_000)
    with pytest.raises(BudgetExceeded, match="max_bytes"):
        _ = cx.outputs


def test_patterns_ask_before_they_are_unpacked() -> None:
    cx = decompose(NET, SQUARE)
    cx.budget = Budget(max_bytes=16 * cx.n_cells - 1)
    with pytest.raises(BudgetExceeded, match="max_bytes"):
        cx.patterns()
    cx.budget = Budget(max_bytes=2**30)
    assert sum(p.size for p in cx.patterns()) == 16 * cx.n_cells


@pytest.mark.parametrize("ask", [lambda net: decompose(net, Space(20_000)), lambda net: cells_near(net, np.zeros(20_000), 0.1)])
def test_boxes_of_thousands_of_dimensions_are_refused_in_a_short_sentence(ask: Callable[[Any], Any]) -> None:
    """A cube in 20,000 dimensions has a number of faces that Python would not write down."""
    net = random_network([20_000, 2, 1], seed=0)
    with pytest.raises(BudgetExceeded, match=r"^more than 10\^95\d\d bytes"):
        ask(net)


def test_a_box_around_a_large_image_takes_no_more_than_its_corners() -> None:
    peak = peak_of(lambda: Box(np.zeros(150_528), np.ones(150_528)))
    assert peak < 100 * 150_528
    box = Box([0.0, 2.0, -1.0], [1.0, 2.0, 1.0])
    assert box.chart.points.tolist() == [[1.0, 0.0, 0.0], [0.0, 0.0, 1.0], [0.0, 2.0, 0.0]]
    assert box.to_input([[0.5, -0.5]]).tolist() == [[0.5, 2.0, -0.5]]


class Clock:
    """Every look takes one second."""

    now = 0.0

    def __call__(self) -> float:
        self.now += 1.0
        return self.now


def test_a_part_of_a_computation_says_the_limit_that_was_given_for_all(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_budget, "clock", Clock())
    with pytest.raises(BudgetExceeded, match="max_seconds=500 ") as caught:
        for _ in decompose_many(NET, [Segment([-1.0, -1.0], [1.0, 0.5])] * 1000, budget=Budget(max_seconds=500)):
            pass
    assert 500 < caught.value.partial["seconds"] < 600


def test_memory_of_earlier_parts_counts_in_this_process_and_not_in_others_or_later() -> None:
    meter = Meter(Budget(max_seconds=100), 1, resident=12_345, code=67)
    rest = meter.rest()
    part, later = Meter(rest, 1), Meter(rest.for_readings(), 1)
    assert (part.resident, part.code) == (12_345, 67)
    assert later.resident != 12_345
    assert (Meter(part.rest(), 1).resident, Meter(Budget(), 1).resident != 12_345) == (12_345, True)


def test_heights_over_all_of_space_are_computed_within_the_budget(monkeypatch: pytest.MonkeyPatch) -> None:
    asked, smallest = [], unbounded.smallest_height

    def looked(cx: Any) -> float:
        asked.append(_budget._current.get())
        return smallest(cx)

    monkeypatch.setattr(unbounded, "smallest_height", looked)
    decompose(NET, Space(2), budget=Budget(max_seconds=1e6))
    assert len(asked) == 4 and all(m is not None and m.budget.max_seconds == 1e6 for m in asked)


def test_room_for_faces_is_asked_for_beside_all_that_the_process_has_taken(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[int] = []
    monkeypatch.setattr(_cut, "tick", asked.append)
    net = random_network([3, 8, 1], seed=0, weights="he-normal", bias_std=0.5)
    lattice = decompose(net, Box([-1.0] * 3, [1.0] * 3))._walk.lattice  # type: ignore[attr-defined]
    assert sum(asked) >= sum(faces.arrays.pool.nbytes for faces in lattice.faces.values())


def test_true_zeros_are_marked_without_other_tables(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(0)
    x = rng.normal(size=(4096, 64)).clip(0.0) * rng.integers(0, 2, size=(4096, 64))
    known, before = rng.integers(0, 2, size=x.shape).astype(bool), x.copy()
    p, q = rng.integers(0, 2048, size=(2, 2048))
    monkeypatch.setattr(_tensors, "_CHUNK_ENTRIES", 2**12)
    t = Tensor(x, np.zeros(len(x)))
    assert peak_of(lambda: t.with_true_zeros(lambda a, b: known[a:b])) < x.nbytes / 4
    np.testing.assert_array_equal(x, np.where(known, 0.0, np.maximum(before, NOT_ZERO)))
    x[2048:], mixed = before[2048:], before[2048:].copy()
    assert peak_of(lambda: keep_true_zeros(x, 2048, p, q)) < x.nbytes / 4
    mixed[(mixed == 0.0) & ((x[p] != 0.0) | (x[q] != 0.0))] = NOT_ZERO
    np.testing.assert_array_equal(x[2048:], mixed)


def test_a_round_of_a_maximum_gathers_one_member_at_a_time() -> None:
    """The ninth of nine meets the best of eight: three numbers for each group, not nine."""
    values = np.random.default_rng(0).normal(size=(500, 900))
    op = Max(np.arange(900).reshape(100, 9))
    shaped = Max(op.groups)
    found: list[Any] = []
    peak = peak_of(lambda: found.append(shaped.contest(values, 8)))
    member, best, _ = found[0]
    grouped = values.reshape(500, 100, 9)
    np.testing.assert_array_equal(member, grouped[:, :, 8])
    np.testing.assert_array_equal(best, grouped[:, :, :8].max(-1))
    assert peak < 5 * member.nbytes


def test_wide_products_are_divided_so_that_the_budget_is_asked_between(monkeypatch: pytest.MonkeyPatch) -> None:
    op = Conv(np.ones((24, 4, 1, 1)), stride=(1, 1), padding=((0, 0), (0, 0)), dilation=(1, 1))
    monkeypatch.setattr(_tensors, "_CHUNK_ENTRIES", 2**14)
    monkeypatch.setattr(_tensors, "_PART_FLOPS", 1)
    sizes, linear = [], Conv.linear

    def listened(self: Conv, xs: list[Any], coefficients: Any) -> Any:
        sizes.append(len(xs[0]))
        return linear(self, xs, coefficients)

    monkeypatch.setattr(Conv, "linear", listened)
    assert (linear_part(op, [np.ones((64, 4, 16, 16))], 64, (24, 16, 16)) == 4.0).all()
    assert sum(sizes) == 64 and max(sizes) * 24 * 16 * 16 <= 2**15


def test_norms_of_large_maps_in_fractions_ask_the_budget() -> None:
    """The Gram matrix of forty rows and its pivots are fractions that grow: a minute without a look at the clock."""
    net = random_network([40, 60, 60], seed=0, weights="he-normal", bias_std=0.5)
    cx = decompose(net, Segment(np.zeros(40), np.full(40, 0.01)))
    columns = cx.exact_input_map(0)
    with pytest.raises(BudgetExceeded, match="max_seconds"), watched(Meter(Budget(max_seconds=0.05), 1)):
        exact_norm(columns, "l2")


def test_cells_along_a_path_take_no_more_than_the_states_of_a_layer() -> None:
    net = random_network([3, *[400] * 6, 1], seed=0, weights="he-normal", bias_std=0.5)
    points = np.array([[-1.0] * 3, [1.0, 0.5, 0.7], [0.3, -1.0, 0.2]])
    found = cells_along(net, points)
    cx = found.complex
    peak = peak_of(lambda: cells_along(net, points))
    alone = peak_of(lambda: decompose(net, Path(points)))
    assert peak < alone + 3 * 400 * cx.n_cells
    rows = np.concatenate([p.reshape(cx.n_cells, -1) for p in cx.patterns()], axis=1)
    assert len(found) == len(np.unique(rows, axis=0))
    with pytest.raises(BudgetExceeded):
        cells_along(net, points, budget=Budget(max_seconds=1e-9))


def test_what_is_read_off_a_complex_holds_blas_to_one_thread() -> None:
    """Its threads beside ours waited for each other: a convolution of 12 ms took 0.4 s, and nobody asked the budget."""
    before = _parallel._held["by"]
    with watched_anew(Budget()):
        assert _parallel._held["by"] == before + 1
    assert _parallel._held["by"] == before


@pytest.mark.parametrize("domain", [SQUARE, Segment([-1.0, -0.7], [1.0, 0.9])])
@pytest.mark.parametrize("name", ["vertices", "outputs"])
def test_positions_and_values_that_are_settled_when_read_keep_the_budget(
    domain: Any, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where rounding leaves a position open it is computed anew from the maps of cells, layer by layer."""
    cx: Any = decompose(NET, domain)
    module = importlib.import_module(type(cx).__module__)
    settle = f"settled_{'positions' if name == 'vertices' else 'outputs'}"

    def settled(*_: Any) -> Any:
        tick()

    monkeypatch.setattr(module, settle, settled)
    cx.budget = Budget(max_seconds=1e-9)
    with pytest.raises(BudgetExceeded, match="max_seconds"):
        getattr(cx, name)
