r"""Digits lie near subspaces: the SVD classifier.

Claim
    An image belongs to the digit whose first r left singular vectors leave the smallest residual |x - U_c U_c^T x|. On MNIST
    this is right for about 95.8 percent of the test images at the best r, between 20 and 40, and for fewer at smaller and
    larger r.
Source
    Summer@ICERM 2020, final presentation, on the SVD classifier [icerm-2020].
Prediction
    0.958 at the best rank, which is between 20 and 40; less at rank 1 and at rank 200
Measurement
    residuals of the test images for the singular vectors of each digit's training images, not centered
Stand-in
    On the 8 x 8 digits the classifier is right for more than nine tenths of the images at its best rank, more often than at ranks
    1, 2 and 50.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np

from plica._palette import CONTROL, MEASUREMENT
from plica._types import Array
from plica.claims import Evidence, row
from plica.claims.learning._images import images
from plica.data import Dataset

if TYPE_CHECKING:
    from matplotlib.axes import Axes

STATEMENT = "published result"
EXPECTED = "reproduced"
KIND = "estimated"
SEE = ("slide-pca-is-svd", "mnist-feed-forward")
PRINTED = 0.958


def accuracy_by_rank(data: Dataset) -> Array:
    """Entry r - 1: the share of test images that subspaces of dimension r classify right."""
    x, x_test = data.flat.astype(np.float64), data.flat_test.astype(np.float64)
    assert data.y is not None and data.y_test is not None
    squares = (x_test**2).sum(axis=1)[:, None]
    best, label = np.full((len(x_test), x.shape[1]), np.inf), np.zeros((len(x_test), x.shape[1]), np.int8)
    for digit in range(10):
        of_digit = x[data.y == digit]
        _, vectors = np.linalg.eigh(of_digit.T @ of_digit)  # its eigenvectors are the singular vectors
        residual = squares - np.cumsum((x_test @ vectors[:, ::-1]) ** 2, axis=1)
        closer = residual < best
        best[closer], label[closer] = residual[closer], digit
    return np.asarray((label == data.y_test[:, None]).mean(axis=0))


def check(scale: str) -> Evidence:
    data = images(scale)
    assert data.x_test is not None
    found = accuracy_by_rank(data)
    best = int(found.argmax()) + 1

    def error(p: float) -> float:
        return float(np.sqrt(p * (1 - p) / len(data.x_test)))  # type: ignore[arg-type]

    peak, far = float(found[best - 1]), 200 if scale == "full" else 50
    rows = [
        row(float(found[r - 1]), "<", peak, kind="estimated", standard_error=error(float(found[r - 1])), rank=r, best_rank=best)
        for r in ((1, 2, 5, far) if scale == "full" else (1, 2, far))
    ]
    if scale == "quick":
        rows.insert(0, row(peak, ">", 0.9, kind="estimated", standard_error=error(peak), rank=best))
    else:
        rows.insert(0, row(peak, "=", PRINTED, kind="estimated", standard_error=error(peak), rank=best))
        rows += [row(best, relation, bound, what="best rank") for relation, bound in ((">=", 20), ("<=", 40))]
    return Evidence(rows, draw=figure(found), note=f"best rank {best}: {peak:.2%} right")


def figure(found: Array) -> Callable[[Axes], None]:
    """Accuracy against rank."""

    def draw(ax: Axes) -> None:
        ax.plot(np.arange(1, len(found) + 1), found, color=MEASUREMENT)
        ax.plot([found.argmax() + 1], [found.max()], "o", color=CONTROL, label=f"rank {found.argmax() + 1}: {found.max():.2%}")
        ax.set_xscale("log")
        ax.set_ylim(max(0.0, found.max() - 0.25), 1)
        ax.set_xlabel("dimension of each digit's subspace")
        ax.set_ylabel("share of test images classified right")
        ax.legend(frameon=False, loc="lower center")
        ax.spines[["top", "right"]].set_visible(False)

    return draw
