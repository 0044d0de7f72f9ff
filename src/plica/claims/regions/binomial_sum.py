r"""How fast the regions of one layer grow: between (n/d)^d and (e n/d)^d.

Claim
    For n >= d >= 1: (n/d)^d <= C(n, d) <= sum_{j<=d} C(n, j) <= (e n/d)^d; with 2.7 in the place of e the last is false.
Source
    Folklore; the corrected form of the inequality of Theories of Deep Learning, lecture 4 [oxford-lecture-4].
Prediction
    (n/d)^d from below and (e n/d)^d from above, with e replaced by a rational that is smaller than it; more than (2.7 n/d)^d for
    10^8 hyperplanes in 700 dimensions
Measurement
    plica.theory.regions.zaslavsky(n, d) in exact integers; the comparison is made in exact rationals
Remark
    Upper bound: sum_{j<=d} C(n, j) (d/n)^d <= sum_j C(n, j) (d/n)^j <= (1 + d/n)^n <= e^d. For n far above d^2 the sum is about
    n^d / d!, and d!^{-1/d} is about e/d (Stirling).
"""

from __future__ import annotations

from fractions import Fraction
from math import e
from typing import TYPE_CHECKING

import numpy as np

from plica._palette import BOUND, MEASUREMENT, REFERENCE
from plica.claims import Evidence, row
from plica.theory.regions import zaslavsky

if TYPE_CHECKING:
    from matplotlib.axes import Axes

STATEMENT = "theorem"
EXPECTED = "holds"
KIND = "exact"
SEE = ("slide-binomial-sum",)
BELOW_E = Fraction(2718281828, 10**9)


def check(scale: str) -> Evidence:
    sizes = range(1, 81) if scale == "full" else (1, 2, 3, 4, 5, 8, 13, 21, 34)
    rows = []
    for n in sizes:
        for d in range(1, min(n, 12) + 1):
            rows.append(row(zaslavsky(n, d), ">=", Fraction(n, d) ** d, n=n, d=d, side="lower"))
            rows.append(row(zaslavsky(n, d), "<=", (BELOW_E * n / d) ** d, n=n, d=d, side="upper"))
    n, d = 10**8, 700
    rows.append(row(zaslavsky(n, d) > (Fraction(27, 10) * n / d) ** d, "=", True, n=n, d=d, side="above (2.7 n/d)^d"))
    return Evidence(rows, draw=draw)


def draw(ax: Axes) -> None:
    """Regions of n hyperplanes in four dimensions between the two bounds."""
    d, n = 4, np.arange(4, 81)
    ax.fill_between(n, (n / d) ** d, (e * n / d) ** d, color=REFERENCE, alpha=0.25, linewidth=0)
    ax.plot(n, (e * n / d) ** d, color=BOUND, linewidth=1, label=r"$(e n / d)^d$")
    ax.plot(n, [zaslavsky(int(k), d) for k in n], color=MEASUREMENT, label="regions, d = 4")
    ax.plot(n, (n / d) ** d, color=BOUND, linestyle="--", linewidth=1, label=r"$(n / d)^d$")
    ax.set(xscale="log", yscale="log")
    ax.set_xlabel("hyperplanes n")
    ax.legend(frameon=False, fontsize=8)
    ax.spines[["top", "right"]].set_visible(False)
