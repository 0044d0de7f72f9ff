r"""The slide's lower bound for one layer: n_1^min{n_0, n_1/2} regions.

Claim
    For n_1 hyperplanes in general position in R^{n_0}: sum_{j<=n_0} C(n_1, j) >= n_1^{min(n_0, n_1/2)}.
Source
    Theories of Deep Learning, lecture 4, on the hyperplane arrangement of a ReLU layer [oxford-lecture-4].
Prediction
    n_1^{min(n_0, n_1/2)}, the right-hand side, where the exponent is a whole number
Measurement
    plica.theory.regions.zaslavsky, the left-hand side, in exact integers
Remark
    Four lines in the plane have 11 regions, not 16. In the plane it fails for every n_1 >= 4: the exponent of growth is
    right, the constant n_0! is missing. The corrected form is the claim binomial-sum.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from plica._palette import BOUND, MEASUREMENT
from plica.claims import Evidence, row
from plica.theory.regions import zaslavsky

if TYPE_CHECKING:
    from matplotlib.axes import Axes

EXPECTED = "refuted"
KIND = "exact"
SEE = ("binomial-sum", "slide-product-bound")


def check(scale: str) -> Evidence:
    limit = 60 if scale == "full" else 12
    rows = []
    for n1 in range(1, limit + 1):
        for n0 in range(1, min(n1, 6) + 1):
            twice = min(2 * n0, n1)
            if twice % 2 == 0:
                rows.append(row(zaslavsky(n1, n0), ">=", n1 ** (twice // 2), n_1=n1, n_0=n0))
    return Evidence(rows, draw=draw)


def draw(ax: Axes) -> None:
    """Both sides in the plane."""
    n = list(range(1, 17))
    ax.plot(n, [k ** min(2, k / 2) for k in n], color=BOUND, label="printed: $n_1^{\\min(2, n_1/2)}$")
    ax.plot(n, [zaslavsky(k, 2) for k in n], "o-", color=MEASUREMENT, markersize=4, label="regions of $n_1$ lines")
    ax.set_xlabel("lines $n_1$ in the plane")
    ax.legend(frameon=False)
    ax.spines[["top", "right"]].set_visible(False)
