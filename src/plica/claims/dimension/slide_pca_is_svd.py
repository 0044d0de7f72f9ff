r"""Is principal component analysis the singular value decomposition?

Claim
    The first principal component of data X is the first right singular vector of X.
Source
    Summer@ICERM 2020, final presentation, on the SVD classifier [icerm-2020].
Prediction
    1, the squared cosine of the angle between the two directions
Measurement
    both directions for small integer data whose second moments and covariance are diagonal, so that their eigenvectors are
    coordinate axes, exactly. As a control the variances 2 and 1/2 along them, whatever the mean, in the participation ratio
    (2 + 1/2)^2 / (2^2 + 1/2^2) of plica.dimension.LocalPCA
Remark
    Only after the mean is subtracted. Far from the origin the first singular vector points at the mean.
"""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np

from plica._palette import BOUND, INK, MEASUREMENT
from plica.claims import Evidence, control, counterexample, row
from plica.dimension import LocalPCA

if TYPE_CHECKING:
    from matplotlib.axes import Axes


STATEMENT = "misprint (text)"
EXPECTED = "refuted"
KIND = "estimated"
ROUNDING = 1e-13


def first_axis(moments: np.ndarray) -> np.ndarray:
    """The eigenvector of the largest entry of a diagonal matrix."""
    diagonal = np.diagonal(moments)
    assert (moments == np.diag(diagonal)).all()
    return np.eye(len(diagonal), dtype=int)[int(np.argmax(diagonal))]


def check(scale: str) -> Evidence:
    rows = []
    for mean in (0, 1, 2, 10):
        X = np.array([[mean, -2], [mean, 0], [mean, 2], [mean - 1, 0], [mean + 1, 0]])
        centered = X - X.mean(axis=0).astype(int)
        cosine = int(first_axis(X.T @ X) @ first_axis(centered.T @ centered))
        about: dict[str, Any] = {"mean": f"({mean}, 0)", "points": len(X)}
        # sums of squares: 5 mean^2 + 2 along the mean, 8 across it; the mean wins from 2 on
        is_pulled = 5 * mean**2 + 2 > 8
        found = Fraction(cosine**2)
        rows.append(counterexample(found, "=", 1, truth=0, **about) if is_pulled else row(found, "=", 1, **about))
        ratio = LocalPCA(n_neighbors=None, criterion="participation").fit(X.astype(float)).dimension_
        told: dict[str, Any] = {"kind": "estimated", "standard_error": ROUNDING, "what": "participation ratio of variances"}
        rows.append(control(ratio, "=", Fraction(25, 17), **told, **about))
    return Evidence(rows, draw=draw)


def draw(ax: Axes) -> None:
    """Data around (2, 0): the first singular vector points at the mean, the first principal component along the data."""
    X = np.array([[2, -2], [2, 0], [2, 2], [1, 0], [3, 0]])
    ax.plot(*X.T, "o", color=INK)
    for start, end, color, name in (((0, 0), (2, 0), BOUND, "singular vector"), ((2, 0), (2, 1.6), MEASUREMENT, "principal")):
        ax.annotate("", end, start, arrowprops={"arrowstyle": "->", "color": color, "linewidth": 2})
        ax.plot([], [], color=color, label=name)
    ax.set(xlim=(-0.5, 3.6), ylim=(-2.5, 2.5), aspect="equal")
    ax.legend(frameon=False, loc="upper left")
    ax.spines[["top", "right"]].set_visible(False)
