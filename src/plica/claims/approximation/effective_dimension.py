r"""The effective dimension of compositional functions is 2/m.

Claim
    Binary trees of functions of two variables with m bounded derivatives are approximated to error eps with O(eps^{-2/m})
    parameters.
Source
    T. Poggio, H. Mhaskar, L. Rosasco, B. Miranda, Q. Liao, Int. J. Autom. Comput. 14 (2017) [poggio2017].
Prediction
    plica.theory.approximation.effective_dimension_of_tree(m), the slope of log(parameters) against log(1 / error)
Measurement
    least-squares slope when every node of a tree of four variables is interpolated on a grid, piecewise constant for m = 1
    and piecewise bilinear for m = 2, and the composition is compared with the true one at random points
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from plica.claims import Evidence, row
from plica.claims.approximation._trees import SEED, errors, measured_dimension
from plica.theory.approximation import effective_dimension_of_tree

if TYPE_CHECKING:
    from matplotlib.axes import Axes

EXPECTED = "holds"
KIND = "estimated"
SEE = ("slide-effective-dimension",)


def check(scale: str) -> Evidence:
    rows = []
    for m in (1, 2):
        slope, error = measured_dimension(m, finest=512 if scale == "full" else 128)
        predicted = float(effective_dimension_of_tree(m))
        rows.append(row(slope, "=", predicted, kind="estimated", standard_error=error, tolerance=0.05, m=m))
    return Evidence(rows, draw=draw, seed=SEED)


def draw(ax: Axes) -> None:
    """Error against parameters for m = 1 and m = 2."""
    for m, color in ((1, "#0072B2"), (2, "#009E73")):
        n_parameters, error = errors(m, 128)
        ax.loglog(n_parameters, error, "o-", color=color, markersize=4, label=f"m = {m}, slope -m/2")
    ax.set_xlabel("parameters")
    ax.set_ylabel("largest error")
    ax.legend(frameon=False)
    ax.spines[["top", "right"]].set_visible(False)
