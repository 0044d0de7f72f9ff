r"""The curse of dimensionality: every further dimension multiplies the network.

Claim
    If the weights depend continuously on the function, an error eps for all functions on [0, 1]^d with m bounded derivatives
    needs at least of the order of eps^{-d/m} weights; the construction with grids and Taylor polynomials meets this up to a
    logarithm: a further dimension multiplies its size by of the order of eps^{-1/m}.
Source
    R. DeVore, R. Howard, C. Micchelli, Manuscripta Math. 63 (1989) [devore1989]; D. Yarotsky, Neural Networks 94 (2017)
    [yarotsky2017].
Prediction
    bumps: (N + 1)^d with a grid of N that the error fixes; weights: at least one for every bump and partial derivative
Measurement
    plica.construct.sobolev_size for the mean of sines of d variables at a fixed error, d = 1, 2, 3
"""

from __future__ import annotations

from functools import cache
from math import comb
from typing import TYPE_CHECKING

from plica._palette import SERIES
from plica.claims import Evidence, row
from plica.construct import Expression, SobolevSize, sin, sobolev_size, variables

if TYPE_CHECKING:
    from matplotlib.axes import Axes

STATEMENT = "theorem"
EXPECTED = "holds"
KIND = "exact"
SEE = ("yarotsky-2017-rate", "effective-dimension")


def formula(d: int) -> Expression:
    """The mean of sin(2 x_i): its derivatives of order m do not grow with d."""
    total: Expression = sin(2 * variables(d)[0])
    for x in variables(d)[1:]:
        total = total + sin(2 * x)
    return total / d


@cache
def size(d: int, m: int, error: float) -> SobolevSize:
    return sobolev_size(formula(d), error, dimension=d, smoothness=m)


def check(scale: str) -> Evidence:
    rows = []
    cases = [(1, 0.3), (2, 0.3)] + ([(2, 0.1), (3, 0.1)] if scale == "full" else [])
    for m, error in cases:
        before = None
        for d in (1, 2, 3):
            s = size(d, m, error)
            terms = (s.grid + 1) ** d * comb(d + m - 1, d)
            rows.append(row(s.n_weights, ">=", terms, what="weights, against bumps times derivatives", d=d, m=m, error=error))
            if before is not None:
                grown = s.n_weights / before.n_weights
                rows.append(
                    row(grown, ">=", s.grid + 1, what="factor of one more dimension, against N + 1", d=d, m=m, error=error)
                )
            before = s
    return Evidence(rows, draw=draw)


def draw(ax: Axes) -> None:
    """Weights against the error for one to three dimensions, beside eps^(-d/m)."""
    errors = {1: [0.4, 0.2, 0.1, 0.05, 0.02], 2: [0.4, 0.2, 0.1], 3: [0.4, 0.3]}
    for d, color in zip((1, 2, 3), SERIES, strict=False):
        found = [size(d, 2, e) for e in errors[d]]
        ax.loglog(errors[d], [s.n_weights for s in found], "o-", color=color, markersize=4, label=f"construction, d = {d}, m = 2")
        ax.loglog(errors[d], [e ** (-d / 2) for e in errors[d]], ":", color=color, label=f"eps^(-{d}/2)")
    ax.invert_xaxis()
    ax.minorticks_off()
    ax.set_xlabel("error")
    ax.set_ylabel("weights")
    ax.legend(frameon=False, fontsize=7)
    ax.spines[["top", "right"]].set_visible(False)
