r"""The effective dimension of compositional functions, as printed: 2.

Claim
    Binary trees of functions of two variables with m bounded derivatives have effective dimension 2: error eps needs eps^{-2}
    parameters, whatever m.
Source
    Theories of Deep Learning, lecture 4, after the definition of T. Poggio et al. [oxford-lecture-4].
Prediction
    2
Measurement
    the slope of log(parameters) against log(1 / error) when every node of a tree of four variables is interpolated on a grid,
    with polynomials of degree m - 1: plica.claims.approximation.effective_dimension; beside it
    plica.theory.approximation.effective_dimension_of_tree(m)
Remark
    By the definition on the same slide it is 2/m, which is 2 only for m = 1. The corrected form is the claim effective-dimension.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from plica._palette import BOUND, SERIES
from plica.claims import Evidence, counterexample, row
from plica.claims.approximation._trees import errors, measured_dimension
from plica.theory.approximation import effective_dimension_of_tree

if TYPE_CHECKING:
    from matplotlib.axes import Axes

STATEMENT = "misprint (text)"
EXPECTED = "refuted"
KIND = "estimated"
SEE = ("effective-dimension",)


def check(scale: str) -> Evidence:
    rows = []
    for m in (1, 2):
        slope, error = measured_dimension(m, finest=2048 if scale == "full" else 512)
        about: dict[str, Any] = {"kind": "estimated", "standard_error": error, "tolerance": 0.05, "m": m}
        rows.append(
            row(slope, "=", 2.0, **about)
            if m == 1
            else counterexample(slope, "=", 2.0, truth=float(effective_dimension_of_tree(m)), **about)
        )
    return Evidence(rows, draw=draw)


def draw(ax: Axes) -> None:
    """Parameters against accuracy for m = 1 and m = 2, with the printed slope 2 beside each."""
    for m, color in zip((1, 2), SERIES, strict=False):
        n_parameters, error = (np.array(v, dtype=float) for v in errors(m, 256))
        ax.loglog(1 / error, n_parameters, "o-", color=color, markersize=4, label=f"m = {m}: slope {2 / m:g}")
        ax.loglog(1 / error, n_parameters[0] * (error[0] / error) ** 2, "--", color=BOUND, linewidth=1)
    ax.plot([], [], "--", color=BOUND, linewidth=1, label="as printed: slope 2")
    ax.set(xlabel="1 / error", ylabel="parameters")
    ax.legend(frameon=False, fontsize=8)
    ax.spines[["top", "right"]].set_visible(False)
