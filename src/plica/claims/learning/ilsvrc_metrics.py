r"""The scores of image challenges: five guesses, overlap, average precision.

Claim
    A classification is right if the true class is among five guesses, a box if it shares half of its union with the true one,
    and detections in order of confidence are scored by average precision. Guessing scores what counting says: 1 - 5 / 1000
    errors, and for a random order of N answers with R right ones ((R - 1) / (N - 1)) (1 - H_N / N) + H_N / N.
Source
    O. Russakovsky et al., IJCV 115 (2015), section 4 [russakovsky2015]; M. Everingham et al., IJCV 88 (2010), section 4.2,
    for 11 levels of recall [everingham2010]; Y. Bestgen, PBML 103 (2015), for random orders [bestgen2015]; lecture 15, slide
    on the challenge [oxford-lecture-15].
Prediction
    values that are counted: overlaps of boxes and of their pixels, closed forms for orders, all of them enumerated, Dice's 2
    J / (1 + J) for masks
Measurement
    plica.measure.top_k_error, plica.measure.box_iou, plica.measure.mask_iou, plica.measure.average_precision and
    plica.measure.detection_precision
Remark
    The slide's values of average precision beside its pictures are illustrations: no detections are given from which to
    compute them.
"""

from __future__ import annotations

from fractions import Fraction
from functools import partial
from itertools import combinations
from math import comb
from typing import TYPE_CHECKING, Any

import numpy as np

from plica._palette import MEASUREMENT, PREDICTION, SERIES
from plica.claims import Evidence, control, row
from plica.measure import Detection, average_precision, box_iou, detection_precision, mask_iou, top_k_error

if TYPE_CHECKING:
    from matplotlib.axes import Axes

STATEMENT = "theorem"
EXPECTED = "holds"
KIND = "estimated"
SEE = ("lenet-5",)
SEED, ROUNDING = 94, 1e-14


def of_random_order(n: int, right: int) -> Fraction:
    """The mean of average precision over all orders of n answers."""
    harmonic = sum((Fraction(1, i) for i in range(1, n + 1)), Fraction(0)) / n
    rest = Fraction(right - 1, n - 1) if n > 1 else Fraction(0)
    return rest * (1 - harmonic) + harmonic


def check(scale: str) -> Evidence:
    near: dict[str, Any] = {"kind": "estimated", "standard_error": ROUNDING}
    rows, points = [], []
    for n, k in ((1000, 5), (60, 1), (60, 12)):
        every = (np.arange(n)[:, None] + np.arange(n)) % n  # the first class has each rank once
        error = top_k_error(every, np.zeros(n, dtype=int), k=k)
        rows.append(row(error, "=", 1 - k / n, **near, what=f"error of {k} guesses, every rank once", classes=n))
    rows.append(row(top_k_error(np.ones((2, 10)), [0, 1], k=5), "=", 1.0, **near, what="error where all scores are equal"))
    rng = np.random.default_rng(SEED)
    for _ in range(4):
        a, b = (_box(rng) for _ in range(2))
        grids = [_pixels(box) for box in (a, b)]
        pixels = int((grids[0] & grids[1]).sum()) / int((grids[0] | grids[1]).sum())
        rows.append(row(box_iou(a, b), "=", pixels, **near, unit=1.0, what="overlap of boxes, by pixels", boxes=f"{a} {b}"))
        jaccard, dice = mask_iou(*grids), 2 * int((grids[0] & grids[1]).sum()) / (int(grids[0].sum()) + int(grids[1].sum()))
        rows.append(row(2 * jaccard / (1 + jaccard), "=", dice, **near, unit=1.0, what="Dice from the overlap of masks"))
    for n, right in ((5, 2), (8, 3)) + (((16, 6),) if scale == "full" else ()):
        orders = [average_precision([i in chosen for i in range(n)]) for chosen in combinations(range(n), right)]
        mean, expected = sum(orders) / comb(n, right), float(of_random_order(n, right))
        rows.append(
            row(mean, "=", expected, kind="estimated", standard_error=1e-13, what="mean over all orders", n=n, right=right)
        )
        worst = sum(Fraction(i, n - right + i) for i in range(1, right + 1)) / right
        rows.append(row(min(orders), "=", float(worst), **near, what="worst order", n=n, right=right))
        rows.append(row(max(orders), "=", 1.0, **near, what="best order", n=n, right=right))
        points.append((n, right, sorted(orders), expected))
    rows.append(row(average_precision([True, False, True], points=11), "=", (6 * 1 + 5 * 2 / 3) / 11, **near, what="11 levels"))
    rows += detections(near)
    return Evidence(rows, draw=partial(draw, points[-1]), seed=SEED)


def detections(near: dict[str, Any]) -> list:  # type: ignore[type-arg]
    """Two images, three truths, answers that hit, miss and repeat: computed by hand."""
    truths = [(0, (0, 0, 4, 4)), (0, (10, 10, 14, 14)), (1, (0, 0, 4, 4))]
    found = [
        Detection(0, (0, 0, 4, 4), 0.9),  # right
        Detection(0, (1, 0, 4, 4), 0.8),  # the same truth again: wrong, though it overlaps by 3 / 4
        Detection(1, (0, 0, 4, 2), 0.7),  # overlaps by exactly one half: right
        Detection(1, (10, 10, 14, 14), 0.6),  # a box of the other image: wrong
    ]
    by_hand = float((Fraction(1, 1) + Fraction(2, 3)) / 3)
    rows = [row(detection_precision(found, truths), "=", by_hand, **near, what="four detections of three truths")]
    strict = detection_precision(found, truths, overlap=0.75)
    rows.append(row(strict, "=", float(Fraction(1, 3)), **near, what="the same where 3 / 4 must overlap"))
    rows.append(control(detection_precision(found[1:2], truths[:1]), "=", 1.0, **near, what="the second box alone"))
    return rows


def _box(rng: np.random.Generator) -> tuple[int, int, int, int]:
    x, y = (np.sort(rng.choice(12, 2, replace=False)) for _ in range(2))
    return int(x[0]), int(y[0]), int(x[1]), int(y[1])


def _pixels(box: tuple[int, int, int, int]) -> Any:
    grid = np.zeros((12, 12), dtype=bool)
    grid[box[1] : box[3], box[0] : box[2]] = True
    return grid


def draw(case: tuple[int, int, list[float], float], ax: Axes) -> None:
    """Average precision of every order of the answers, from the worst to the best, and what a random one has on average."""
    n, right, orders, expected = case
    ax.plot(np.arange(1, len(orders) + 1), orders, ".", color=MEASUREMENT, label=f"{right} right of {n}, every order")
    ax.axhline(expected, color=PREDICTION, linewidth=1, label="mean, closed form")
    ax.axhline(right / n, color=SERIES[1], linewidth=1, linestyle=":", label="share of right answers")
    ax.set(xlabel="orders, from the worst to the best", ylabel="average precision", ylim=(0, 1.05))
    ax.legend(frameon=False, fontsize=8)
    ax.spines[["top", "right"]].set_visible(False)
