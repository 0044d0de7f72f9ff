"""More classes than a byte can number: power diagrams, against clipped polygons in fractions and the largest output on a grid."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import plica
from plica.errors import BudgetExceeded, InvalidNetwork
from plica.geometry import Box, Budget, Complex, Segment, decompose
from plica.geometry.signs import _contenders
from plica.geometry.signs._contenders import contested
from plica.geometry.values._tensors import Tensor
from plica.measure import class_volumes
from plica.network import Linear, Max, Network, Rectifier, extended
from plica.network.operations import _max
from plica.testing import Case, check_areas, check_euler, check_reference

Point = tuple[Fraction, Fraction]
DOMAINS = {1: Segment([-2.0], [2.0]), 2: Box([-2.0] * 2, [2.0] * 2), 3: Box([-2.0] * 3, [2.0] * 3)}
SQUARE = DOMAINS[2]


def nearest(n_sites: int, dimension: int, *, hidden: int = 0, seed: int = 0) -> Network:
    """Which of some sites with dyadic coordinates is the nearest, the largest output; behind some ReLUs if ``hidden``."""
    rng = np.random.default_rng([seed, n_sites, dimension])
    sites = rng.integers(-512, 513, (n_sites, dimension)) / 256
    before: list[Any] = []
    if hidden:
        into, out = rng.integers(-8, 9, (hidden, dimension)) / 8, rng.integers(-8, 9, (dimension, hidden)) / 16
        before = [Linear(into, rng.integers(-8, 9, hidden) / 8), Rectifier(), Linear(out)]
    return Network.sequential(dimension, [*before, Linear(2 * sites, -(sites * sites).sum(axis=1))])


def clipped(polygon: list[Point], a: Fraction, b: Fraction, c: Fraction) -> list[Point]:
    """The part of a convex polygon where a x + b y + c >= 0."""
    out: list[Point] = []
    for (x, y), (u, v) in zip(polygon, polygon[1:] + polygon[:1], strict=True):
        p, q = a * x + b * y + c, a * u + b * v + c
        if p >= 0:
            out.append((x, y))
        if p * q < 0:
            t = p / (p - q)
            out.append((x + t * (u - x), y + t * (v - y)))
    return out


def area(polygon: list[Point]) -> Fraction:
    turned = polygon[1:] + polygon[:1]
    return sum((x * v - u * y for (x, y), (u, v) in zip(polygon, turned, strict=True)), Fraction(0)) / 2


def areas_by_clipping(network: Network) -> list[Fraction]:
    """Class by class, the square cut by the line to each other class; of equal outputs the first is the class."""
    op: Any = network.nodes[1].op
    rows = [[Fraction(float(w)) for w in (*row, bias)] for row, bias in zip(op.weight, op.bias, strict=True)]
    first = {tuple(row): i for i, row in reversed(list(enumerate(rows)))}
    out = []
    for i, row in enumerate(rows):
        polygon = [(Fraction(x), Fraction(y)) for x, y in ((-2, -2), (2, -2), (2, 2), (-2, 2))] if first[tuple(row)] == i else []
        for other in rows:
            if not polygon:
                break
            polygon = clipped(polygon, *(p - q for p, q in zip(row, other, strict=True)))
        out.append(area(polygon) if polygon else Fraction(0))
    return out


@pytest.mark.parametrize("n_classes", [127, 128, 160])
def test_areas_of_many_classes_are_those_of_polygons_clipped_in_fractions(n_classes: int) -> None:
    net = nearest(n_classes, 2)
    expected = areas_by_clipping(net)
    assert [v.exact for v in class_volumes(net, SQUARE, exact=True).volumes] == expected
    assert [v.exact for v in class_volumes(net, SQUARE, exact=True, in_parts=True).volumes] == expected


@pytest.mark.parametrize("dimension", [1, 2, 3])
@pytest.mark.parametrize("n_classes", [129, 300])
def test_the_class_of_each_cell_is_the_largest_output_inside(dimension: int, n_classes: int) -> None:
    net = nearest(n_classes, dimension, hidden=6)
    found = class_volumes(net, DOMAINS[dimension])
    centers = np.array([[float(c) for c in found.complex.interior_point(i)] for i in range(found.complex.n_cells)])
    inside = DOMAINS[dimension].to_input(centers)
    assert (net(inside).argmax(axis=1) == found.classes).all()
    assert (found.complex.network.folds[-1].state(net(inside)).reshape(-1) == found.classes).all()
    points = np.random.default_rng(1).uniform(-2, 2, (20_000, dimension))
    shares = np.bincount(net(points).argmax(axis=1), minlength=n_classes) / len(points)
    assert np.abs(shares - found.shares).max() < 0.02
    assert found.shares.sum() == pytest.approx(1.0)


def test_members_have_no_round_only_where_bounds_prove_that_they_win_on_no_cell() -> None:
    """Twenty members on two triangles with a common side; each value is known to within a quarter, in the 2-norm."""
    corners = np.array([[0.0, 0.0], [1.0, 0.0], [0.0, 1.0], [1.0, 1.0]])
    values, error = np.full((4, 20), -9.0), np.full(4, 0.25)
    values[:, 0] = 0.0
    values[:, 5] = -0.51  # below by more than both can be off
    values[:, 6] = -0.35  # below by less than the two can be off together
    values[:, 7] = [-1.0, -1.0, -1.0, -0.2]  # near at a corner of the second triangle
    values[:, 8] = [-3.0, 1.0, -3.0, 1.5]  # the largest at two corners
    values[:, 9] = 2.0 * corners.sum(axis=1) - 2.8  # and this one at one of them almost
    offsets, vertices = np.array([0, 3, 6]), np.array([0, 1, 2, 1, 3, 2])
    op, repeats = Max(np.arange(20)[None]), Max(np.tile(np.arange(20), (2, 1)))
    played = contested(op, Tensor(values, error), lambda: (offsets, vertices))
    assert played.rounds == (6, 7, 8, 9) and played.state_type == op.state_type
    assert contested(op, Tensor(values, error), lambda: (offsets[:2], vertices[:3])).rounds == (6, 8)
    # each cell has a largest one of its own; the first member stays, though the last cell's is above it: somebody must be first
    assert contested(op, Tensor(values, error), lambda: (np.arange(3), np.array([0, 3]))).rounds == (6, 8, 9)
    assert contested(repeats, Tensor(values, error), lambda: (offsets, vertices)).rounds == played.rounds
    few = Max(np.arange(_contenders.MANY)[None])
    assert contested(few, Tensor(values, error), lambda: (offsets, vertices)) is few


@pytest.mark.parametrize("n_groups", [1, 2, 30])
def test_a_candidate_meets_the_best_of_all_before_it(n_groups: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whether maxima are many or few; members that are absent or repeat an earlier one win nowhere, and have no round alone."""
    rng = np.random.default_rng(n_groups)
    groups, values = rng.integers(0, 12, (n_groups, 20)), rng.normal(size=(50, 12))
    groups[:, 7], groups[:, 9], groups[0, 18:] = groups[:, 3], groups[:, 0], -1
    op = Max(groups)
    wins = [[j for j in range(20) if row[j] >= 0 and row[j] not in row[:j]] for row in groups.tolist()]
    assert op.rounds == tuple(sorted({j for row in wins for j in row} - {0}))
    for entries in (1 << 18, 64):  # all points at once, and a few at a time
        monkeypatch.setattr(_max, "_ENTRIES", entries)
        for j in op.rounds:
            member, best, absent = op.contest(values, j)
            before = [[k for k in row[:j] if k >= 0] for row in groups.tolist()]
            assert np.array_equal(best, np.stack([values[:, row].max(axis=1) for row in before], axis=1))
            present = ~absent
            assert present.tolist() == [j in row for row in wins]
            assert np.array_equal(member[:, present], values[:, groups[present, j]])


