"""DANCo: distances and angles of neighbors, compared with those of uniform balls."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from plica._types import Array
from plica.dimension._base import PointwiseEstimator, check_integer
from plica.dimension._enough import AUTO, choose_neighbors
from plica.dimension._mind import most_likely, most_likely_integer
from plica.dimension._neighbors import nearest_neighbors
from plica.errors import InvalidInput


class Summary(NamedTuple):
    """What DANCo compares: the dimension by MiND, the mean direction and concentration of the angles."""

    dimension: float
    direction: float
    concentration: float


class DANCo(PointwiseEstimator):
    r"""Dimensionality from angle and norm concentration.

    Distances to the nearest of k neighbors and the angles between neighbors are summarized and compared, by Kullback-Leibler
    divergence, with those of as many points drawn uniformly from balls of dimension 1, 2, ... Dimensions are tried from the
    estimate of MiND outward until the divergence grows on both sides.

    Parameters
    ----------
    n_neighbors
        k, between 3 and 30; ``"auto"`` is 10, or with a warning as many as fewer points have.
    max_dimension
        The largest dimension considered; the number of coordinates by default.
    fractional
        The minimum of a spline through the divergences instead of the best integer.
    seed
        Of the balls.

    Attributes
    ----------
    dimension_ : float
    n_neighbors_ : int
        The k that was used.
    divergences_ : dict
        Divergence by dimension.

    References
    ----------
    C. Ceruti, S. Bassis, A. Rozza, G. Lombardi, E. Casiraghi, P. Campadelli, DANCo: An Intrinsic Dimensionality Estimator
    Exploiting Angle and Norm Concentration, Pattern Recognition 47 (2014).

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> plane = rng.uniform(size=(500, 2)) @ rng.normal(size=(2, 5))
    >>> DANCo().fit(plane).dimension_
    2.0
    """

    def __init__(
        self, n_neighbors: int | str = AUTO, max_dimension: int | None = None, fractional: bool = False, seed: int = 0
    ) -> None:
        self.n_neighbors = n_neighbors
        self.max_dimension = max_dimension
        self.fractional = fractional
        self.seed = seed

    n_neighbors_: int
    divergences_: dict[int, float]

    def _statistics(self, X: Array) -> Array:
        k = choose_neighbors(self.n_neighbors, len(X), usual=10, least=3, beyond=1)
        if k > 30:
            raise InvalidInput(f"n_neighbors = {k}.", hint="at most 30: the divergence is an alternating sum of binomials of k")
        self.n_neighbors_ = k
        self._top = X.shape[1] if self.max_dimension is None else check_integer("max_dimension", self.max_dimension, least=1)
        self._n = len(X)
        self._balls: dict[int, Summary] = {}
        return point_statistics(X, k)

    def _combine(self, statistics: Array) -> float:
        k = self.n_neighbors_
        mine = summarize(statistics, k, self._top)
        found: dict[int, float] = {}

        def divergence(d: int) -> float:
            if d not in found:
                found[d] = _distances_apart(mine, self._ball(d, k), k) + _angles_apart(mine, self._ball(d, k))
            return found[d]

        best = min(self._top, max(1, round(mine.dimension)))
        divergence(best)
        for step in (-1, 1):  # past three failures in a row there is nothing better
            d, failures = best + step, 0
            while 1 <= d <= self._top and failures < 3:
                failures = 0 if divergence(d) <= min(found.values()) else failures + 1
                d += step
        self.divergences_ = dict(sorted(found.items()))
        best = min(found, key=found.__getitem__)
        return _spline_minimum(self.divergences_, best) if self.fractional else float(best)

    def _ball(self, dimension: int, k: int) -> Summary:
        """The summary of a uniform ball of this dimension, computed once."""
        if dimension not in self._balls:
            rng = np.random.default_rng([int(self.seed), dimension, self._n])
            g = rng.standard_normal((self._n, dimension))
            ball = g / np.linalg.norm(g, axis=1, keepdims=True) * rng.uniform(size=(self._n, 1)) ** (1.0 / dimension)
            self._balls[dimension] = summarize(point_statistics(ball, k), k, 2 * dimension + 5)
        return self._balls[dimension]


def point_statistics(X: Array, k: int) -> Array:
    """For every point log(r_1 / r_{k+1}), the mean direction of the angles between its neighbors, their concentration."""
    neighbors = nearest_neighbors(X, k + 1)
    result = np.empty((len(X), 3))
    result[:, 0] = np.log(neighbors.distances[:, 0] / neighbors.distances[:, -1])
    first, second = np.triu_indices(k, 1)
    step = max(1, (1 << 22) // (k * X.shape[1]))
    for start in range(0, len(X), step):
        block = slice(start, start + step)
        rays = X[neighbors.indices[block, :k]] - X[block, None]
        rays /= neighbors.distances[block, :k, None]
        cosines = np.clip((rays @ rays.transpose(0, 2, 1))[:, first, second], -1.0, 1.0)
        c, s = cosines.mean(axis=1), np.sqrt(1 - cosines**2).mean(axis=1)
        result[block, 1] = np.arctan2(s, c)
        result[block, 2] = concentration(np.minimum(np.hypot(c, s), 0.95))  # at ends of curves it would be infinite
    return result


def concentration(eta: Array) -> Array:
    """Of the von Mises distribution with this mean length, by the usual approximation of the inverse of I1 / I0."""
    low = 2 * eta + eta**3 + 5 * eta**5 / 6
    middle = -0.4 + 1.39 * eta + 0.43 / (1 - eta)
    large = np.maximum(eta, 0.85)  # where it is used; at zero it would be infinite
    high = 1 / (large**3 - 4 * large**2 + 3 * large)
    return np.where(eta < 0.53, low, np.where(eta < 0.85, middle, high))


def summarize(statistics: Array, k: int, top: int) -> Summary:
    """Means over points, and MiND's estimate."""
    logs = statistics[:, 0]
    start = most_likely_integer(logs, k, min(top, 200))
    return Summary(most_likely(logs, k, max(start, top)), float(statistics[:, 1].mean()), float(statistics[:, 2].mean()))


