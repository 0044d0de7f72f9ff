r"""Bernstein's constant: how well polynomials approximate |x|.

Claim
    The distance E_n of |x| to polynomials of degree n on [-1, 1] falls like 1/n: n E_n -> 0.2801694990 for even n.
Source
    R. S. Varga, A. J. Carpenter, Constructive Approximation 1 (1985) [varga1985].
Prediction
    0.2801694990, approached like 1/n^2; E_2 = 1/8 exactly
Measurement
    the best polynomials by exchange in floating point, with the equioscillation that proves them best; n E_n at two degrees,
    extrapolated. The largest difference of |x|, as a network of two units, to x^2 + 1/8, enclosed in fractions by
    plica.construct.approximation_error
"""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np

from plica._palette import MEASUREMENT, REFERENCE
from plica.claims import Evidence, row
from plica.claims.approximation._remez import best_error
from plica.construct import Polynomial, approximation_error
from plica.geometry import Segment
from plica.network import Linear, Network, Rectifier

if TYPE_CHECKING:
    from matplotlib.axes import Axes

STATEMENT = "theorem"
EXPECTED = "holds"
KIND = "estimated"
SEE = ("bernstein-polynomials", "chebyshev-interpolation", "leshno-1993-polynomial-activation")
CONSTANT = 0.2801694990
ROUNDING = 1e-7


def best_parabola() -> Fraction:
    """The largest difference of |x| to x^2 + 1/8 on [-1, 1], attained with alternating signs at -1, -1/2, 0, 1/2, 1."""
    absolute = Network.sequential(1, [Linear(np.array([[1.0], [-1.0]])), Rectifier(), Linear(np.array([[1.0, 1.0]]))])
    return Fraction(approximation_error(absolute, Polynomial([Fraction(1, 8), 0, 1]), Segment([-1.0], [1.0])).high)


def check(scale: str) -> Evidence:
    rows = [row(best_error(2)[0], "=", 0.125, kind="estimated", standard_error=ROUNDING, what="E_2")]
    rows.append(row(best_parabola(), "=", Fraction(1, 8), what="E_2, attained"))
    for n in (10, 16) + ((24, 32) if scale == "full" else ()):
        small, large = best_error(n)[0] * n, best_error(2 * n)[0] * 2 * n
        limit = (4 * large - small) / 3  # the deviation is of the order of 1/n^2
        rows.append(row(limit, "=", CONSTANT, kind="estimated", standard_error=ROUNDING, tolerance=1e-4, n=n))
        low, high = best_error(n)
        rows.append(
            row(high / low, "=", 1.0, kind="estimated", standard_error=ROUNDING, tolerance=1e-4, what="equioscillation", n=n)
        )
    return Evidence(rows, draw=draw)


def draw(ax: Axes) -> None:
    """n E_n against n."""
    degrees = list(range(2, 34, 4))
    ax.plot(degrees, [n * best_error(n)[0] for n in degrees], "o-", color=MEASUREMENT, markersize=4, label="$n E_n$")
    ax.axhline(CONSTANT, color=REFERENCE, linestyle=":", label="0.28017")
    ax.set_xlabel("degree n")
    ax.legend(frameon=False)
    ax.spines[["top", "right"]].set_visible(False)
