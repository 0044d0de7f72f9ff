r"""What several linear bounds say together: combinations that refute a box, and boxes that shrink to what is not refuted.

On a box, row k of a conjunction is at least :math:`m_k + s_k\cdot(x - c)`. A counterexample needs all rows <= 0. So any weights
:math:`\lambda\ge 0` with :math:`\sum_k\lambda_k m_k > \sum_j r_j|\sum_k\lambda_k s_{kj}|` refute the conjunction; and each row
alone keeps x within a distance of the corner where it is least.
"""

from __future__ import annotations

import numpy as np

from plica._types import Array
from plica.robust.bounds._boxes import EPS, TINY, Boxes

ROUNDS = 24


def combined_margin(middle: Array, slope: Array, radius: Array) -> Array:
    """Lower bounds of the largest row of a conjunction, by weights found with multiplicative steps.

    ``middle`` (boxes, rows) and ``slope`` (boxes, rows, inputs) are proved; so is the result, whatever weights are found.

    Examples
    --------
    x <= 0 and 1 - x <= 0 exclude each other, though neither is refuted on [-2, 2]:

    >>> bool(combined_margin(np.array([[0.0, 1.0]]), np.array([[[1.0], [-1.0]]]), np.array([[2.0]]))[0] > 0.4)
    True
    """
    n_boxes, n_rows = middle.shape
    extent = _reach(middle, slope, radius)
    weights = 1.0 / np.maximum(extent, TINY)
    best = np.full(n_boxes, -np.inf)
    for k in range(ROUNDS):
        weights = weights / weights.sum(axis=1, keepdims=True)
        total = (weights[:, None, :] @ slope)[:, 0]
        reach = np.abs(total) * radius
        value = (weights * middle).sum(axis=1) - reach.sum(axis=1)
        size = (weights * extent).sum(axis=1)
        value = value - (2 * n_rows + radius.shape[1] + 16) * EPS * size - TINY
        best = np.maximum(best, value)
        # the derivative by the weights: the rows at the corner where the combination is least
        corner = -np.sign(total) * radius
        rows = middle + (slope @ corner[:, :, None])[..., 0]
        step = 2.0 / (1.0 + 0.3 * k) / np.maximum(np.abs(rows).max(axis=1, keepdims=True), TINY)
        weights = weights * np.exp(np.clip(step * rows, -30, 30))
    return np.where(np.isnan(best), -np.inf, best)


def _reach(middle: Array, slope: Array, radius: Array) -> Array:
    return np.abs(middle) + (np.abs(slope) @ radius[:, :, None])[..., 0]


def shrunk(boxes: Boxes, low: Array, slope: Array) -> tuple[Array, Array]:
    """Ends of boxes without what single rows exclude; ``low`` (boxes, rows) are proved minima of the rows' affine functions.

    Moving by a distance t along axis j from the corner where a row is least raises it by t |slope_j|; beyond -low / |slope_j| it
    is positive.
    """
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        room = np.where(slope != 0, -low[..., None] / np.abs(slope), np.inf) * (1 + 8 * EPS)
        room = np.where(np.isnan(room), np.inf, np.maximum(room, 0.0))
        size = boxes.magnitude[:, None] * 4 * EPS + TINY
        high = np.where(slope > 0, boxes.low[:, None] + room + size, np.inf).min(axis=1)
        least = np.where(slope < 0, boxes.high[:, None] - room - size, -np.inf).max(axis=1)
    return np.maximum(boxes.low, least), np.minimum(boxes.high, high)
