"""Wires with bounds: every term of every bound is needed, and attained where inputs are off by as much as they say."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from itertools import product

import numpy as np
import pytest

from plica.construct.circuits._bounded import BoundedWire, clipped, multiplied, power_of_two, squared
from plica.construct.circuits._circuit import Circuit

FINE = 14  # teeth of squares whose own error is below 1e-7
SIZES = [Fraction(1, 2), Fraction(1), Fraction(3)]
OFF = [Fraction(0), Fraction(1, 16), Fraction(1, 4)]


def attained(
    gate: Callable[..., BoundedWire], true: Callable[..., np.ndarray], sizes: list[Fraction], errors: list[Fraction]
) -> tuple[float, float, BoundedWire]:
    """The largest error of a gate whose inputs are off by plus and minus their errors, and its bound; sizes hold for both."""
    worst, result = 0.0, None
    for signs in product((1, -1), repeat=len(sizes)):
        c = Circuit(len(sizes))
        inputs = [BoundedWire(x + s * e, size, e) for x, s, e, size in zip(c.inputs, signs, errors, sizes, strict=True)]
        result = gate(c, *inputs)
        net = c.network(result.wire)
        # both the true value x and the wire x + s e stay within the size
        axes = [
            np.linspace(float(max(-n, -n - s * e)), float(min(n, n - s * e)), 257 if len(sizes) == 1 else 33)
            for n, s, e in zip(sizes, signs, errors, strict=True)
        ]
        x = np.stack(np.meshgrid(*axes, indexing="ij"), axis=-1).reshape(-1, len(sizes))
        y = net(x)[:, 0]
        worst = max(worst, float(np.abs(y - true(*x.T)).max()))
        assert np.abs(y).max() <= float(result.size) * (1 + 1e-12), "the wire is not larger than its size"
        assert np.abs(true(*x.T)).max() <= float(result.size) * (1 + 1e-12), "nor is the true value"
    assert result is not None
    return worst, float(result.error), result


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("error", OFF)
@pytest.mark.parametrize("m", [1, 3, FINE])
def test_the_bound_of_a_square_holds_and_is_attained_up_to_the_square_of_the_error(
    size: Fraction, error: Fraction, m: int
) -> None:
    worst, bound, _ = attained(lambda c, x: squared(c, x, m), lambda x: x * x, [size], [error])
    assert worst <= bound * (1 + 1e-12)
    if m == FINE:
        assert worst >= float(2 * size * error - error**2) - 1e-7  # |x^2 - (x + e)^2| = e (2x + e) with x + e <= size
    elif not error:
        assert bound == float(power_of_two(size) ** 2 / 4 ** (m + 1))


@pytest.mark.parametrize("form", ["three", "four"])
@pytest.mark.parametrize("sizes", [(Fraction(1), Fraction(1)), (Fraction(3), Fraction(1, 2)), (Fraction(1, 2), Fraction(3))])
@pytest.mark.parametrize("errors", list(product(OFF[:2], repeat=2)))
@pytest.mark.parametrize("m", [1, FINE])
def test_the_bound_of_a_product_holds_and_both_factors_count(
    form: str, sizes: tuple[Fraction, Fraction], errors: tuple[Fraction, Fraction], m: int
) -> None:
    worst, bound, _ = attained(lambda c, x, y: multiplied(c, x, y, m, form=form), lambda x, y: x * y, list(sizes), list(errors))
    assert worst <= bound * (1 + 1e-12)
    if m == FINE:  # errors of the squares are gone: what is left is that of the factors
        (a, b), (e, f) = sizes, errors
        assert worst >= float(e * b + a * f - e * f) - 1e-7
        assert bound <= float(e * b + a * f) + 1e-7
    elif not any(errors):
        s = power_of_two(max(sizes))
        assert bound == float(s * s / 4 ** (m if form == "three" else m + 1))


def test_sums_multiples_and_shifts_carry_their_errors() -> None:
    c = Circuit(2)
    x, y = (BoundedWire(w, Fraction(2), e) for w, e in zip(c.inputs, (Fraction(1, 8), Fraction(1, 4)), strict=True))
    total = (3 * x - y).shifted(5)
    assert (total.error, total.size) == (3 * x.error + y.error, 3 * x.size + y.size + 5)
    assert c.network(total.wire)(np.array([[1.0, -2.0]]))[0, 0] == 10.0
    assert (x * -3).error == 3 * x.error


def test_cutting_off_adds_no_error_where_the_true_value_is_inside() -> None:
    error = Fraction(1, 8)
    c = Circuit(1)
    cut = clipped(c, BoundedWire(c.inputs[0] + error, Fraction(2), error))
    x = np.linspace(-1, 1, 257)
    off = np.abs(c.network(cut.wire)(x[:, None])[:, 0] - x)
    assert off.max() == float(error) == float(cut.error) and cut.size == 1


@pytest.mark.parametrize("constant", [5, -5, Fraction(-1, 3)])
def test_a_shift_makes_room_on_both_sides(constant: Fraction) -> None:
    """Down as well as up: the size holds for the wire at both ends of its range, and is reached at one of them."""
    c = Circuit(1)
    shifted = BoundedWire(c.inputs[0], Fraction(2), Fraction(1, 8)).shifted(constant)
    ends = c.network(shifted.wire)(np.array([[-2.0], [2.0]]))[:, 0]
    assert np.abs(ends).max() == float(shifted.size) == float(2 + abs(constant)) and shifted.error == Fraction(1, 8)


def test_the_depth_of_a_wire_counts_its_rectifiers() -> None:
    c = Circuit(1)
    once = c.relu(c.inputs[0])
    assert [c.depth(w) for w in (c.constant(3), c.inputs[0], once, c.relu(once - 1) + once)] == [0, 0, 1, 2]


@pytest.mark.parametrize("exponent", [-3, -1, 0, 2])
def test_a_power_of_two_is_its_own_bound_and_what_is_larger_has_the_next(exponent: int) -> None:
    power = Fraction(2) ** exponent
    assert power_of_two(power) == power and power_of_two(power * Fraction(1001, 1000)) == 2 * power
    assert power_of_two(power * Fraction(999, 1000)) == power
