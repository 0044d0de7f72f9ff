"""Chains of width 3 in the plane: caps that make discs grow, and functions that are put right nowhere twice."""

from __future__ import annotations

from math import hypot, pi

import numpy as np
import pytest

from plica.construct import narrow_plane, sin, variables
from plica.construct.representations._narrow_plane import _cuts
from plica.errors import BudgetExceeded, InvalidDomain

X, Y = variables(2)
CASES = {
    "product": (X * Y, lambda x, y: x * y, 0.2, (0.0, 0.0), (1.0, 1.0)),
    "saddle": (1 + X * X - Y * Y, lambda x, y: 1 + x * x - y * y, 0.3, (0.0, 0.0), (1.0, 1.0)),
    "a rectangle off the origin": (X * Y + sin(X), lambda x, y: x * y + np.sin(x), 0.4, (-1.0, 1.0), (0.5, 2.0)),
    "a plane": (2 * X - 3 * Y, lambda x, y: 2 * x - 3 * y, 0.01, (-1.0, -1.0), (1.0, 1.0)),
}


@pytest.mark.parametrize("name", CASES)
def test_every_point_of_a_grid_is_within_the_error(name: str) -> None:
    target, f, error, low, high = CASES[name]
    built = narrow_plane(target, error=error, low=low, high=high)
    grid = np.stack(np.meshgrid(*(np.linspace(a, b, 161) for a, b in zip(low, high, strict=True))), -1).reshape(-1, 2)
    assert set(built.network.widths[1:-1]) <= {3} and built.network.widths[0] == 2
    assert float(built.certificate.bound) <= error * (1 + 1e-9)
    found = np.abs(built.network(grid)[:, 0] - f(*grid.T)).max()
    assert found <= error
    if name == "a plane":
        assert built.depth == 0 and found < 1e-12  # nothing bends


def test_the_certificate_is_true_on_all_cells() -> None:
    built = narrow_plane(X * Y, error=0.25)
    assert float(built.certificate.true_error.high) <= float(built.certificate.bound)
    assert built.certificate.verify(built.network)


@pytest.mark.parametrize(("eps", "curvature"), [(0.1, 2.0), (0.02, 1.0), (0.3, 5.0)])
def test_caps_cover_the_rectangle_and_keep_what_is_right(eps: float, curvature: float) -> None:
    """The two conditions of the proof for every cap, at random points of what was covered before, and the cover itself."""
    low, high = np.array([-1.0, -0.5]), np.array([1.0, 0.5])
    points = np.random.default_rng(0).uniform(low, high, (3000, 2))
    covered = (points**2).sum(1) <= 2 * eps / curvature
    assert covered.any()
    for u, r, t, steep in _cuts(low, high, eps, curvature):
        s = points @ u - r
        apart = ((points - r * u) ** 2).sum(1) * curvature / 2  # from the tangent plane at the middle of the cut
        inside = covered & (s < 0)
        assert (apart[inside] <= steep * np.abs(s[inside]) + eps - steep * t / 2 + 1e-12).all()
        cap = (s >= 0) & ((points**2).sum(1) <= (r + t) ** 2)
        assert (apart[cap] + np.abs(steep * t / 2 - steep * s[cap]) <= eps + 1e-12).all()
        covered |= cap
        covered &= (s < 0) | cap  # beyond the ring the chain is thrown away, and put right later
    assert covered.all()


def test_depth_grows_like_the_power_three_halves() -> None:
    low, high = np.array([0.0, 0.0]), np.array([1.0, 1.0])
    n = [len(_cuts(low, high, eps, 1.0)) for eps in (0.08, 0.02, 0.005)]
    assert 6 < n[1] / n[0] < 10 and 6.5 < n[2] / n[1] < 9.5
    largest = max(r for _, r, _, _ in _cuts(low, high, 0.01, 1.0))
    assert largest < hypot(0.5, 0.5) and all(t > 0 and m > 0 for _, _, t, m in _cuts(low, high, 0.01, 1.0))
    assert 2 * n[0] < 2.25 * pi * (0.5 / 0.08) ** 1.5


def test_what_is_no_rectangle_or_too_deep_is_refused() -> None:
    with pytest.raises(InvalidDomain):
        narrow_plane(X * Y, error=0.1, low=[0.0, 1.0], high=[1.0, 1.0])
    with pytest.raises(BudgetExceeded, match="layers"):
        narrow_plane(X * Y, error=1e-4)
