r"""Filters beside the Gabor function that fits them best: where, how wide, which way, which frequency.

A Gabor function is a plane wave under a Gaussian, :math:`e^{-(u/a)^2/2 - (v/b)^2/2} \cos(2 \pi f u + p)` in turned coordinates.
Amplitude and phase are solved for; the other six numbers are found from many starts.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product
from math import atan2, cos, hypot, pi, sin
from typing import Any

import numpy as np

from plica._types import Array
from plica.errors import InvalidInput

WIDTHS = (0.25, 0.5)  # of the filter: first guesses of the envelope


@dataclass(frozen=True, eq=False)
class GaborFit:
    """The best Gabor function for a filter.

    Attributes
    ----------
    center, widths
        Row and column of its middle, and the standard deviations along and across the wave, in pixels.
    angle, frequency, phase, amplitude
        The wave: its direction in radians from the rows' axis in [0, pi), its periods in a pixel, its phase, its height.
    residual
        The share of the filter's squared norm that it leaves: 0 for a Gabor function, 1 for nothing in common.
    picture
        The function on the filter's pixels.
    """

    center: tuple[float, float]
    widths: tuple[float, float]
    angle: float
    frequency: float
    phase: float
    amplitude: float
    residual: float
    picture: Array
    kind: str = "estimated"

    def __repr__(self) -> str:
        return (
            f"<GaborFit: {self.frequency:.3f} periods a pixel, {np.degrees(self.angle):.0f} degrees, leaves {self.residual:.1%}>"
        )


def fit_gabor(filter_: Any, *, n_angles: int = 6) -> GaborFit:
    """The Gabor function nearest to a filter, in the sense of least squares.

    Parameters
    ----------
    filter_
        A matrix of at least 3 x 3 numbers.
    n_angles
        Directions in half a turn that the search starts from.

    Examples
    --------
    >>> y, x = np.mgrid[:9, :9] - 4.0
    >>> fit = fit_gabor(np.exp(-(x**2 + y**2) / 8) * np.cos(2 * np.pi * 0.2 * x))
    >>> round(fit.frequency, 4), round(float(np.degrees(fit.angle))), fit.residual < 1e-8
    (0.2, 90, True)
    """
    from scipy.optimize import least_squares

    given = np.asarray(filter_, dtype=float)
    if given.ndim != 2 or min(given.shape) < 3 or not np.isfinite(given).all() or not given.any():
        raise InvalidInput(f"a filter of shape {given.shape}.", hint="a matrix of at least 3 x 3 finite numbers, not all zero")
    size = float(np.linalg.norm(given))
    target = given / size
    rows, columns = np.mgrid[: given.shape[0], : given.shape[1]].astype(float)

    def waves(q: Array) -> Array:
        """Cosine and sine under the envelope, as columns."""
        r, c, along, across, angle, frequency = q
        u = (rows - r) * cos(angle) + (columns - c) * sin(angle)
        v = (columns - c) * cos(angle) - (rows - r) * sin(angle)
        envelope = np.exp(-0.5 * (u / along) ** 2 - 0.5 * (v / across) ** 2)
        return np.stack([(envelope * f(2 * pi * frequency * u)).reshape(-1) for f in (np.cos, np.sin)], axis=1)

    def left(q: Array) -> Array:
        basis = waves(q)
        return np.asarray(target.reshape(-1) - basis @ np.linalg.lstsq(basis, target.reshape(-1), rcond=None)[0])

    n = float(max(given.shape))
    energy = target**2
    middle = (float((energy * rows).sum()), float((energy * columns).sum()))
    low = [-1.0, -1.0, 0.3, 0.3, -10.0, 0.0]
    high = [given.shape[0], given.shape[1], 2 * n, 2 * n, 10.0, 0.5]
    starts = [
        np.array([*middle, w * n, w * n, k * pi / n_angles, f])
        for w, k, f in product(WIDTHS, range(n_angles), (0.5 / n, 1.0 / n, 2.0 / n))
        if f < 0.5
    ]
    starts.sort(key=lambda q: float(np.linalg.norm(left(q))))
    found = min((least_squares(left, q, bounds=(low, high), xtol=1e-12, ftol=1e-12) for q in starts[:4]), key=lambda s: s.cost)
    r, c, along, across, angle, frequency = (float(v) for v in found.x)
    basis = waves(found.x)
    a, b = np.linalg.lstsq(basis, target.reshape(-1), rcond=None)[0]
    turns, angle = divmod(angle, pi)  # half a turn flips u, and with it the sine
    phase = atan2(-b, a) * (-1 if turns % 2 else 1)
    picture = size * (basis @ np.array([a, b])).reshape(given.shape)
    residual = float(np.linalg.norm(left(found.x)) ** 2)
    return GaborFit((r, c), (along, across), angle, frequency, phase, size * hypot(a, b), residual, picture)
