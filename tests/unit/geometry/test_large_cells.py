"""Cells that very many folds cut are worked on in parts, with the clock in view; the complex is the same."""

from typing import Any

import numpy as np
import pytest

from plica.errors import BudgetExceeded
from plica.geometry import Box, Budget, _budget, decompose
from plica.geometry.plane import _chord_order
from plica.network import Network
from plica.testing import FAMILIES, chain, draw_case


def in_parts(patch: pytest.MonkeyPatch, part_pairs: int = 7) -> None:
    patch.setattr(_chord_order, "MANY_PAIRS", 2)
    patch.setattr(_chord_order, "MANY_CHORDS", 1)
    patch.setattr(_chord_order, "_PART_PAIRS", part_pairs)


def lines(n: int, seed: int) -> Network:
    """One layer of n units whose folds are lines near the origin, in all directions."""
    rng = np.random.default_rng(seed)
    angle = rng.uniform(0, 2 * np.pi, n)
    return chain([np.stack([np.cos(angle), np.sin(angle)], axis=1), np.ones((1, n))], [rng.normal(size=n) / 10, np.zeros(1)])


@pytest.mark.parametrize("n", [3, 24, 25, 90])
def test_all_pairs_of_lines_cross_in_a_box_that_holds_their_crossings(n: int) -> None:
    """Steiner's count, and two lines through each crossing, on both sides of the number from which on another sort is used."""
    net = lines(n, seed=n)
    normals, offsets = net.nodes[1].op.dense, net.nodes[1].op.offset
    crossings = [
        np.linalg.solve(normals[[i, j]], -offsets[[i, j]])
        for i in range(n)
        for j in range(i)
        if abs(np.linalg.det(normals[[i, j]]))
    ]
    reach = 2 * float(np.abs(crossings).max())
    cx = decompose(net, Box([-reach] * 2, [reach] * 2))
    assert cx.n_cells == 1 + n + n * (n - 1) // 2
    inner = np.sort(cx.vertices[np.abs(cx.vertices).max(axis=1) < 0.75 * reach], axis=0)
    assert np.allclose(inner, np.sort(np.array(crossings), axis=0), rtol=1e-6, atol=1e-9)


@pytest.mark.parametrize("family", sorted(FAMILIES))
def test_in_parts_the_complex_is_the_same(family: str, monkeypatch: pytest.MonkeyPatch) -> None:
    for seed in (3, 4):
        case = draw_case(family, seed=seed, size="tiny")
        whole = case.complex
        with monkeypatch.context() as patch:
            in_parts(patch)
            cx = decompose(case.network, case.domain)
        assert cx.vertices.tobytes() == whole.vertices.tobytes()
        assert np.array_equal(cx.edges, whole.edges)
        assert np.array_equal(cx.edge_cells, whole.edge_cells)
        assert np.array_equal(cx.regions, whole.regions)
        assert cx.decisions == whole.decisions


def test_the_clock_is_looked_at_while_one_cell_is_cut(monkeypatch: pytest.MonkeyPatch) -> None:
    net, looks, ask = lines(90, seed=0), [0], _budget.Meter.check

    def counted(self: Any, **about: Any) -> None:
        looks[0] += 1
        ask(self, **about)

    monkeypatch.setattr(_budget.Meter, "check", counted)
    decompose(net, Box([-1, -1], [1, 1]))
    whole = looks[0]
    in_parts(monkeypatch, part_pairs=900)
    decompose(net, Box([-1, -1], [1, 1]))
    assert looks[0] - whole > whole + 2 * 90 * 90 / 900


def test_pairs_of_chords_are_counted_against_the_budget_before_they_are_made() -> None:
    """1,200 lines, half a million crossings of 28 bytes on each of two chords."""
    with pytest.raises(BudgetExceeded, match="max_bytes"):
        decompose(lines(1200, seed=0), Box([-1, -1], [1, 1]), budget=Budget(max_bytes=20_000_000))
