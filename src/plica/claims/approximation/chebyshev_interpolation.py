r"""Chebyshev's points: geometric convergence for analytic functions.

Claim
    If f is analytic and at most M in the ellipse with foci -1, 1 and sum of half axes rho, its interpolant of degree n at
    Chebyshev's points is within 4 M rho^{-n} / (rho - 1) of f on [-1, 1]; at the zeros of T_{n+1} half of that is needed.
Source
    L. N. Trefethen, Approximation Theory and Approximation Practice (2013), Theorem 8.2 [trefethen2013].
Prediction
    the bound with the best rho for f(x) = 1/(a - x), whose pole is at a: M = 1/(a - (rho + 1/rho)/2), and exactly 1/((a - 1)
    T_{n+1}(a)); for f = T_{n+1}, whose interpolant is 0, half of the bound as rho grows
Measurement
    the part of the certificate of plica.construct.chebyshev that is the interpolant's error, found in interval arithmetic
Remark
    f - p vanishes at the zeros of T_{n+1}, so that for the pole it is T_{n+1}(x) / (T_{n+1}(a) (a - x)), and largest at 1. On the
    ellipse |T_{n+1}| is at most (rho^{n+1} + rho^{-n-1}) / 2. For the poles the bound is 17 to 43 times too large.
"""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np

from plica._palette import SERIES
from plica.claims import Evidence, row
from plica.construct import chebyshev, chebyshev_polynomials, variables

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
            found = measured(a, n)
            rows.append(row(found, "<=", bound(float(a), n), kind="certified", pole=a, degree=n))
            about: dict[str, Any] = {"kind": "certified", "tolerance": 1e-3, "degree": n}
            rows.append(row(found, "=", float(1 / ((a - 1) * turn(a, n + 1))), pole=a, what="exactly", **about))
    rho = 1000.0
    for n in (1, 3, 6):
        found = float(chebyshev(chebyshev_polynomials(n + 1)[n + 1], n, Fraction(1, 4)).theorem["interpolation_error"])
        allowed = 4 * (rho ** (n + 1) + rho ** -(n + 1)) / 2 * rho**-n / (rho - 1)
        about = {"kind": "certified", "tolerance": 3e-3, "degree": n}
        rows.append(row(found / allowed, "=", 0.5, f=f"T_{n + 1}", what="share of the bound, rho = 1000", **about))
    return Evidence(rows, draw=draw)


def turn(a: Fraction, k: int) -> Fraction:
    """T_k(a) by its recursion."""
    before, now = Fraction(1), a
    for _ in range(k - 1):
        before, now = now, 2 * a * now - before
    return now


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
