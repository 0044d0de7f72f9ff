r"""The units of a deep monomial, as printed.

Claim
    A monomial of n variables is approximated by a deep network with sum_i 7 ceil(log2 r_i) + 4 units: 4 units for a product of
    any number of variables.
Source
    Summer@ICERM 2020, final presentation [icerm-2020], after D. Rolnick and M. Tegmark [rolnick2018].
Prediction
    4 units for x_1 x_2 ... x_n
Measurement
    a network with m units sees its input through at most m linear forms, so it needs at least as many as the gradients of the
    product have dimensions: their exact rank at integer points
Remark
    The brackets are missing: sum_i (7 ceil(log2 r_i) + 4), which is 4n for a product. The corrected form is the claim
    rolnick-tegmark-2018.
"""

from __future__ import annotations

from fractions import Fraction
from functools import partial
from math import prod
from typing import TYPE_CHECKING

from plica import exact
from plica._palette import BOUND, MEASUREMENT, PREDICTION
from plica.claims import Evidence, Row, control, counterexample, row

if TYPE_CHECKING:
    from matplotlib.axes import Axes

STATEMENT = "misprint (text)"
EXPECTED = "refuted"
KIND = "exact"
SEE = ("rolnick-tegmark-2018",)


def check(scale: str) -> Evidence:
    rows = []
    for n in (2, 3, 4, 5, 8) + ((20, 40) if scale == "full" else ()):
        points = [[Fraction(1 + (i == j)) for j in range(n)] for i in range(n)]
        gradients = [[prod(p[:j] + p[j + 1 :], start=Fraction(1)) for j in range(n)] for p in points]
        found = exact.rank(gradients)
        rows.append(row(found, "<=", 4, n=n) if n <= 4 else counterexample(found, "<=", 4, truth=n, n=n))
        squares = [[2 * sum(p, Fraction(0))] * n for p in points]
        rows.append(control(exact.rank(squares), "=", 1, n=n, what="(x_1 + ... + x_n)^2, one linear form"))
    return Evidence(rows, draw=partial(draw, [r for r in rows if "what" not in r.parameters]))


def draw(rows: list[Row], ax: Axes) -> None:
    """Linear forms that a product of n variables depends on, against 4 units as printed and 4 n as meant."""
    n = [r.parameters["n"] for r in rows]
    ax.plot(n, [4] * len(n), "--", color=BOUND, label="as printed: 4")
    ax.plot(n, [4 * k for k in n], color=PREDICTION, linewidth=1, label="with brackets: 4 n")
    ax.plot(n, [r.measured for r in rows], "o", color=MEASUREMENT, label="needed at least")
    ax.set(xlabel="variables n of the product", ylabel="units")
    ax.legend(frameon=False, fontsize=8)
    ax.spines[["top", "right"]].set_visible(False)
