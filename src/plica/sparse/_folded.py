r"""Units that are affine on a domain, written with fewer: as what reads them, or as what they read.

The next layer needs :math:`u = V z` of the affine units :math:`z = W a + b`. Either its own sums are the new units, lifted so
that :math:`u + c \ge 0`; or the inputs are, lifted likewise, and the next layer reads :math:`V W`.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from plica._types import Array
from plica.robust.bounds import Ranges
from plica.sparse._rounded import EPS, RoundedLayer, coarse_up, lost_in_sum, product, up


class Folded(NamedTuple):
    """New units, how the next layer reads them (with what is added to its biases), and their ranges."""

    made: RoundedLayer
    read: RoundedLayer
    ranges: Ranges


def as_readers(layer: RoundedLayer, after: RoundedLayer, on: Array, r: Ranges) -> Folded:
    """One unit for each unit of the next layer."""
    weight, weight_error, bias, bias_error = product(after, on, layer, on)
    low, high = _range(after.weight[:, on], after.weight_error[:, on], r[on])
    lift = coarse_up(-low)
    n = len(lift)
    made = RoundedLayer(weight, bias + lift, weight_error, up(bias_error + lost_in_sum(bias, lift)))
    read = RoundedLayer(np.eye(n), -lift, np.zeros((n, n)), np.zeros(n))
    return Folded(made, read, Ranges(np.zeros(n), (high + lift) * (1 + 8 * EPS)))


def as_inputs(layer: RoundedLayer, after: RoundedLayer, on: Array, entering: Ranges) -> Folded:
    """One unit for each input, which is ``entering`` in range."""
    weight, weight_error, bias, bias_error = product(after, on, layer, on)
    n, low = weight.shape[1], -coarse_up(-entering.low)
    made = RoundedLayer(np.eye(n), -low, np.zeros((n, n)), np.zeros(n))
    moved = weight @ low
    size = np.abs(weight) @ np.abs(low)
    total = bias + moved
    error = bias_error + (weight_error @ np.abs(low) + (n + 8) * EPS * (size + np.abs(bias))) * (1 + 1e-9)
    read = RoundedLayer(weight, total, weight_error, np.where((size > 0) | (bias_error > 0), error, bias_error))
    return Folded(made, read, Ranges(np.zeros(n), (entering.high - low) * (1 + 8 * EPS)))


def _range(weight: Array, error: Array, r: Ranges) -> tuple[Array, Array]:
    """Proved ranges of the sums of multiples of entries with given ranges."""
    plus, minus = np.maximum(weight, 0.0), np.minimum(weight, 0.0)
    low, high = plus @ r.low + minus @ r.high, plus @ r.high + minus @ r.low
    slack = (weight.shape[1] + 8) * EPS * (np.abs(weight) @ r.magnitude) + 2 * error @ r.magnitude
    return low - slack, high + slack
