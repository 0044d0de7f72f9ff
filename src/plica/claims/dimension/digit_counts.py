r"""MNIST has 6313 fives.

Claim
    The digits 0, ..., 9 of MNIST have 6903, 7877, 6990, 7141, 6824, 6313, 6876, 7293, 6825, 6958 images.
Source
    The labels of MNIST; corrects a table of Theories of Deep Learning, lecture 4 [oxford-lecture-4].
Prediction
    the counts of the claim, and 60000 and 10000 in all
Measurement
    the labels of the files of MNIST, counted
Stand-in
    The digits 0, ..., 9 of the small set of handwritten digits (8 x 8 pixels) have 178, 182, 177, 183, 181, 182, 181, 179, 174,
    180 images, counted in its labels.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import numpy as np

import plica.data
from plica._palette import CONTROL, MEASUREMENT
from plica.claims import Evidence, row

if TYPE_CHECKING:
    from matplotlib.axes import Axes

STATEMENT = "theorem"
EXPECTED = "holds"
KIND = "exact"
SEE = ("slide-digit-counts",)
COUNTS = (6903, 7877, 6990, 7141, 6824, 6313, 6876, 7293, 6825, 6958)
SMALL = (178, 182, 177, 183, 181, 182, 181, 179, 174, 180)


def check(scale: str) -> Evidence:
    data = plica.data.load("mnist" if scale == "full" else "digits")
    labels = [np.asarray(part) for part in (data.y, data.y_test) if part is not None]
    counts = np.bincount(np.concatenate(labels), minlength=10)
    expected = COUNTS if scale == "full" else SMALL
    rows = [row(int(counts[k]), "=", expected[k], digit=k) for k in range(10)]
    if scale == "full":
        for part, size, name in zip(labels, (60_000, 10_000), ("training", "test"), strict=True):
            rows.append(row(len(part), "=", size, digit=f"all, {name}"))
    else:
        rows.append(row(int(counts.sum()), "=", 1797, digit="all"))
    return Evidence(rows, draw=partial(draw, counts, expected))


def draw(counts: np.ndarray, expected: tuple[int, ...], ax: Axes) -> None:
    """The counted labels, and the counts of the page."""
    ax.bar(range(10), counts, color=CONTROL, width=0.7, label="counted")
    ax.plot(range(10), expected, "_", color=MEASUREMENT, markersize=18, label="on this page")
    ax.set_xticks(range(10))
    ax.set(xlabel="digit", ylabel="images")
    ax.legend(frameon=False, fontsize=8, loc="lower right")
    ax.spines[["top", "right"]].set_visible(False)
