r"""What several linear bounds say together: combinations that refute a box, and boxes that shrink to what is not refuted.

On a box, row k of a conjunction is at least :math:`m_k + s_k\cdot(x - c)`. A counterexample needs all rows <= 0. So any weights
:math:`\lambda\ge 0` with :math:`\sum_k\lambda_k m_k > \sum_j r_j|\sum_k\lambda_k s_{kj}|` refute the conjunction; and each row
alone keeps x within a distance of the corner where it is least.
"""

from __future__ import annotations

import numpy as np

from plica._types import Array
from plica.robust._multiplier_kernels import excluding_weights, limiting_weights
from plica.robust.bounds._boxes import EPS, TINY, Boxes

ROUNDS = 24  # of multiplicative steps, where there are too many inputs for programs
MOST_INPUTS = 24


def combined_margin(middle: Array, slope: Array, radius: Array) -> Array:
    """Lower bounds of the largest row of a conjunction, by weights from a linear program (by steps in many inputs).

    ``middle`` (boxes, rows) and ``slope`` (boxes, rows, inputs) are proved; so is the result, whatever weights are found.

    Examples
    --------
    x <= 0 and 1 - x <= 0 exclude each other, though neither is refuted on [-2, 2]:

    >>> bool(combined_margin(np.array([[0.0, 1.0]]), np.array([[[1.0], [-1.0]]]), np.array([[2.0]]))[0] > 0.4)
    True
    """
    if middle.shape[1] == 1 or radius.shape[1] > MOST_INPUTS:
        return _by_steps(middle, slope, radius)
    unit = 1.0 / np.maximum(_reach(middle, slope, radius), TINY)
    weights = excluding_weights(middle * unit, slope * unit[..., None] * radius[:, None]) * unit
    total = weights.sum(axis=1, keepdims=True)
    weights = np.where(total > 0, weights / np.maximum(total, TINY), 1.0 / middle.shape[1])
    value = _combined(weights, middle, slope, radius)
    return np.where(np.isnan(value), -np.inf, value)


def _combined(weights: Array, middle: Array, slope: Array, radius: Array, objective: Array | float = 0.0) -> Array:
    """The least value on boxes of an objective (a form of x - center) plus the weighted rows, rounded down."""
    n_rows = middle.shape[1]
    total = (weights[:, None, :] @ slope)[:, 0] + objective
    reach = np.abs(total) * radius
    value = (weights * middle).sum(axis=1) - reach.sum(axis=1)
    size = (weights * _reach(middle, slope, radius)).sum(axis=1) + (np.abs(objective) * radius).sum(axis=1)
    return np.asarray(value - (2 * n_rows + radius.shape[1] + 16) * EPS * size - TINY)


def _by_steps(middle: Array, slope: Array, radius: Array) -> Array:
    n_boxes = len(middle)
    weights = 1.0 / np.maximum(_reach(middle, slope, radius), TINY)
    best = np.full(n_boxes, -np.inf)
    for k in range(ROUNDS if middle.shape[1] > 1 else 1):
        weights = weights / weights.sum(axis=1, keepdims=True)
        best = np.fmax(best, _combined(weights, middle, slope, radius))
        # the derivative by the weights: the rows at the corner where the combination is least
        corner = -np.sign((weights[:, None, :] @ slope)[:, 0]) * radius
        rows = middle + (slope @ corner[:, :, None])[..., 0]
        step = 2.0 / (1.0 + 0.3 * k) / np.maximum(np.abs(rows).max(axis=1, keepdims=True), TINY)
        weights = weights * np.exp(np.clip(step * rows, -30, 30))
    return best


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


def shrunk_together(boxes: Boxes, middle: Array, slope: Array) -> tuple[Array, Array]:
    """Ends of boxes without what all rows exclude together: the least and the largest coordinate under the rows, by programs.

    For any weights, a counterexample has x_j >= x_j + (weighted rows), whose least value on the box is a proved end.
    """
    low, high = boxes.low.copy(), boxes.high.copy()
    unit = 1.0 / np.maximum(_reach(middle, slope, boxes.radius), TINY)
    rows = middle * unit, slope * unit[..., None] * boxes.radius[:, None]
    for j in np.flatnonzero((boxes.radius > 0).any(axis=0)):
        for sign in (1.0, -1.0):
            weights = limiting_weights(*rows, sign, int(j)) * unit * boxes.radius[:, j, None]
            objective = np.zeros(boxes.dimension)
            objective[j] = sign
            least = _combined(weights, middle, slope, boxes.radius, objective)
            least = least - (EPS * (np.abs(boxes.center[:, j]) + np.abs(least)) + TINY)
            end = boxes.center[:, j] + sign * least
            if sign > 0:
                low[:, j] = np.fmax(low[:, j], end)
            else:
                high[:, j] = np.fmin(high[:, j], end)
    return low, high
