"""Planes through wide networks carry only the neurons that switch in them; the complex is the same, cell for cell."""

from typing import Any

import numpy as np
import pytest

from plica.errors import BudgetExceeded
from plica.geometry import Box, Budget, Plane, _decompose, decompose
from plica.geometry.tiles import _whole
from plica.network import random_network
from plica.testing import FAMILIES, draw_case

SMALL = Box([-0.02, -0.02], [0.02, 0.02])


def seen(cx: Any) -> list[Any]:
    """Cells by their patterns, with their corners, sizes and regions."""
    patterns = np.concatenate([np.zeros((cx.n_cells, 0), np.int8), *(p.reshape(cx.n_cells, -1) for p in cx.patterns())], axis=1)
    order = np.lexsort(patterns.T[::-1]) if patterns.shape[1] else np.arange(cx.n_cells)
    sizes = np.diff(cx.cell_offsets)[order].tolist()
    return [cx.n_cells, cx.n_regions, len(cx.vertices), len(cx.edges), patterns[order].tolist(), sizes]


@pytest.mark.parametrize("family", sorted(FAMILIES))
def test_the_complex_is_the_same(family: str, monkeypatch: pytest.MonkeyPatch) -> None:
    for seed in (5, 6):
        case = draw_case(family, seed=seed, size="tiny")
        whole = case.complex
        with monkeypatch.context() as patch:
            patch.setattr(_decompose, "WIDE", 0)
            cx = decompose(case.network, case.domain)
        assert seen(cx) == seen(whole)
        assert np.allclose(np.sort(cx.vertices, axis=0), np.sort(whole.vertices, axis=0), rtol=1e-9, atol=1e-9)
        assert np.allclose(np.sort(cx.outputs, axis=0), np.sort(whole.outputs, axis=0), rtol=1e-6, atol=1e-9)


def test_a_wide_network_on_a_small_window(monkeypatch: pytest.MonkeyPatch) -> None:
    net = random_network([2, 2000, 300, 1], seed=0)
    walked: list[Any] = []

    def told(*args: Any, walk: Any = _whole.walk_switching) -> Any:
        walked.append(walk(*args))
        return walked[-1]

    monkeypatch.setattr(_whole, "walk_switching", told)
    cx = decompose(net, SMALL)
    assert walked[0] is not None
    assert walked[0].exact is cx._walk.exact
    monkeypatch.setattr(_decompose, "WIDE", 10_000)
    whole = decompose(net, SMALL)
    assert len(walked) == 1
    assert cx.n_cells > 10
    assert seen(cx) == seen(whole)
    order = [np.lexsort(c.layer_states(0).T) for c in (cx, whole)]
    switching = np.flatnonzero((whole.layer_states(0) != whole.layer_states(0)[0]).any(axis=0))
    for neuron in [0, 1999, *switching[:5].tolist()]:
        own, other = (c.unit_states(0, neuron)[o] for c, o in zip((cx, whole), order, strict=True))
        assert np.array_equal(own, other)


def test_where_many_switch_all_are_carried(monkeypatch: pytest.MonkeyPatch) -> None:
    net = random_network([2, 1100, 1], seed=0)
    few = decompose(net, SMALL)
    monkeypatch.setattr(_whole, "MOST_OPEN", 3)
    assert decompose(net, SMALL).n_cells == few.n_cells


@pytest.mark.parametrize("limits", [{"max_cells": 5}, {"max_seconds": 1e-9}, {"max_bytes": 1000}])
def test_the_budget_holds(limits: dict[str, Any]) -> None:
    net = random_network([3, 2000, 300, 1], seed=0)
    with pytest.raises(BudgetExceeded, match=next(iter(limits))):
        decompose(net, Plane([0.0] * 3, [[0.02, 0, 0], [0, 0.02, 0.01]]), budget=Budget(**limits))
