r"""Chebyshev's points: geometric convergence for analytic functions.

Claim
    If f is analytic and at most M in the ellipse with foci -1, 1 and sum of half axes rho, its interpolant of degree n at
    Chebyshev's points is within 4 M rho^{-n} / (rho - 1) of f on [-1, 1].
Source
    L. N. Trefethen, Approximation Theory and Approximation Practice (2013), Theorem 8.2 [trefethen2013].
Prediction
    the bound with the best rho for f(x) = 1/(a - x), whose pole is at a: M = 1/(a - (rho + 1/rho)/2)
Measurement
    certified errors, as fractions of the interpolant's error, of plica.construct.chebyshev: the part of the certificate that is
    the interpolant's, found in interval arithmetic
"""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np

from plica._palette import SERIES
from plica.claims import Evidence, row
from plica.construct import chebyshev, variables

if TYPE_CHECKING:
    from matplotlib.axes import Axes

STATEMENT = "theorem"
EXPECTED = "holds"
KIND = "certified"
SEE = ("bernstein-polynomials", "bernstein-constant")


def bound(a: float, n: int) -> float:
    """The best of the theorem's bounds over ellipses that exclude the pole."""
    furthest = a + np.sqrt(a * a - 1)
    rho = np.linspace(1.01, furthest * (1 - 1e-3), 4000)
    largest = 1 / (a - (rho + 1 / rho) / 2)
    return float((4 * largest * rho**-n / (rho - 1)).min())


def measured(a: Fraction, n: int) -> float:
    """What the interpolant of degree n misses of 1/(a - x), certified."""
    (x,) = variables(1)
    return float(chebyshev(1 / (a - x), n, Fraction(1, 4)).theorem["interpolation_error"])


def check(scale: str) -> Evidence:
    rows = []
    for a in (Fraction(5, 4), Fraction(2)):
        for n in (2, 4, 8) + ((12, 16) if scale == "full" else ()):
            rows.append(row(measured(a, n), "<=", bound(float(a), n), kind="certified", pole=a, degree=n))
    return Evidence(rows, draw=draw)


def draw(ax: Axes) -> None:
    """Certified errors and the bound."""
    for a, color in zip((Fraction(5, 4), Fraction(2)), SERIES, strict=False):
        degrees = [1, 2, 4, 6, 8]
        ax.semilogy(degrees, [measured(a, n) for n in degrees], "o-", color=color, markersize=4, label=f"1/({a} - x)")
        ax.semilogy(degrees, [bound(float(a), n) for n in degrees], ":", color=color, label="bound")
    ax.set_xlabel("degree")
    ax.set_ylabel("largest error of the interpolant")
    ax.legend(frameon=False, fontsize=8)
    ax.spines[["top", "right"]].set_visible(False)
