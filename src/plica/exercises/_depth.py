"""Lecture 4: regions with depth, pieces, squares."""

from __future__ import annotations

from fractions import Fraction
from math import comb

from plica._types import Array
from plica.construct import Polynomial, approximation_error, squaring
from plica.exercises._exercise import Grade, need, one_number, some_numbers, task
from plica.geometry import Box, Segment, Space, decompose
from plica.network import Network


@task("4", "network")
def a_hundred_regions(network: Network) -> Grade:
    """Depth against width.

    Build a network with 2 inputs, 1 output and at most 12 neurons that has at least 100 linear regions in the plane. One layer of
    12 reaches 79.
    """
    refused = need(network, inputs=2, neurons=12)
    if refused is not None:
        return refused
    found = decompose(network, Space(2)).n_regions
    return Grade(found >= 100, f"{found} regions with {network.n_neurons} neurons", {"regions": found})


@task("4", "numbers")
def planes_in_space(numbers: Array) -> Grade:
    """Planes in space.

    How many planes in general position does it take to cut three-dimensional space into at least 1000 regions? One number.
    """
    found = one_number(numbers)
    least = next(n for n in range(100) if sum(comb(n, k) for k in range(4)) >= 1000)
    return Grade(
        found == least,
        f"{found:g} planes are {'the fewest' if found == least else 'enough, fewer are too' if found > least else 'too few'}",
    )


@task("4", "numbers")
def refute_the_slide(numbers: Array) -> Grade:
    """A counterexample.

    A slide says that one layer of n neurons on d inputs has at least n^min(d, n/2) regions in general position. Give n and d,
    both at most 50, for which this is false: two numbers.
    """
    n, d = some_numbers(numbers, 2)
    if not (n.is_integer() and d.is_integer() and 1 <= n <= 50 and 1 <= d <= 50):
        return Grade(False, "two whole numbers from 1 to 50 are asked for")
    regions = sum(comb(int(n), k) for k in range(int(d) + 1))
    power = min(2 * int(d), int(n))  # twice the exponent of the slide: both sides are compared squared, in whole numbers
    is_false = int(n) ** power > regions**2
    return Grade(is_false, f"{regions} regions against {int(n)}^({power}/2)", {"regions": regions})


@task("4", "network")
def sixteen_pieces(network: Network) -> Grade:
    """Teeth.

    Build a network with 1 input, 1 output and at most 8 neurons that has at least 16 pieces on [0, 1].
    """
    refused = need(network, inputs=1, neurons=8)
    if refused is not None:
        return refused
    found = decompose(network, Box([0.0], [1.0])).n_regions
    return Grade(found >= 16, f"{found} pieces with {network.n_neurons} neurons", {"pieces": found})


@task("4", "network")
def a_square(network: Network) -> Grade:
    """Square a number.

    Build a network with 1 input, 1 output and at most 8 neurons that differs from x^2 by at most 1/1000 on [0, 1]. The largest
    difference is enclosed, not sampled.
    """
    refused = need(network, inputs=1, neurons=8)
    if refused is not None:
        return refused
    error = approximation_error(network, Polynomial([0, 0, 1]), Segment([0.0], [1.0])).high
    return Grade(error <= Fraction(1, 1000), f"the largest difference is at most {float(error):.4g}", {"error": float(error)})


@task("4", "network", network=lambda: squaring(2).network)
def beat_the_certificate(network: Network) -> Grade:
    """Beat the certificate.

    The given network is within 1/64 of x^2 on [0, 1], and that is proved to be its largest difference. Build one with 1 input,
    1 output and no more neurons whose largest difference is proved to be at most 1/100.
    """
    given = squaring(2).network
    refused = need(network, inputs=1, neurons=given.n_neurons)
    if refused is not None:
        return refused
    error = approximation_error(network, Polynomial([0, 0, 1]), Segment([0.0], [1.0])).high
    why = f"the largest difference is at most {float(error):.4g}, that of the given network is 1/64"
    return Grade(error <= Fraction(1, 100), why, {"error": float(error)})
