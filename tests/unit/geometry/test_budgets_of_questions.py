"""Budgets of questions that are more than one decomposition, and of what networks are prepared with."""

from __future__ import annotations

import tracemalloc
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from plica import measure, robust
from plica._parallel import looking
from plica.errors import BudgetExceeded
from plica.exact import exactly
from plica.geometry import Box, Budget, Path, Segment, _budget, _parts, cells_along, cells_near, decompose, parts
from plica.geometry.signs._oracle import simple_forms
from plica.geometry.space import _engine as space_engine
from plica.geometry.values._dyadic_rows import coarse_scale
from plica.geometry.values._rescaling import rescaled
from plica.geometry.values._tensors import Tensor, apply_fold
from plica.measure import _trajectory_exact, _trajectory_images
from plica.network import Clip, Conv, Linear, Network, Rectifier, random_network
from plica.network.operations import spectral_norm_bound

NET = random_network([2, 8, 8, 2], seed=0, weights="he-normal", bias_std=0.5)
SQUARE = Box([-1.0, -1.0], [1.0, 1.0])
DATA = np.random.default_rng(0).normal(size=(20, 2))
PROPERTY = robust.parse_vnnlib(
    "".join(f"(declare-const {v} Real)" for v in ("X_0", "X_1", "Y_0", "Y_1"))
    + "(assert (>= X_0 -1)) (assert (<= X_0 1)) (assert (>= X_1 -1)) (assert (<= X_1 1)) (assert (<= Y_0 Y_1))"
)
QUESTIONS: dict[str, Callable[[Budget], Any]] = {
    "trajectory_length": lambda b: measure.trajectory_length(NET, Path(DATA[:3]), budget=b),
    "trajectory_images": lambda b: measure.trajectory_images(NET, Path(DATA[:3]), budget=b),
    "compare": lambda b: measure.compare(NET, NET, SQUARE, budget=b),
    "region_density": lambda b: measure.region_density(NET, DATA, budget=b),
    "class_topology": lambda b: measure.class_topology(NET, SQUARE, 0, budget=b),
    "level_topology": lambda b: measure.level_topology(NET, SQUARE, 0.0, budget=b),
    "violating_volume": lambda b: robust.violating_volume(NET, PROPERTY, budget=b),
    "cells_along": lambda b: cells_along(NET, DATA[:3], budget=b),
    "cells_near": lambda b: cells_near(NET, [0.0, 0.0], 0.5, norm=2, budget=b),
    "stream_values": lambda b: measure.stream_values(random_network([3, 6, 1], seed=0), Box([-1.0] * 3, [1.0] * 3), budget=b),
}


class Clock:
    """Time that stands still, and goes on where somebody looks."""

    def __init__(self) -> None:
        self.now, self.step = 0.0, 0.0

    def __call__(self) -> float:
        self.now += self.step
        return self.now


