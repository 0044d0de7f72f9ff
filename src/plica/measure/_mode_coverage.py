"""How many clusters of a distribution its samples visit, and how evenly."""

from __future__ import annotations

from dataclasses import dataclass
from math import exp
from typing import Any

import numpy as np

from plica._types import Array
from plica.errors import InvalidInput


@dataclass(frozen=True, eq=False)
class ModeCoverage:
    """Samples by the nearest of some centers.

    Attributes
    ----------
    shares
        Of the samples nearest to each center.
    near
        The share of samples within the radius of their center; 1 if no radius was given.
    n_samples
        How many samples there are.
    """

    shares: Array
    near: float
    n_samples: int

    @property
    def effective(self) -> float:
        """The number of equally visited centers with the same entropy: as many as there are if all are, 1 for a single one."""
        p = self.shares[self.shares > 0]
        return exp(-float((p * np.log(p)).sum()))

    def __repr__(self) -> str:
        return f"<ModeCoverage: {self.effective:.2f} of {len(self.shares)} modes by entropy, {self.near:.0%} near one>"


def mode_coverage(points: Any, centers: Any, *, radius: float | None = None) -> ModeCoverage:
    """Which of some centers points are nearest to.

    Examples
    --------
    >>> centers = np.array([[0.0, 0.0], [1.0, 0.0], [0.0, 1.0], [1.0, 1.0]])
    >>> mode_coverage(centers.repeat(5, axis=0), centers, radius=0.1)
    <ModeCoverage: 4.00 of 4 modes by entropy, 100% near one>
    >>> round(mode_coverage([[0.1, 0.0], [0.9, 0.0], [0.8, 0.0], [0.2, 0.1]], centers).effective, 12)
    2.0
    """
    x, c = np.asarray(points, dtype=float), np.asarray(centers, dtype=float)
    if x.ndim != 2 or c.ndim != 2 or x.shape[1] != c.shape[1] or not len(x) or not len(c):
        raise InvalidInput(f"points of shape {x.shape}, centers of shape {c.shape}.", hint="(points, n) and (centers, n)")
    if not (np.isfinite(x).all() and np.isfinite(c).all()):
        raise InvalidInput("points or centers hold NaN or infinite numbers.")
    distance = np.linalg.norm(x[:, None] - c, axis=2)
    nearest = distance.argmin(axis=1)
    shares = np.bincount(nearest, minlength=len(c)) / len(x)
    return ModeCoverage(shares, 1.0 if radius is None else float((distance.min(axis=1) <= radius).mean()), len(x))
