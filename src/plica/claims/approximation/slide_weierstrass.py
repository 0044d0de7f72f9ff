r"""Polynomials and "any function".

Claim
    For any function f on [0, 1] and eps > 0 there is a polynomial p with |f(x) - p(x)| <= eps for all x.
Source
    University of Washington lecture, slide on polynomial approximation [washington-lecture].
Prediction
    an error below 1/2 at some degree
Measurement
    the error at the jump of the step function 1{x >= 1/2} for its Bernstein polynomials (plica.construct.bernstein_polynomial),
    in exact rationals. A polynomial is continuous, so at the jump it is at least 1/2 away from one of the two values
Remark
    f must be continuous: that is the theorem of Weierstrass.
"""

from __future__ import annotations

from fractions import Fraction
from math import comb
from typing import TYPE_CHECKING

from plica._palette import INK, REFERENCE, SERIES
from plica.claims import Evidence, counterexample
from plica.construct import Polynomial, bernstein_polynomial

if TYPE_CHECKING:
    from matplotlib.axes import Axes

STATEMENT = "misprint (text)"
EXPECTED = "refuted"
KIND = "exact"
HALF = Fraction(1, 2)


def of_the_step(n: int) -> Polynomial:
    """The Bernstein polynomial of degree n of the step function."""
    return bernstein_polynomial([Fraction(2 * k >= n) for k in range(n + 1)])


def check(scale: str) -> Evidence:
    rows = []
    for n in (1, 2, 5, 10, 50, 200) + ((1000,) if scale == "full" else ()):
        value = of_the_step(n).exact([HALF])
        # by symmetry the value is 1/2, and half of the middle term more where the degree is even
        truth = HALF + (Fraction(comb(n, n // 2), 2 ** (n + 1)) if n % 2 == 0 else 0)
        rows.append(counterexample(max(abs(value), abs(value - 1)), "<", HALF, truth=truth, degree=n))
    return Evidence(rows, draw=draw)


def draw(ax: Axes) -> None:
    """The step, and polynomials of growing degree, which all pass the middle of the jump."""
    x = [Fraction(i, 200) for i in range(201)]
    ax.plot([0, 0.5], [0, 0], color=INK, linewidth=2)
    ax.plot([0.5, 1], [1, 1], color=INK, linewidth=2, label="the step")
    for n, color in zip((5, 21, 101), SERIES, strict=False):
        polynomial = of_the_step(n)
        ax.plot([float(v) for v in x], [float(polynomial.exact([v])) for v in x], color=color, label=f"degree {n}")
    ax.axhline(0.5, color=REFERENCE, linewidth=0.8, linestyle=":")
    ax.set(xlabel="x", ylabel="f and its Bernstein polynomials")
    ax.legend(frameon=False, fontsize=8)
    ax.spines[["top", "right"]].set_visible(False)
