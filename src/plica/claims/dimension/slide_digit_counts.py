r"""Sample counts of the digits in the table of intrinsic dimensions, as printed.

Claim
    The digits 1, ..., 9, 0 of MNIST have 7877, 6990, 7141, 6824, 6903, 6876, 7293, 6825, 6958, 6903 images.
Source
    Theories of Deep Learning, lecture 4, a picture of Table 7 of M. Hein and J.-Y. Audibert, ICML 2005 [oxford-lecture-4]: what
    is refuted is the number as it was read from the picture.
Prediction
    70000, the number of images of MNIST: 60000 to train and 10000 to test
Measurement
    the sum of the printed counts; at full scale the labels of MNIST that are 5, counted
Remark
    The sum is 590 too large: digit 5 carries the count of digit 0. With 6313 the sum is right: the claim digit-counts.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

import plica.data
from plica._palette import BOUND, MEASUREMENT
from plica.claims import Evidence, counterexample

if TYPE_CHECKING:
    from matplotlib.axes import Axes


STATEMENT = "misprint (picture)"
EXPECTED = "refuted"
KIND = "exact"
SEE = ("digit-counts",)
PRINTED = {1: 7877, 2: 6990, 3: 7141, 4: 6824, 5: 6903, 6: 6876, 7: 7293, 8: 6825, 9: 6958, 0: 6903}


def check(scale: str) -> Evidence:
    rows = [counterexample(sum(PRINTED.values()), "=", 70_000, truth=70_590, what="sum of the printed counts")]
    if scale == "full":
        data = plica.data.load("mnist")
        fives = sum(int((np.asarray(part) == 5).sum()) for part in (data.y, data.y_test))
        others = 70_000 - sum(count for digit, count in PRINTED.items() if digit != 5)
        rows.append(counterexample(fives, "=", PRINTED[5], truth=others, what="images of digit 5"))
    return Evidence(rows, draw=draw)


def draw(ax: Axes) -> None:
    """The printed counts, and the one that digit 5 has."""
    ax.bar([str(digit) for digit in PRINTED], list(PRINTED.values()), color=MEASUREMENT, label="printed")
    ax.plot("5", 6313, "X", color=BOUND, markersize=9, label="6313 images of digit 5")
    ax.set(xlabel="digit", ylabel="images", ylim=(6000, 8400))
    ax.legend(frameon=False)
    ax.spines[["top", "right"]].set_visible(False)
