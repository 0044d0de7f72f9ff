"""Principal components of neighborhoods: how many directions a small piece of the data needs."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from plica._types import Array
from plica.dimension._base import PointwiseEstimator, check_choice, check_fraction
from plica.dimension._enough import AUTO, choose_neighbors
from plica.dimension._errors import InvalidData
from plica.dimension._neighbors import nearest_neighbors


class LocalPCA(PointwiseEstimator):
    """The number of large eigenvalues of the covariance of each point's neighbors.

    Parameters
    ----------
    n_neighbors
        Size of the neighborhoods; None takes all points as one neighborhood, ``"auto"`` is 100, or with a warning all others of
        fewer points.
    criterion
        What is large: ``"fukunaga-olsen"`` above ``alpha`` times the largest; ``"fan"`` a gap of 10, or 80 percent of the
        variance above the noise; ``"max-gap"`` before the largest ratio of neighbors; ``"ratio"`` the least number with
        1 - ``alpha`` of the variance; ``"participation"`` (sum)^2 / sum of squares; ``"kaiser"`` above the mean;
        ``"broken-stick"`` above the expected pieces of a stick.
    alpha
        Of the criteria that have one.
    combine
        ``"mean"`` or ``"median"`` of the points.

    Attributes
    ----------
    dimension_ : float
    n_neighbors_ : int or None
        The size that was used.
    pointwise_dimension_ : ndarray
        At every point.

    References
    ----------
    K. Fukunaga, D. R. Olsen, An Algorithm for Finding Intrinsic Dimensionality of Data, IEEE Trans. Computers C-20 (1971).
    M. Fan, N. Gu, H. Qiao, B. Zhang, Intrinsic Dimension Estimation of Data by Principal Component Analysis, 2010.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> plane = rng.uniform(size=(500, 2)) @ rng.normal(size=(2, 5))
    >>> LocalPCA(n_neighbors=30).fit(plane).dimension_
    2.0
    """

    def __init__(
        self,
        n_neighbors: int | str | None = AUTO,
        criterion: str = "fukunaga-olsen",
        alpha: float = 0.05,
        combine: str = "mean",
    ) -> None:
        self.n_neighbors = n_neighbors
        self.criterion = criterion
        self.alpha = alpha
        self.combine = combine

    n_neighbors_: int | None
    pointwise_dimension_: Array

    def _statistics(self, X: Array) -> Array:
        rule = CRITERIA[check_choice("criterion", self.criterion, tuple(CRITERIA))]
        alpha = check_fraction("alpha", self.alpha)
        if self.n_neighbors is None:
            self.n_neighbors_ = None
            found = np.full(len(X), rule(spectrum(X), alpha), dtype=float)
        else:
            self.n_neighbors_ = choose_neighbors(self.n_neighbors, len(X), usual=100, least=2)
            indices = nearest_neighbors(X, self.n_neighbors_).indices
            found = np.array([rule(spectrum(X[i]), alpha) for i in indices], dtype=float)
        self.pointwise_dimension_ = found
        return found[:, None]

    def _combine(self, statistics: Array) -> float:
        how = check_choice("combine", self.combine, ("mean", "median"))
        return float(statistics.mean() if how == "mean" else np.median(statistics))

    def pointwise_names(self) -> tuple[str, ...]:
        return ("statistics_", "pointwise_dimension_")


def spectrum(X: Array) -> Array:
    """Eigenvalues of the covariance, in decreasing order; what is zero but for rounding is the size of rounding."""
    centered = X - X.mean(axis=0)
    n, d = X.shape
    product = centered.T @ centered if d <= n else centered @ centered.T
    values = np.linalg.eigvalsh(product)[::-1] / (n - 1)
    if not values[0] > 0:
        raise InvalidData("the neighbors of a point coincide up to rounding.", hint="scale the data or remove near duplicates")
    return np.maximum(values, values[0] * max(n, d) * np.finfo(float).eps)


def _gaps(values: Array) -> Array:
    return values[:-1] / values[1:]


def _fukunaga_olsen(values: Array, alpha: float) -> float:
    return float(np.sum(values > alpha * values[0]))


def _fan(values: Array, alpha: float) -> float:
    noise = values[int(np.argmax(np.cumsum(values) / values.sum() > 0.95)) :].mean()
    signal = values - noise
    with np.errstate(divide="ignore", invalid="ignore"):
        large_gap = np.flatnonzero(signal[:-1] / signal[1:] > 10)
        enough = np.flatnonzero(np.cumsum(signal) / signal.sum() > 0.8)
    both = np.concatenate([large_gap, enough])
    return float(1 + both.min()) if len(both) else float(len(values))


def _max_gap(values: Array, alpha: float) -> float:
    return float(1 + np.argmax(_gaps(values))) if len(values) > 1 else 1.0


def _ratio(values: Array, alpha: float) -> float:
    return float(1 + np.sum(np.cumsum(values) / values.sum() < 1 - alpha))


def _participation(values: Array, alpha: float) -> float:
    return float(values.sum() ** 2 / (values @ values))


def _kaiser(values: Array, alpha: float) -> float:
    return float(np.sum(values > values.mean()))


def _broken_stick(values: Array, alpha: float) -> float:
    n = len(values)
    pieces = np.cumsum(1.0 / np.arange(n, 0, -1))[::-1] / n
    below = np.flatnonzero(pieces > values / values.sum())
    return float(below[0]) if len(below) else float(n)


CRITERIA: dict[str, Callable[[Array, float], float]] = {
    "fukunaga-olsen": _fukunaga_olsen,
    "fan": _fan,
    "max-gap": _max_gap,
    "ratio": _ratio,
    "participation": _participation,
    "kaiser": _kaiser,
    "broken-stick": _broken_stick,
}
