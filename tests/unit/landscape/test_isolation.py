"""Roots of polynomials in Bernstein form: what is left undecided where coefficients are known up to an error."""

from __future__ import annotations

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