def _distances_apart(mine: Summary, ball: Summary, k: int) -> float:
    """Divergence of the two laws of the normalized minimum distance."""
    from scipy.special import binom, digamma

    quotient = ball.dimension / mine.dimension
    i = np.arange(k + 1)
    alternating = float(np.sum((-1.0) ** i * binom(k, i) * digamma(1 + i / quotient)))
    harmonic = float(np.sum(1.0 / np.arange(1, k + 1)))
    return float(harmonic * quotient - 1 - (harmonic - 1.0 / k) - np.log(quotient) - (k - 1) * alternating)


def _angles_apart(mine: Summary, ball: Summary) -> float:
    """Divergence of two von Mises laws."""
    from scipy.special import i0e, i1e

    a, b = mine.concentration, ball.concentration
    ratio = float(i1e(a) / i0e(a))
    logs = (np.log(i0e(b)) + b) - (np.log(i0e(a)) + a)
    return float(logs + ratio * (a - b * np.cos(mine.direction - ball.direction)))


def _spline_minimum(divergences: dict[int, float], best: int) -> float:
    """Where a cubic spline through the divergences is least, next to the best integer."""
    from scipy.interpolate import CubicSpline
    from scipy.optimize import minimize_scalar

    around = [d for d in divergences if abs(d - best) <= 4]
    if len(around) < 3:
        return float(best)
    spline = CubicSpline(around, [divergences[d] for d in around])
    low, high = max(around[0], best - 1), min(around[-1], best + 1)
    return float(minimize_scalar(spline, bounds=(low, high), method="bounded", options={"xatol": 1e-6}).x)
