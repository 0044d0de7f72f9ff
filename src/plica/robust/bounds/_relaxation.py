"""Lines around a rectifier on an interval: what linear bounds put in the place of a neuron whose sign is not certain."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from plica._types import Array
from plica.robust.bounds._boxes import EPS, TINY, Ranges

Rule = Literal["adaptive", "parallel", "zero"]


@dataclass(frozen=True, eq=False)
class Lines:
    """For each neuron low_slope * z + low_offset <= f(z) <= high_slope * z + high_offset on its interval, proved."""

    low_slope: Array
    low_offset: Array
    high_slope: Array
    high_offset: Array


def lines_around(r: Ranges, slope: Array, rule: Rule = "adaptive") -> Lines:
    """Two lines around x where x > 0, slope * x elsewhere.

    The chord lies on one side. On the other side any line through zero with a slope between the two does: ``"adaptive"`` takes
    the one that leaves the smaller area (CROWN, DeepPoly), ``"parallel"`` the slope of the chord (Fast-Lin, and the dual of Wong
    and Kolter), ``"zero"`` that of the negative side.

    Examples
    --------
    >>> a = lines_around(Ranges(np.array([-1.0]), np.array([3.0])), np.zeros(1))
    >>> a.high_slope.tolist(), a.low_slope.tolist()
    ([0.75], [1.0])
    """
    low, high = r.low, r.high
    active, inactive = low >= 0, high <= 0
    least, most = np.minimum(slope, 1.0), np.maximum(slope, 1.0)
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        chord = np.clip((high - slope * low) / (high - low), least, most)
        chord = np.where(np.isnan(chord), 1.0, chord)
        # f - chord at both ends: a line through zero with any slope, moved until both ends are on one side
        at_high, at_low = high - chord * high, slope * low - chord * low
        convex = slope <= 1.0
        offset = np.where(convex, np.maximum(at_high, at_low), np.minimum(at_high, at_low))
        rounding = 4 * EPS * np.abs(chord) * (np.abs(low) + np.abs(high)) + 4 * EPS * (np.abs(high) + np.abs(slope * low)) + TINY
        offset = np.where(convex, offset + rounding, offset - rounding)
    if rule == "adaptive":
        tangent = np.where(high > -low, 1.0, slope)
    else:
        tangent = chord if rule == "parallel" else np.broadcast_to(slope, low.shape)
    sure = np.where(active, 1.0, slope)
    certain = active | inactive
    chord, tangent, offset = np.where(certain, sure, chord), np.where(certain, sure, tangent), np.where(certain, 0.0, offset)
    zero = np.zeros_like(offset)
    if convex.all():
        return Lines(tangent, zero, chord, offset)
    return Lines(
        np.where(convex, tangent, chord),
        np.where(convex, zero, offset),
        np.where(convex, chord, tangent),
        np.where(convex, offset, zero),
    )


def relative_gaps(r: Ranges) -> Array:
    """How much lines leave around a neuron, relative to its interval's length: what a shorter interval would save. An estimate.

    Examples
    --------
    >>> relative_gaps(Ranges(np.array([-1.0, 1.0]), np.array([1.0, 2.0]))).tolist()
    [0.25, 0.0]
    """
    unsure = (r.low < 0) & (r.high > 0)
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        return np.where(unsure, -r.low * r.high / (r.high - r.low) ** 2, 0.0)
