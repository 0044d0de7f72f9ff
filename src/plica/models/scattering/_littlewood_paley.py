"""The Littlewood-Paley sum over all frequencies, enclosed: how much a bank of wavelets can stretch or lose."""

from __future__ import annotations

from dataclasses import dataclass
from math import pi, sqrt

import numpy as np

from plica._types import Array
from plica.errors import InvalidInput
from plica.models.scattering._banks import Bank

ROUNDING = 2.0**-40  # of one filter's square, with room to spare: its terms round at 2**-45


@dataclass(frozen=True)
class LittlewoodPaley:
    """Enclosures of the extremes of the sum.

    Attributes
    ----------
    least, most
        Intervals that hold the minimum and the maximum over all frequencies.
    at_least, at_most
        Frequencies where the sum comes near them.
    n_points
        How often the sum was evaluated.
    """

    least: tuple[float, float]
    most: tuple[float, float]
    at_least: tuple[float, ...]
    at_most: tuple[float, ...]
    n_points: int
    kind: str = "certified"

    @property
    def is_non_expansive(self) -> bool:
        """Whether the wavelet transform is proved to lengthen no signal."""
        return self.most[1] <= 1.0


def littlewood_paley(bank: Bank, *, tolerance: float = 1e-5) -> LittlewoodPaley:
    """Enclose the extremes of the Littlewood-Paley sum of a bank, relative to its size, to ``tolerance``.

    At an extreme of a smooth function on the torus the derivative is zero: from the middle of a box that holds it, it is away by
    half the largest curvature in the box times the squared distance at most. Boxes that cannot hold it are left,
    the others halved.

    Examples
    --------
    >>> from plica.models.scattering import wavelets_2d
    >>> found = littlewood_paley(wavelets_2d(2))
    >>> found.most[1] - found.most[0] < 1e-4, found.is_non_expansive
    (True, False)
    """
    if not 0 < tolerance < 1:
        raise InvalidInput(f"tolerance={tolerance!r} is not a number between 0 and 1.")
    slip = ROUNDING * (1 + len(bank.wavelets))
    most, at_most, n_most = _largest(bank, slip, tolerance, +1)
    least, at_least, n_least = _largest(bank, slip, tolerance, -1)
    return LittlewoodPaley((max(0.0, -least[1]), -least[0]), most, at_least, at_most, n_most + n_least)


def _largest(bank: Bank, slip: float, tolerance: float, sign: int) -> tuple[tuple[float, float], tuple[float, ...], int]:
    """The interval of the largest value of the sum times a sign, where it is nearly attained, and the cost."""
    d = bank.dimension
    n = 1024 if d == 1 else 48
    half = pi / n
    # the sum is even: half of the torus is enough, and the boxes overlap its border
    axes = [np.linspace(-pi, pi, n, endpoint=False) + half] * (d - 1) + [half + 2 * half * np.arange(n // 2)]
    middles = np.stack(np.meshgrid(*axes, indexing="ij"), axis=-1).reshape(-1, d)
    steps = half * np.array(np.meshgrid(*[[-0.5, 0.5]] * d)).reshape(d, -1).T
    asked, best, where = 0, -np.inf, np.zeros(d)
    while True:
        values = sign * bank.sum_of_squares(middles)
        asked += len(values)
        top = int(values.argmax())
        if values[top] > best:
            best, where = float(values[top]), middles[top]
        tops = values + 0.5 * _curvature(bank, middles, half * sqrt(d)) * d * half**2
        top_value = max(best, float(tops.max()))
        if top_value - best <= tolerance * max(abs(best), 1e-3):
            return (best - slip, top_value + slip), tuple(where.tolist()), asked
        middles = _halved(middles[tops + 2 * slip >= best], steps)
        half, steps = half / 2, steps / 2


def _curvature(bank: Bank, w: Array, radius: float) -> Array:
    """Bounds of the second derivatives of the sum on balls around frequencies."""
    total = bank.low_pass.curvature_upper_bounds(w, radius)
    for one in bank.wavelets:
        total += 0.5 * (one.curvature_upper_bounds(w, radius) + one.curvature_upper_bounds(-w, radius))
    return total


def _halved(middles: Array, steps: Array) -> Array:
    return np.asarray((middles[:, None] + steps).reshape(-1, middles.shape[1]))
