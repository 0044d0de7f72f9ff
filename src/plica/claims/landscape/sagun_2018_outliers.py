r"""Sagun et al.: how many eigenvalues of the Hessian stand out.

Claim
    The Hessian of cross-entropy of a network trained on k classes has a bulk near zero and a few eigenvalues far outside, whose
    number follows that of the classes: k - 1 of them, as softmax does not see a common shift of all outputs.
Source
    L. Sagun et al., Empirical Analysis of the Hessian of Over-Parametrized Neural Networks, ICLR Workshop 2018 [sagun2018]:
    "the number of large eigenvalues depends on the number of classes"; that it is k - 1 is said here.
Prediction
    the largest ratio of consecutive eigenvalues, among the first 2 k, comes after the first k - 1
Measurement
    top eigenpairs with residuals (plica.landscape.top_eigenpairs) of networks trained on the first k of the 8 x 8 digits, of
    the Hessian and of its Gauss-Newton part
Remark
    Measured for four classes and more. For two and three the count is not clear: with 2 classes the largest ratio came after 1
    eigenvalue of the Hessian but 3 of its Gauss-Newton part, with 3 classes after 1 of both.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from plica._palette import SERIES
from plica._types import Array
from plica.claims import Evidence, control, row
from plica.claims.landscape._digits import digits, trained
from plica.landscape import Curvature, top_eigenpairs

if TYPE_CHECKING:
    from matplotlib.axes import Axes

STATEMENT = "published result"
EXPECTED = "reproduced"
KIND = "estimated"
SEE = ("pennington-2017-index",)
SEED = 1


def check(scale: str) -> Evidence:
    x, y = digits("quick")
    rows, shown = [], {}
    for k in (4, 5, 6, 7, 8) if scale == "full" else (4, 6):
        chosen = np.flatnonzero(y < k)[: 900 if scale == "full" else 200]
        steps = 90 if scale == "full" else 30
        model = trained(x[chosen], y[chosen], [16], SEED, steps=steps, batch=50, rate=3e-3)
        for part in ("hessian", "gauss-newton"):
            curvature = Curvature(model, x[chosen], y[chosen], loss="cross-entropy", part=part)  # type: ignore[arg-type]
            found = top_eigenpairs(curvature, 2 * k, seed=SEED, n_steps=40)
            ratios = found.values[:-1] / found.values[1:]
            about: dict[str, Any] = {"classes": k, "part": part}
            n_out = int(np.argmax(ratios)) + 1
            rows.append(
                row(n_out, "=", k - 1, kind="estimated", standard_error=0.0, what="eigenvalues outside the bulk", **about)
            )
            worst = float((found.residuals[:k] / found.values[:k]).max())
            rows.append(control(worst, "<", 1e-3, what="residual over eigenvalue", **about))
            shown[k] = found.values
    return Evidence(rows, draw=partial(draw, shown), seed=SEED)


def draw(shown: dict[int, Array], ax: Axes) -> None:
    """The first eigenvalues for each number of classes."""
    for color, (k, values) in zip(SERIES, shown.items(), strict=False):
        ax.semilogy(np.arange(1, len(values) + 1), values, "o-", color=color, markersize=4, label=f"{k} classes")
        ax.axvline(k - 0.5, color=color, linewidth=0.5)
    ax.set(xlabel="number", ylabel="eigenvalue")
    ax.legend(frameon=False, fontsize=8)
    ax.spines[["top", "right"]].set_visible(False)
