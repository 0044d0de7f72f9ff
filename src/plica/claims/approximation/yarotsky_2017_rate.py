r"""Yarotsky: error^(-d/m) log(1/error) weights.

Claim
    Functions on [0, 1]^d with m bounded derivatives are approximated within eps by ReLU networks of depth O(ln(1/eps) + 1) with
    O(eps^{-d/m} (ln(1/eps) + 1)) weights; networks with fewer than of the order of eps^{-d/(2m)} weights cannot do it for all.
Source
    D. Yarotsky, Neural Networks 94 (2017), Theorems 1 and 4 [yarotsky2017].
Prediction
    the slope of log(weights / (ln(1/eps) + 1)) against log(1/eps) is at most d/m, that of log(weights) is d/m up to logarithms
    and at least d/(2m)
Measurement
    weights that are not zero and certified errors of plica.construct.sobolev for sin(3x) and sin(x + y) over accuracies
    (plica.construct.sobolev_size), least-squares slopes; each certified error is at most the one asked for
"""

from __future__ import annotations

from functools import cache
from math import log
from typing import TYPE_CHECKING

from plica._palette import SERIES
from plica.claims import Evidence, row
from plica.claims.approximation._slope import slope
from plica.construct import Expression, SobolevSize, sin, sobolev_size, variables

if TYPE_CHECKING:
    from matplotlib.axes import Axes

STATEMENT = "theorem"
EXPECTED = "holds"
KIND = "estimated"
SEE = ("yarotsky-2017-square", "yarotsky-2017-product", "curse-of-dimensionality", "effective-dimension")
TOLERANCE = 0.25  # of the exponent: logarithms, and grids that are still coarse

Errors = list[float]
ACCURACIES: dict[tuple[int, int], Errors] = {
    (1, 1): [2.0**-k for k in range(4, 10)],
    (1, 2): [2.0**-k for k in range(4, 12, 2)],
    (1, 3): [2.0**-k for k in range(4, 14, 3)],
    (2, 1): [0.5, 0.25, 0.12],
    (2, 2): [0.3, 0.1, 0.03],
    (2, 3): [0.3, 0.03, 0.01],
}
FURTHER: dict[tuple[int, int], Errors] = {
    (1, 1): [2.0**-10],
    (1, 2): [2.0**-12, 2.0**-14, 2.0**-16],
    (1, 3): [2.0**-16, 2.0**-19],
    (2, 1): [0.06, 0.04],
    (2, 2): [0.01, 0.004],
    (2, 3): [0.003, 0.001],
}


def formula(d: int) -> Expression:
    x = variables(d)
    return sin(3 * x[0]) if d == 1 else sin(x[0] + x[1])


@cache
def size(d: int, m: int, error: float) -> SobolevSize:
    return sobolev_size(formula(d), error, dimension=d, smoothness=m)


def sizes(d: int, m: int, errors: Errors) -> list[SobolevSize]:
    return [size(d, m, e) for e in errors]


def check(scale: str) -> Evidence:
    rows = []
    for (d, m), errors in ACCURACIES.items():
        asked = errors + (FURTHER[d, m] if scale == "full" else [])
        found = sizes(d, m, asked)
        rows += [
            row(float(s.bound), "<=", e, kind="certified", d=d, m=m, weights=s.n_weights)
            for s, e in zip(found, asked, strict=True)
        ]
        x = [-log(s.bound) for s in found]
        weights = [log(s.n_weights) for s in found]
        divided = [w - log(t + 1) for w, t in zip(weights, x, strict=True)]
        value, error = slope(x, divided)
        rows.append(row(value, "<=", d / m, kind="estimated", standard_error=error, what="without the logarithm", d=d, m=m))
        value, error = slope(x, weights)
        rows.append(row(value, "=", d / m, kind="estimated", standard_error=error, tolerance=TOLERANCE, what="slope", d=d, m=m))
        rows.append(row(value, ">=", d / (2 * m), kind="estimated", standard_error=error, what="lower bound", d=d, m=m))
    return Evidence(rows, draw=draw)


def draw(ax: Axes) -> None:
    """Certified error against weights."""
    colors = dict(zip((1, 2, 3), SERIES, strict=False))
    for (d, m), errors in ACCURACIES.items():
        found = sizes(d, m, errors)
        style = "o-" if d == 1 else "s--"
        ax.loglog(
            [s.n_weights for s in found],
            [float(s.bound) for s in found],
            style,
            color=colors[m],
            markersize=4,
            label=f"d = {d}, m = {m}",
        )
    ax.set_xlabel("weights")
    ax.set_ylabel("certified error")
    ax.legend(frameon=False, fontsize=8)
    ax.spines[["top", "right"]].set_visible(False)
