r"""The slide's lower bound for one layer: n_1^min{n_0, n_1/2} regions.

Claim
    For n_1 hyperplanes in general position in R^{n_0}: sum_{j<=n_0} C(n_1, j) >= n_1^{min(n_0, n_1/2)}.
Source
    Theories of Deep Learning, lecture 4, on the hyperplane arrangement of a ReLU layer [oxford-lecture-4].
Prediction
    n_1^{min(n_0, n_1/2)}, the right-hand side, where the exponent is a whole number
Measurement
    plica.theory.regions.zaslavsky, the left-hand side, in exact integers; the truth by adding one hyperplane after the other
Remark
    Four lines in the plane have 11 regions, not 16. In the plane it fails for every n_1 >= 4: the exponent of growth is
    right, the constant n_0! is missing. The corrected form is the claim binomial-sum.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from plica._palette import BOUND, MEASUREMENT
from plica.claims import Evidence, counterexample, row
from plica.theory.regions import zaslavsky

if TYPE_CHECKING:
    from matplotlib.axes import Axes

STATEMENT = "misprint (text)"
EXPECTED = "refuted"
KIND = "exact"
SEE = ("binomial-sum", "slide-product-bound")


def regions_one_by_one(n: int, d: int) -> int:
    """One more hyperplane cuts as many regions as the others cut it into."""
    return 1 if n == 0 or d == 0 else regions_one_by_one(n - 1, d) + regions_one_by_one(n - 1, d - 1)


def check(scale: str) -> Evidence:
    limit = 24 if scale == "full" else 12
    rows = []
    for n1 in range(1, limit + 1):
        for n0 in range(1, min(n1, 6) + 1):
            twice = min(2 * n0, n1)
            if twice % 2 == 0:
                found, printed, true = zaslavsky(n1, n0), n1 ** (twice // 2), regions_one_by_one(n1, n0)
                holds = true >= printed
                rows.append(
                    row(found, ">=", printed, n_1=n1, n_0=n0)
                    if holds
                    else counterexample(found, ">=", printed, truth=true, n_1=n1, n_0=n0)
                )
    return Evidence(rows, draw=draw)


def draw(ax: Axes) -> None:
    """Both sides in the plane."""
    n = list(range(1, 17))
    ax.plot(n, [k ** min(2, k / 2) for k in n], color=BOUND, label="printed: $n_1^{\\min(2, n_1/2)}$")
    ax.plot(n, [zaslavsky(k, 2) for k in n], "o-", color=MEASUREMENT, markersize=4, label="regions of $n_1$ lines")
    ax.set_xlabel("lines $n_1$ in the plane")
    ax.legend(frameon=False)
    ax.spines[["top", "right"]].set_visible(False)