@pytest.mark.parametrize("name", QUESTIONS)
def test_a_question_of_several_parts_has_one_budget(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A look takes a second: what would do without a limit, and takes n seconds, is stopped by a limit of 0.8 n."""
    clock = Clock()
    monkeypatch.setattr(_budget, "clock", clock)
    QUESTIONS[name](Budget())  # what is computed once for a network is known now
    clock.step = 1.0
    QUESTIONS[name](Budget(max_seconds=1e9))
    taken = clock.now
    with pytest.raises(BudgetExceeded, match="max_seconds"):
        QUESTIONS[name](Budget(max_seconds=0.8 * taken))


def test_lengths_along_a_path_are_added_up_within_the_budget(monkeypatch: pytest.MonkeyPatch) -> None:
    """Ten thousand units along 20,000 pieces: two seconds after the last look."""
    asked: list[Any] = []
    monkeypatch.setattr(_trajectory_exact, "tick", lambda _: asked.append(_budget._current.get()))
    QUESTIONS["trajectory_length"](Budget(max_seconds=1e6))
    assert asked and all(meter.budget.max_seconds <= 1e6 for meter in asked)


def test_parts_of_a_box_know_what_earlier_ones_took(monkeypatch: pytest.MonkeyPatch) -> None:
    given: list[Any] = []

    def recorded(network: Network, domain: Any, *, budget: Any) -> Any:
        given.append(budget)
        return decompose(network, domain, budget=budget)

    monkeypatch.setattr(_parts, "decompose", recorded)
    net = random_network([3, 8, 8, 1], seed=0, weights="he-normal", bias_std=0.5)
    found = list(parts(net, Box([-1.0] * 3, [1.0] * 3), max_cells=60))
    assert len(found) > 1 and {b.max_cells for b in given} == {60}
    assert len({b.resident for b in given}) == 1 and given[0].process > 0


@contextmanager
def counted() -> Iterator[list[int]]:
    looks = [0]

    def look() -> None:
        looks[0] += 1

    with looking(look):
        yield looks


def test_products_of_fractions_and_of_large_integers_are_looked_at_on_the_way() -> None:
    rng = np.random.default_rng(0)
    dense, conv = (
        Linear(rng.normal(size=(300, 300))),
        Conv(rng.normal(size=(16, 8, 3, 3)), None, (1, 1), ((1, 1), (1, 1)), (1, 1)),
    )
    for op, shape in ((dense, (2, 300)), (conv, (1, 8, 12, 12))):
        x, w = rng.integers(-9, 9, size=shape), rng.integers(-9, 9, size=op.weight.shape)
        with counted() as looks:
            y = op.linear([x.astype(object)], w.astype(object))
        assert looks[0] >= 3
        np.testing.assert_array_equal(y.astype(np.int64), op.linear([x], w))
    with counted() as looks:
        assert exactly(np.full(200_000, 0.5))[-1] == Fraction(1, 2)
    assert looks[0] >= 3


def test_between_the_nodes_of_a_network_the_budget_is_asked() -> None:
    with counted() as looks:
        NET(np.zeros(2))
    assert looks[0] >= len(NET.nodes) - 1


def test_definitions_of_regions_ask_the_budget_while_they_compute_in_fractions() -> None:
    """Twelve faces between cells of 300 clips in two layers each: eight seconds without a look."""
    rng = np.random.default_rng(0)
    layers = [Linear(rng.normal(size=(150, n)) / np.sqrt(n), rng.normal(size=150)) for n in (2, 150)]
    net = Network.sequential(2, [layers[0], Clip(0.0, 6.0), layers[1], Clip(-1.0, 1.0), Linear(rng.normal(size=(1, 150)))])
    cx = decompose(net, Box([0.1, 0.1], [0.11, 0.11]))
    with counted() as looks:
        measure.region_definitions(cx)  # has its own budget, and looks for itself
    meter = _budget.Meter(Budget(), 1)
    with _budget.watched(meter), counted() as looks:
        measure.region_definitions(cx)
    n_products = cx.n_cells * 150 * 150
    assert looks[0] >= n_products / 2**15


def peak_of(work: Callable[[], Any]) -> int:
    tracemalloc.start()
    try:
        work()
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


def test_what_is_known_of_a_large_matrix_takes_no_copy_of_it() -> None:
    """Its norm, its largest number and the bits of its numbers: a layer of 4,096 by 4,096 took four times its 134 MB."""
    weight = np.random.default_rng(0).normal(size=(3000, 2500)).astype(np.float32).astype(float)
    weight[0] = 0.0  # the first numbers say nothing
    net = Network.sequential(2500, [Linear(weight), Rectifier()])
    works: tuple[Callable[[], Any], ...] = (
        lambda: spectral_norm_bound(weight),
        lambda: coarse_scale(weight),
        lambda: rescaled(net, Segment(np.zeros(2500), np.ones(2500))),
    )
    for work in works:
        assert peak_of(work) < weight.nbytes / 2


@pytest.mark.parametrize("shape", [(40, 25), (25, 40), (300, 7), (1, 9), (9, 1), (2100, 3)])
def test_a_norm_in_strips_is_the_norm(shape: tuple[int, int], monkeypatch: pytest.MonkeyPatch) -> None:
    import importlib

    linear = importlib.import_module("plica.network.operations._linear")
    matrix = np.random.default_rng(0).normal(size=shape)
    true, whole = np.linalg.norm(matrix, 2), spectral_norm_bound(matrix)
    monkeypatch.setattr(linear, "_AT_ONCE", 50)
    strips = spectral_norm_bound(matrix)
    assert strips == pytest.approx(whole, rel=1e-9)
    assert true <= strips <= 1.03 * true


def test_a_clip_takes_no_tables_beside_its_values() -> None:
    op, x = Clip(-1.0, 1.0), Tensor(np.random.default_rng(0).normal(size=(4000, 2000)), np.zeros(4000))
    found: list[Tensor] = []
    assert peak_of(lambda: found.append(apply_fold(op, x, (2000,)))) < 1.8 * x.nbytes + 8 * 2**23
    np.testing.assert_array_equal(found[0].values, np.clip(x.values, -1.0, 1.0))
    forms: list[Any] = []
    assert peak_of(lambda: forms.append(simple_forms(op, x))) < 1.8 * 2 * x.nbytes + 8 * 2**23
    assert forms[0].z.shape == (4000, 4000)


def test_forms_that_are_no_tensor_are_not_copied_in_space(monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[Any] = []

    def kept(*args: Any) -> Any:
        made.append(simple_forms(*args))
        return made[-1]

    seen: list[Any] = []
    run = space_engine.LatticeCut.run

    def looked(cut: Any, forms: Any) -> None:
        seen.append(forms.z is made[-1].z and forms.z is before[-1])
        run(cut, forms)

    before: list[Any] = []

    def recorded(*args: Any) -> Any:
        forms = kept(*args)
        before.append(forms.z)
        return forms

    monkeypatch.setattr(space_engine, "simple_forms", recorded)
    monkeypatch.setattr(space_engine.LatticeCut, "run", looked)
    rng = np.random.default_rng(0)
    for op in (Clip(-1.0, 1.0), Rectifier()):
        net = Network.sequential(3, [Linear(rng.normal(size=(5, 3))), op, Linear(rng.normal(size=(1, 5)))])
        decompose(net, Box([-1.0] * 3, [1.0] * 3))
    assert seen == [True, False]  # a tensor must stay as it is


def test_the_plane_of_a_large_image_is_found_without_its_decomposition(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(0)
    rows = rng.normal(size=(300, 80)) * np.concatenate([[9.0, 5.0, 4.5], np.ones(77)])
    centered = rows - rows.mean(0)
    whole = _trajectory_images._principal(centered)
    monkeypatch.setattr(_trajectory_images, "_MOST_WORK", 0)
    found = _trajectory_images._principal(centered)
    np.testing.assert_allclose(found @ found.T, np.eye(2), atol=1e-12)
    shown, best = ((centered @ d.T) ** 2 for d in (found, whole))
    assert shown.sum() == pytest.approx(best.sum(), rel=1e-8)


def test_images_of_a_wide_layer_ask_before_they_take_memory() -> None:
    net = random_network([2, 4000, 1], seed=0, weights="he-normal", bias_std=0.5)
    path = Segment([-1.0, -0.7], [1.0, 0.9])
    n = len(decompose(net, path).points)
    with pytest.raises(BudgetExceeded, match="max_bytes"):
        measure.trajectory_images(net, path, budget=Budget(max_bytes=8 * n * 4000))


def test_outputs_of_a_wide_network_in_a_window_ask_before_they_take_memory() -> None:
    """Where few neurons switch the outputs are a matrix of what they are made of: it was multiplied out in one go."""
    net = random_network([2, 1100, 3000], seed=0, weights="he-normal", bias_std=0.5)
    cx = decompose(net, Box([0.1, 0.1], [0.3, 0.3]))
    cx.budget = Budget(max_bytes=8 * cx.n_vertices * 3000 - 1)
    assert cx.budget.max_bytes > _budget.SMALL
    with pytest.raises(BudgetExceeded, match="max_bytes"):
        _ = cx.outputs
