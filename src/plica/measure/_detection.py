"""How answers about images are scored: the five best guesses, overlaps of boxes and masks, average precision of detections."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from plica._types import Array
from plica.errors import InvalidInput

Box = Sequence[float]
"""(left, top, right, bottom)."""


def top_k_error(scores: Any, labels: Any, *, k: int = 5) -> float:
    """The share of rows whose label is not among the k highest scores; a tie counts against the answer [russakovsky2015]_.

    Examples
    --------
    >>> top_k_error([[0.1, 0.7, 0.2], [0.5, 0.3, 0.2]], [2, 2], k=2)
    0.5
    """
    table, truth = np.asarray(scores, dtype=np.float64), np.asarray(labels)
    if table.ndim != 2 or truth.shape != table.shape[:1] or not len(table) or not 1 <= k <= table.shape[1]:
        raise InvalidInput(f"scores {table.shape}, labels {truth.shape}, k = {k}.", hint="(n, classes), (n,), 1 <= k <= classes")
    own = table[np.arange(len(table)), truth]
    not_lower = (table >= own[:, None]).sum(1)
    return float((not_lower > k).mean())


def box_iou(first: Box, second: Box) -> float:
    """Area of the intersection of two boxes over the area of their union.

    Examples
    --------
    >>> box_iou((0, 0, 2, 2), (1, 0, 3, 2))
    0.3333333333333333
    """
    for box in (first, second):
        if len(box) != 4 or not (box[0] < box[2] and box[1] < box[3]):
            raise InvalidInput(f"{tuple(box)} is not a box.", hint="(left, top, right, bottom) with left < right, top < bottom")
    width = min(first[2], second[2]) - max(first[0], second[0])
    height = min(first[3], second[3]) - max(first[1], second[1])
    shared = max(width, 0) * max(height, 0)
    areas = [(box[2] - box[0]) * (box[3] - box[1]) for box in (first, second)]
    return float(shared / (sum(areas) - shared))


def mask_iou(predicted: Any, truth: Any, *, label: int = 1) -> float:
    """Pixels that both call ``label`` over pixels that one of them does; 1 where neither does.

    Examples
    --------
    >>> mask_iou([[1, 1, 0]], [[0, 1, 1]])
    0.3333333333333333
    """
    a, b = np.asarray(predicted) == label, np.asarray(truth) == label
    if a.shape != b.shape:
        raise InvalidInput(f"masks of shapes {a.shape} and {b.shape}.")
    union = int((a | b).sum())
    return float((a & b).sum() / union) if union else 1.0


def average_precision(right: Sequence[bool] | Array, *, n_truths: int | None = None, points: int | None = None) -> float:
    """Of answers in the order of their scores, best first: the mean over all truths of the precision where each was found.

    With ``points`` it is interpolated: the mean over that many levels of recall of the best precision at that recall or more (11
    in PASCAL VOC until 2009). ``n_truths`` counts also truths that were never found.

    Examples
    --------
    >>> average_precision([True, False, True]), average_precision([True, False], n_truths=2)
    (0.8333333333333333, 0.5)
    """
    found = np.asarray(right, dtype=bool)
    n = int(found.sum()) if n_truths is None else n_truths
    if n < max(1, int(found.sum())):
        raise InvalidInput(f"{int(found.sum())} right answers for {n} truths.", hint="at least one truth, and one for each")
    hits = np.cumsum(found)
    precision = hits / np.arange(1, len(found) + 1)
    if points is None:
        return float(precision[found].sum() / n)
    if points < 2:
        raise InvalidInput(f"{points} levels of recall.", hint="at least 2")
    levels = np.arange(points)
    best = [max(precision[hits * (points - 1) >= level * n], default=0.0) for level in levels]
    return float(np.mean(best))


@dataclass(frozen=True)
class Detection:
    """A box that was found, with its score, in an image."""

    image: int
    box: tuple[float, float, float, float]
    score: float


def detection_precision(
    found: Sequence[Detection], truths: Sequence[tuple[int, Box]], *, overlap: float = 0.5, points: int | None = None
) -> float:
    """Average precision of one class: a detection is right if it overlaps a truth of its image that no better one took.

    Examples
    --------
    >>> detection_precision([Detection(0, (0, 0, 2, 2), 0.9), Detection(0, (0, 0, 2, 1.9), 0.8)], [(0, (0, 0, 2, 2))])
    1.0
    """
    taken: set[int] = set()
    right = []
    for one in sorted(found, key=lambda d: -d.score):
        overlaps = [(box_iou(one.box, box), i) for i, (image, box) in enumerate(truths) if image == one.image]
        most, which = max(overlaps, default=(0.0, -1))
        right.append(most >= overlap and which not in taken)
        if right[-1]:
            taken.add(which)
    return average_precision(right, n_truths=len(truths), points=points)
