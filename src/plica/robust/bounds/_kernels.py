"""Forms pulled through rectifiers and past offsets: one pass over memory, with what rounding may do."""

from __future__ import annotations

import numpy as np

from plica._compiled import compiled
from plica._types import Array


@compiled
def through_lines(
    a: Array, low_slope: Array, low_offset: Array, high_slope: Array, high_offset: Array, reach: Array
) -> tuple[Array, Array, Array, Array]:
    """Forms (boxes, forms, entries) of a rectifier's output as forms of its input.

    Returns the new weights, the constants, the sums of their magnitudes, and the new weights' magnitudes times ``reach``.
    Lines have one row for each box, or one for each box and form.
    """
    n_boxes, n_forms, n = a.shape
    back = np.empty((n_boxes, n_forms, n))
    constant, size, spread = np.zeros((n_boxes, n_forms)), np.zeros((n_boxes, n_forms)), np.zeros((n_boxes, n_forms))
    per_form = low_slope.shape[1] > 1
    for b in range(n_boxes):
        for k in range(n_forms):
            q = k if per_form else 0
            c, s, r = 0.0, 0.0, 0.0
            for j in range(n):
                v = a[b, k, j]
                if v > 0:
                    w, t = v * low_slope[b, q, j], v * low_offset[b, q, j]
                else:
                    w, t = v * high_slope[b, q, j], v * high_offset[b, q, j]
                back[b, k, j] = w
                c += t
                s += abs(t)
                r += abs(w) * reach[b, j]
            constant[b, k], size[b, k], spread[b, k] = c, s, r
    return back, constant, size, spread


@compiled
def past_offset(a: Array, offset: Array, reach: Array) -> tuple[Array, Array, Array]:
    """Forms (boxes, forms, entries) at an offset: constants, sums of magnitudes, magnitudes times ``reach``."""
    n_boxes, n_forms, n = a.shape
    constant, size, spread = np.zeros((n_boxes, n_forms)), np.zeros((n_boxes, n_forms)), np.zeros((n_boxes, n_forms))
    for b in range(n_boxes):
        for k in range(n_forms):
            c, s, r = 0.0, 0.0, 0.0
            for j in range(n):
                v = a[b, k, j]
                t = v * offset[j]
                c += t
                s += abs(t)
                r += abs(v) * reach[b, j]
            constant[b, k], size[b, k], spread[b, k] = c, s, r
    return constant, size, spread
