r"""A step for every change by eps: threshold networks on the unit interval.

Claim
    A function on [0, 1] with Lipschitz constant rho is approximated within eps by ceil(rho / eps) threshold units.
Source
    University of Washington lecture [washington-lecture]; M. Telgarsky, Deep Learning Theory Lecture Notes (2021),
    Proposition 2.1 [telgarsky2021].
Prediction
    eps, with plica.theory.approximation.threshold_units(rho, eps) units
Measurement
    the largest deviation of sum_i a_i 1{x >= b_i}, b_i = i eps / rho, a_i = g(b_i) - g(b_{i-1}), from piecewise-linear g,
    in exact rationals: it is attained at a knot of g or next to a threshold
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

from plica.claims import Evidence, row
from plica.theory.approximation import threshold_units

EXPECTED = "holds"
KIND = "exact"
SEE = ("effective-dimension",)

Function = Callable[[Fraction], Fraction]


def zigzag(rho: int, teeth: int) -> tuple[Function, list[Fraction]]:
    """Slopes rho and -rho in turn, with its knots."""
    knots = [Fraction(k, 2 * teeth) for k in range(2 * teeth + 1)]

    def g(x: Fraction) -> Fraction:
        t = x * 2 * teeth
        k = t.__floor__()
        return Fraction(rho, 2 * teeth) * (t - k if k % 2 == 0 else 1 - (t - k))

    return g, knots


def largest_error(g: Function, knots: list[Fraction], rho: int, eps: Fraction) -> Fraction:
    """sup |g - step function| on [0, 1]: on [b_i, b_{i+1}) the steps have the value g(b_i)."""
    width = eps / rho
    worst = Fraction(0)
    for i in range(threshold_units(rho, float(eps))):
        left, right = i * width, min((i + 1) * width, Fraction(1))
        inside = [left, right, *(k for k in knots if left < k < right)]
        worst = max(worst, *(abs(g(x) - g(left)) for x in inside))
    return worst


def check(scale: str) -> Evidence:
    rows = []
    for rho, teeth in ((1, 1), (3, 2), (7, 5)) + (((31, 13),) if scale == "full" else ()):
        g, knots = zigzag(rho, teeth)
        for eps in (Fraction(1, 2), Fraction(1, 8), Fraction(1, 32)):
            measured = largest_error(g, knots, rho, eps)
            rows.append(row(measured, "<=", eps, rho=rho, teeth=teeth, units=threshold_units(rho, float(eps))))
    return Evidence(rows)
