"""Sizes and rates of approximation against what they count: tents, pyramids, products and integrals."""

from __future__ import annotations

from fractions import Fraction
from itertools import product
from math import e, exp, pi

import numpy as np
import pytest
from scipy.integrate import quad

from plica.theory import approximation as a


@pytest.mark.parametrize("error", [Fraction(1, 3), Fraction(1, 7), Fraction(3, 50), Fraction(1, 10)])
def test_packing_bits_are_the_most_tents_that_stay_more_than_twice_the_error_apart(error: Fraction) -> None:
    bits = a.lipschitz_packing_bits(float(error))
    assert (bits == 0 or Fraction(1, bits) > 2 * error) and Fraction(1, bits + 1) <= 2 * error


def test_no_tents_are_apart_by_more_than_their_range() -> None:
    assert a.lipschitz_packing_bits(0.5) == a.lipschitz_packing_bits(3.0) == 0
    assert a.lipschitz_packing_bits(0.49) == 1


def test_effective_dimensions_are_quotients() -> None:
    assert a.effective_dimension(9, 6) == Fraction(3, 2) and a.effective_dimension_of_tree(3) == Fraction(2, 3)


@pytest.mark.parametrize(("d", "sigma"), [(1, 0.5), (3, 2.0), (6, 1.3)])
def test_barrons_constant_of_a_gaussian_is_a_mean_length(d: int, sigma: float) -> None:
    """The transform is the density of N(0, 1/sigma^2): the length of a vector of d such numbers, in polar coordinates."""
    weight = [quad(lambda r, k=k: r ** (d - 1 + k) * exp(-r * r / 2), 0, 40)[0] for k in (0, 1)]
    assert a.barron_constant_gaussian(d, sigma=sigma) == pytest.approx(weight[1] / weight[0] / sigma, rel=1e-9)


def test_barrons_lower_bound_has_its_constant() -> None:
    assert a.barron_linear_lower_bound(27, 3, constant=5.0) == pytest.approx(5 / 3 / 3 / (8 * pi * e ** (pi - 1)), rel=1e-12)
    assert a.barron_linear_lower_bound(16, 2, constant=0.5) == pytest.approx(0.5 / 2 / 4 / (8 * pi * e ** (pi - 1)), rel=1e-12)


def test_units_are_those_that_the_theorems_count() -> None:
    assert a.threshold_units(3.0, 0.7) == 5 and a.threshold_units(1.0, 0.25) == 4
    assert a.shallow_monomial_units([3, 0, 1]) == 8 == len(list(product(range(4), range(1), range(2))))
    assert [a.deep_monomial_units([r]) for r in (0, 1, 2, 3, 4, 5, 8, 9)] == [0, 4, 11, 18, 18, 25, 25, 32]


@pytest.mark.parametrize(("n", "depth", "groups"), [
    (16, 2, [[4, 4, 4, 4], [4]]),
    (10, 2, [[4, 4, 2], [3]]),
    (7, 3, [[2, 2, 2, 1], [2, 2], [2]]),
    (5, 1, [[5]]),
])  # fmt: skip
def test_products_by_layers_count_two_to_the_size_of_each_group(n: int, depth: int, groups: list[list[int]]) -> None:
    assert a.layered_product_units(n, depth) == sum(2**g for layer in groups for g in layer)


@pytest.mark.parametrize(("depth", "pieces"), [(1, 1), (3, 2), (4, 7), (3, 4), (3, 5)])
def test_the_bound_of_sawteeth_vanishes_only_when_pieces_suffice(depth: int, pieces: int) -> None:
    bound = a.sawtooth_distance_lower_bound(depth, pieces)
    assert bound == max(Fraction(0), (Fraction(2) ** depth - 2 * pieces + 1) / 2**depth / 4)
    assert bound <= Fraction(1, 4)  # the mean distance of the sawtooth from 1/2


def test_widths_and_parameters_are_inverse() -> None:
    for d in (1, 2, 3):
        for n in range(1, 6):
            assert a.lipschitz_width(n**d - 1, d) == Fraction(1, 2 * n) > a.lipschitz_width(n**d, d)
            assert a.lipschitz_parameters(Fraction(1, 2 * n), d) == n**d
    assert a.lipschitz_width(0, 2) == Fraction(1, 2) and a.lipschitz_parameters(Fraction(1, 5), 2) == 9


def test_a_linear_method_with_one_parameter_less_misses_a_pyramid() -> None:
    """Signed pyramids on 4 intervals against piecewise constants on 3: some signs are 1/8 away from all of them."""
    x = np.linspace(0, 1, 961)
    tents = [np.clip(1 / 8 - np.abs(x - (2 * i + 1) / 8), 0, None) for i in range(4)]
    values = np.array([[float(np.floor(3 * (2 * i + 1) / 8) == j) for j in range(3)] for i in range(4)])
    null = np.linalg.svd(values.T)[2][-1]  # a combination of the four tops that vanishes on the span
    signed = sum(np.sign(c) * t for c, t in zip(null, tents, strict=True) if abs(c) > 1e-12)
    steps = [np.floor(np.minimum(3 * x, 2.999)) == j for j in range(3)]
    for trial in np.random.default_rng(0).uniform(-0.2, 0.2, size=(300, 3)):
        assert (
            np.abs(signed - sum(c * s for c, s in zip(trial, steps, strict=True))).max() >= float(a.lipschitz_width(3, 1)) - 1e-9
        )


def test_the_bound_on_labelings_grows_with_each_of_its_parts() -> None:
    """L + sum of cumulated weights times log2(4 e R log2(2 e R)), by hand for three layers: R = 3 + 2 * 2 + 3 * 1."""
    expected = 3 + (6 + 14 + 17) * np.log2(4 * e * 10 * np.log2(2 * e * 10))
    assert a.bartlett_2019_vc_upper_bound([6, 8, 3], [3, 2, 1]) == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize(("d", "s"), [(1, 2), (2, 3), (3, 3), (6, 5)])
def test_the_constant_of_derivatives_is_a_radial_integral(d: int, s: int) -> None:
    ball = {1: 2.0, 2: 2 * pi, 3: 4 * pi, 6: pi**3}[d]  # areas of unit spheres
    value = ball * quad(lambda r: r ** (d - 1) / (1 + r * r) ** (s - 1), 0, np.inf)[0]
    assert a.barron_derivative_constant(d, s) ** 2 == pytest.approx(value, rel=1e-8)
