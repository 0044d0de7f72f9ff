"""Bounds of slopes and curvature hold between the points of a grid, count every direction, and are believed only if proved."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest

from plica.construct import PiecewisePolynomial, Polynomial, box_network, narrow_line, sin, threshold, variables
from plica.construct.targets import _slopes
from plica.construct.targets._intervals import Interval
from plica.construct.targets._slopes import checked_lipschitz, curvature_bound, slope_bound, slope_bounds, values_at
from plica.construct.targets._targets import as_target
from plica.errors import InvalidInput

(x,) = variables(1)


def test_a_bound_holds_between_the_points_of_a_grid() -> None:
    (found,) = slope_bounds(as_target(Polynomial([0, 3, 0, -1]), 1), [-1.0], [0.9])  # 3 (1 - x^2): no point of the grid is 0
    assert 3.0 <= found <= 3.02


def test_slopes_of_all_coordinates_are_added_and_mixed_curvature_counts_twice() -> None:
    tilted = as_target(Polynomial({(1, 0): 1, (0, 1): -2}), 2)
    assert slope_bound(tilted, [0.0, 0.0], [1.0, 1.0]) == pytest.approx(3.0)
    assert slope_bounds(tilted, [0.0, 0.0], [1.0, 1.0]) == pytest.approx([1.0, 2.0])
    assert curvature_bound(as_target(Polynomial({(1, 1): 1, (2, 0): 1}), 2), [0.0, 0.0], [1.0, 1.0]) == pytest.approx(4.0)


def test_every_piece_counts_where_it_is_the_target() -> None:
    ramp = PiecewisePolynomial([0, 1, 3], [Polynomial([0, 0, 1]), Polynomial([1])])
    assert slope_bounds(ramp, [0.0], [3.0]) == pytest.approx([2.0])
    assert slope_bounds(ramp, [0.0], [0.5]) == pytest.approx([1.0])
    with pytest.raises(InvalidInput, match="its slope reaches 2"):
        checked_lipschitz(ramp, [0.0], [3.0], 1.5)


@pytest.mark.parametrize("stated", [0.9995, 1 - 1e-9])
def test_a_constant_that_is_a_little_too_small_is_refused(stated: float) -> None:
    for build in (threshold, box_network, narrow_line):
        with pytest.raises(InvalidInput, match="not Lipschitz with constant"):
            build(Polynomial([0, 1]), error=0.1, lipschitz=stated)


def test_what_is_not_quite_proved_is_replaced_by_what_is() -> None:
    curve = as_target(x * x * (1 - x), 1)  # its slope is largest at 1/3, and enclosures are a little larger
    proved = slope_bound(curve, [0.32], [0.35])
    assert 1 / 3 + 1e-6 < proved < 1.001 / 3
    assert checked_lipschitz(curve, [0.32], [0.35], 1 / 3) == proved
    with pytest.raises(InvalidInput, match=r"cannot be proved"):
        checked_lipschitz(as_target(x * x - x * x + x, 1), [0.0], [1.0], 1.0)  # 1 at every point, more in every box


def test_a_value_is_as_far_off_as_its_enclosure_allows(monkeypatch: pytest.MonkeyPatch) -> None:
    wide = SimpleNamespace(enclose=lambda points: Interval(np.zeros(1), np.ones(1)))
    monkeypatch.setattr(_slopes, "smooth", lambda target: wide)
    values, error = values_at(as_target(sin(x), 1), np.zeros((1, 1)))
    assert values[0] + error >= 1 and values[0] - error <= 0