def test_cells_are_looked_at_whole_where_they_are_looked_at_in_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    net = extended(nearest(40, 2, hidden=5), [Max(np.arange(40)[None])])
    whole = decompose(net, SQUARE)
    monkeypatch.setattr(_contenders, "_ENTRIES", 200)
    again = decompose(net, SQUARE)
    assert again.n_cells == whole.n_cells
    assert all((a == b).all() for a, b in zip(again.patterns(), whole.patterns(), strict=True))


def test_cells_under_a_maximum_of_many_are_those_of_the_rational_reference() -> None:
    """The reference cuts along all pairs of members: of many it is given few that are different, at positions beyond a byte."""
    net = extended(
        nearest(6, 2, hidden=3, seed=3), [Max(np.array([[0] * 126 + [1, 2, 3, 4, 5], [5] * 125 + [4, 3, 2, 1, 0, -1]]))]
    )
    case = Case(net, Box([-1.0, -1.0], [1.0, 1.0]))
    assert max(int(states.max()) for states in case.complex.patterns()) > 127
    check_reference(case)
    check_euler(case)
    check_areas(case)


def test_a_boundary_of_many_classes_is_the_same_from_tiles_and_from_the_complex() -> None:
    net = nearest(200, 2, hidden=5)
    curves = plica.decision_boundary(net, SQUARE)
    segments = decompose(net, SQUARE).decision_boundary()
    assert curves.length == pytest.approx(np.linalg.norm(segments[:, 1] - segments[:, 0], axis=1).sum())
    top = np.sort(net(curves.segments.mean(axis=1)), axis=1)[:, -2:]
    np.testing.assert_allclose(top[:, 0], top[:, 1], atol=1e-9)


