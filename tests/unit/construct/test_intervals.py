"""Intervals and formulas: whatever rounding does, the true value is inside; derivatives are derivatives."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from plica.construct import Expression, Polynomial, cos, exp, log, sin, sqrt, variables
from plica.construct._texts import parse_argument
from plica.construct.targets._formulas import parse_expression
from plica.construct.targets._intervals import Interval, ceil_float, floor_float

mpmath = pytest.importorskip("mpmath")
X, Y = variables(2)
NUMBERS = st.fractions(min_value=-8, max_value=8, max_denominator=10**6)


def inside(value: object, interval: Interval) -> bool:
    low, high = float(np.asarray(interval.low).reshape(-1)[0]), float(np.asarray(interval.high).reshape(-1)[0])
    with mpmath.workprec(200):
        return bool(mpmath.mpf(low) <= value <= mpmath.mpf(high))


@given(NUMBERS, NUMBERS, st.integers(0, 7))
def test_arithmetic_encloses_rationals(a: Fraction, b: Fraction, n: int) -> None:
    x, y = Interval.of(a), Interval.of(b)
    pairs = [(a + b, x + y), (a - b, x - y), (a * b, x * y), (a**n, x**n), (abs(a), x.absolute())]
    if b:
        pairs.append((a / b, x / y))
    for exact, interval in pairs:
        assert Fraction(float(interval.low)) <= exact <= Fraction(float(interval.high))


@given(st.floats(-700, 700), st.floats(0, 3))
def test_functions_enclose_their_values_on_an_interval(a: float, width: float) -> None:
    box = Interval(np.array([a]), np.array([a + width]))
    with mpmath.workprec(200):
        for t in (0.0, 0.3, 0.77, 1.0):
            x = mpmath.mpf(a) + (mpmath.mpf(a + width) - mpmath.mpf(a)) * mpmath.mpf(t)
            assert inside(mpmath.sin(x), box.sin()) and inside(mpmath.cos(x), box.cos())
            assert inside(mpmath.exp(x), box.exp())
            assert inside(mpmath.sqrt(abs(x)), box.absolute().sqrt())
            if x:
                assert inside(mpmath.log(abs(x)), box.absolute().log())


@given(NUMBERS)
def test_floats_around_a_fraction_are_neighbors(a: Fraction) -> None:
    low, high = floor_float(a), ceil_float(a)
    assert Fraction(low) <= a <= Fraction(high) and high <= np.nextafter(low, np.inf)


FORMULAS = [
    sin(3 * X) * Y**2,
    exp(X * Y) / (2 + cos(Y)),
    sqrt(X**2 + 1) - Y / 3,
    (X + Y) ** 3 * 2 - X**-1,
    log(X + Y**2) * X,
]


@pytest.mark.parametrize("f", FORMULAS, ids=repr)
def test_derivatives_agree_with_differences_and_enclosures_with_values(f: Expression) -> None:
    rng = np.random.default_rng(0)
    points = rng.uniform(0.5, 1.5, (50, 2))
    for i in range(2):
        step = np.zeros(2)
        step[i] = 1e-6
        slope = (f(points + step) - f(points - step)) / 2e-6
        assert np.allclose(f.derivative(i)(points), slope, rtol=1e-6, atol=1e-6)
    low, high = points - 0.01, points + 0.01
    box = f.enclose([Interval(low[:, k], high[:, k]) for k in range(2)])
    for _ in range(5):
        values = f(rng.uniform(low, high))
        assert ((box.low <= values) & (values <= box.high)).all()


def test_formulas_are_exact_where_they_are_rational() -> None:
    point = [Fraction(1, 3), Fraction(2)]
    assert ((X + Y) ** 2 / 7).exact(point) == Fraction(7, 9)
    assert abs(X - 1).exact(point) == Fraction(2, 3)
    assert sin(X - Fraction(1, 3)).exact(point) == 0 and sin(X).exact(point) is None
    assert (X**2 * Y).substitute([Y, X + 1]).exact(point) == 4 * Fraction(4, 3)


def test_an_absolute_value_keeps_its_enclosures_over_the_kink() -> None:
    f = abs(X)
    across = [Interval(np.array([-1.0]), np.array([2.0])), Interval.of(np.zeros(1))]
    assert f.enclose(across).high == 2 and f.enclose(across).low == 0
    assert f.derivative(0).enclose(across).low == -1
    assert np.isinf(f.derivative(0).derivative(0).enclose(across).high)


def test_polynomials_are_rings_with_derivatives() -> None:
    p, q = Polynomial({(1, 0): 2, (0, 1): -1}), Polynomial({(1, 1): 1, (0, 0): 3})
    point = [Fraction(1, 2), Fraction(-3, 4)]
    assert (p * q - p).exact(point) == p.exact(point) * q.exact(point) - p.exact(point)
    assert (p**2).derivative(0) == 2 * p * p.derivative(0)
    line = q.along([[Fraction(1), Fraction(2)]], [Fraction(0), Fraction(1)])
    assert line.exact([Fraction(3)]) == q.exact([Fraction(3), Fraction(7)])


def test_texts_become_numbers_lists_and_formulas() -> None:
    assert parse_argument("1,2;3,4") == [[1, 2], [3, 4]]
    assert parse_argument("0.25") == 0.25 and parse_argument("-2") == -2 and parse_argument("true") is True
    assert parse_expression("sin(3*x) + y^2/2").exact([Fraction(0), Fraction(3)]) == Fraction(9, 2)
    assert parse_argument("four") == "four" and repr(parse_argument("pi")) == "pi"
    assert parse_argument("x").exact([Fraction(5)]) == 5


def test_stacked_intervals_keep_both_ends_along_either_axis() -> None:
    a, b = Interval(np.array([0.0, 1.0, 2.0]), np.array([0.5, 1.5, 2.5])), Interval(np.array([3.0, 4.0, 5.0]), np.full(3, 6.0))
    for axis, shape in ((0, (2, 3)), (1, (3, 2))):
        both = Interval.stack([a, b], axis)
        assert both.low.shape == both.high.shape == shape
        for i, one in enumerate((a, b)):
            part = both[i] if axis == 0 else both[:, i]
            assert (part.low == one.low).all() and (part.high == one.high).all()
