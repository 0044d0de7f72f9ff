"""Roots of polynomials in Bernstein form: what is left undecided where coefficients are known up to an error."""

from __future__ import annotations

from fractions import Fraction
from math import comb

import numpy as np
import pytest

from plica.landscape._isolation import isolate


def sign_changes(coefficients: np.ndarray) -> int:
    """Of a polynomial in Bernstein form, seen at many points of [0, 1]."""
    t, n = np.linspace(0, 1, 2001), len(coefficients) - 1
    values = sum(a * comb(n, k) * t**k * (1 - t) ** (n - k) for k, a in enumerate(coefficients))
    return int((np.diff(np.sign(values[values != 0])) != 0).sum())


def test_one_root_is_not_claimed_where_the_error_leaves_room_for_three() -> None:
    known, error = np.array([1.5, 0.0, 0.0, -1.5]), 1.0
    one, three = known.copy(), np.array([0.5, -1.0, 1.0, -0.5])
    assert np.abs(three - known).max() <= error and (sign_changes(one), sign_changes(three)) == (1, 3)
    found = isolate(known[:, None], np.array([error]), np.zeros(1), np.ones(1))
    assert found.undecided.tolist() == [True] and not len(found.which)


@pytest.mark.parametrize("seed", range(20))
def test_what_is_decided_is_right_for_every_polynomial_within_the_error(seed: int) -> None:
    rng = np.random.default_rng(seed)
    n, many = int(rng.integers(2, 6)), 200
    c = rng.normal(size=(n + 1, many)) * rng.choice([1.0, 0.05], size=(n + 1, many))
    error = rng.choice([0.02, 0.1, 0.3], size=many)
    found = isolate(c, error, np.zeros(many), np.ones(many))
    decided = np.flatnonzero(~found.undecided)
    assert len(decided) > 10
    for k in decided:
        n_roots = int((found.which == k).sum())
        for _ in range(10):
            moved = c[:, k] + error[k] * rng.choice([-1.0, 1.0, 0.0], size=n + 1)
            assert sign_changes(moved) == n_roots and np.sign(moved[0]) == found.signs[k]


def exact_value(c: np.ndarray, t: float) -> Fraction:
    """A polynomial in Bernstein form, in fractions."""
    n, x = len(c) - 1, Fraction(t)
    return sum((Fraction(float(a)) * comb(n, k) * x**k * (1 - x) ** (n - k) for k, a in enumerate(c)), Fraction(0))


def test_signs_that_rounding_would_turn_are_left_undecided() -> None:
    # coefficients without an error, and a root that no double tells from the low end: averages round to either side of zero
    rng = np.random.default_rng(5)
    many, n = 1500, 3
    low = rng.uniform(0.1, 0.9, size=many)
    others = rng.normal(size=(n, many))
    c = np.concatenate([others, np.zeros((1, many))])
    weights = [comb(n, k) * low**k * (1 - low) ** (n - k) for k in range(n + 1)]
    c[n] = -sum(w * a for w, a in zip(weights, others, strict=False)) / weights[n]  # p(low) is nearly zero
    found = isolate(c, np.zeros(many), low, np.ones(many))
    truth = np.array([(v > 0) - (v < 0) for v in (exact_value(c[:, k], low[k]) for k in range(many))])
    decided = ~found.undecided
    assert (found.signs[decided] == truth[decided]).all() and decided.sum() < many / 2
    for k, a, b in zip(found.which, found.low, found.high, strict=True):
        assert exact_value(c[:, k], a) * exact_value(c[:, k], b) < 0


@pytest.mark.parametrize("degree", [1, 2, 5])
def test_roots_are_enclosed_in_fractions_and_none_is_missed(degree: int) -> None:
    rng = np.random.default_rng(degree)
    c = rng.normal(size=(degree + 1, 60))
    low, high = rng.uniform(0, 0.3, size=60), rng.uniform(0.5, 1, size=60)
    found = isolate(c, np.zeros(60), low, high)
    for k in np.flatnonzero(~found.undecided):
        mine = found.which == k
        for a, b in zip(found.low[mine], found.high[mine], strict=True):
            assert low[k] <= a <= b <= high[k] and b - a < 1e-11
            assert exact_value(c[:, k], a) * exact_value(c[:, k], b) < 0
        t = np.linspace(low[k], high[k], 400)
        seen = np.array([exact_value(c[:, k], float(s)) > 0 for s in t])
        assert int((seen[1:] != seen[:-1]).sum()) == mine.sum()