def test_lines_find_where_the_class_changes_among_many() -> None:
    net = nearest(300, 1, hidden=5)
    t = decompose(net, DOMAINS[1]).decision_boundary().reshape(-1)
    grid = np.linspace(-2, 2, 100_001)[:-1] + 1.7e-5  # not the dyadic points where classes tie
    op: Any = net.nodes[-1].op
    same = np.unique(np.column_stack([op.weight, op.bias]), axis=0, return_inverse=True)[1]  # sites may be drawn twice
    changes = grid[np.flatnonzero(np.diff(same[net(grid[:, None]).argmax(axis=1)]))]
    gaps = np.abs(np.sort(DOMAINS[1].to_input(t[:, None])[:, 0])[:, None] - changes).min(axis=0)
    assert gaps.max() < 1e-4 and len(t) >= len(changes)


def test_many_classes_survive_storage(tmp_path: Path) -> None:
    cx = class_volumes(nearest(150, 2, hidden=4), SQUARE).complex
    cx.save(tmp_path / "cells.npz")
    again = Complex.load(tmp_path / "cells.npz")
    for a, b in zip(cx.patterns(), again.patterns(), strict=True):
        assert a.dtype == b.dtype and (a == b).all()


def test_states_of_few_take_one_byte_and_those_of_many_two() -> None:
    assert Rectifier().state(np.ones((1, 3))).dtype == np.int8
    for n, kind in ((127, np.int8), (128, np.int16)):
        op = Max(np.arange(n)[None])
        x = np.zeros((2, n))
        x[0, -1] = 1.0
        assert op.state(x).dtype == kind and op.state(x).reshape(-1).tolist() == [n - 1, 0]


def test_a_budget_holds_among_many_classes() -> None:
    with pytest.raises(BudgetExceeded):
        class_volumes(nearest(300, 2), SQUARE, budget=Budget(max_cells=100))


def test_maxima_that_cannot_be_numbered_are_refused() -> None:
    with pytest.raises(InvalidNetwork, match="more than supported"):
        Network.sequential(40_000, [Max(np.arange(40_000)[None])])
    with pytest.raises(InvalidNetwork, match="more than supported"):
        Network.sequential(20_000, [Max(np.tile(np.arange(20_000), (6, 1)))])
    assert Network.sequential(32_767, [Max(np.arange(32_767)[None])]).n_outputs == 1
