r"""The effective dimension of compositional functions is 2/m.

Claim
    Binary trees of functions of two variables with m bounded derivatives are approximated to error eps with O(eps^{-2/m})
    parameters, where generic functions of n variables take eps^{-n/m}.
Source
    T. Poggio, H. Mhaskar, L. Rosasco, B. Miranda, Q. Liao, Int. J. Autom. Comput. 14 (2017) [poggio2017].
Prediction
    plica.theory.approximation.effective_dimension_of_tree(m) and plica.theory.approximation.effective_dimension(n, m), the slopes
    of log(parameters) against log(1 / error): error falls with the slopes -m/2 and -m/n
Measurement
    least-squares slopes: every node of a tree of four variables on a grid, piecewise constant for m = 1 and bilinear for m = 2;
    networks of trees of four and eight variables (plica.construct.tree), whose errors stay below their certificates; and one grid
    over all four variables, which does not know the tree
"""

from __future__ import annotations

from math import log
from typing import TYPE_CHECKING

from plica._palette import SERIES
from plica.claims import Evidence, row
from plica.claims.approximation._trees import SEED, errors, generic_errors, measured_dimension, network_errors
from plica.construct import estimate_effective_dimension
from plica.theory.approximation import effective_dimension, effective_dimension_of_tree

if TYPE_CHECKING:
    from matplotlib.axes import Axes

STATEMENT = "theorem"
EXPECTED = "holds"
KIND = "estimated"
SEE = ("slide-effective-dimension",)
SIZES = {1: (16, 24, 32, 48, 64), 2: (8, 12, 16, 24, 32)}


def check(scale: str) -> Evidence:
    rows = []
    full = scale == "full"
    for m in (1, 2):
        slope, error = measured_dimension(m, finest=2048 if full else 512)
        predicted = float(effective_dimension_of_tree(m))
        rows.append(row(slope, "=", predicted, kind="estimated", standard_error=error, tolerance=0.05, m=m, what="tree on grids"))
    for n in (4, 8) if full else (4,):
        weights, found, bounds = network_errors(n, (8, 16, 32, 64) if full else (8, 16, 32))
        measured = estimate_effective_dimension(weights, found)
        spread = measured.standard_error
        rows.append(
            row(
                measured.value,
                "<",
                1.05,
                kind="estimated",
                standard_error=spread,
                m=2,
                n=n,
                what="networks of a tree",
            )
        )
        last = log(weights[-1] / weights[-2]) / log(
            bounds[-2] / bounds[-1]
        )  # from one resolution to twice it, between certificates
        rows.append(
            row(
                last,
                "=",
                1.0,
                kind="certified",
                tolerance=0.1,
                m=2,
                n=n,
                what="the two finest, certified bounds",
            )
        )
        for w, e, bound in zip(weights, found, bounds, strict=True):
            rows.append(row(e, "<=", bound, kind="estimated", standard_error=0.0, m=2, n=n, what=f"error of {w} weights"))
    for m in (1, 2):
        measured = estimate_effective_dimension(*generic_errors(m, SIZES[m] + ((96, 128) if full else ())))
        predicted = float(effective_dimension(4, m))
        spread = measured.standard_error
        rows.append(
            row(
                measured.value, "=", predicted, kind="estimated", standard_error=spread, tolerance=0.05, m=m, n=4, what="one grid"
            )
        )
    return Evidence(rows, draw=draw, seed=SEED)


def draw(ax: Axes) -> None:
    """Error against parameters for m = 1 and m = 2: the tree, and one grid over four variables."""
    for m, color in zip((1, 2), SERIES, strict=False):
        n_parameters, error = errors(m, 128)
        ax.loglog(n_parameters, error, "o-", color=color, markersize=4, label=f"tree, m = {m}: slope -{m}/2")
        n_parameters, error = generic_errors(m, SIZES[m])
        ax.loglog(n_parameters, error, "s:", color=color, markersize=3, label=f"one grid, m = {m}: slope -{m}/4")
    ax.set_xlabel("parameters")
    ax.set_ylabel("largest error")
    ax.legend(frameon=False, fontsize="small")
    ax.spines[["top", "right"]].set_visible(False)
