"""TwoNN: the ratio of the distances to the second and to the first neighbor."""

from __future__ import annotations

import numpy as np

from plica._types import Array
from plica.dimension._base import PointwiseEstimator, check_choice, check_fraction
from plica.dimension._neighbors import nearest_neighbors
from plica.errors import InvalidInput

METHODS = ("linear", "mle")


class TwoNN(PointwiseEstimator):
    r"""Two nearest neighbors: mu = r_2 / r_1 has the distribution function 1 - mu^{-d}.

    Parameters
    ----------
    discard_fraction
        The largest ratios that are left out (``"linear"``) or taken as censored (``"mle"``).
    method
        ``"linear"``: the slope of -log(1 - F(mu)) against log mu through the origin, as published. ``"mle"``: the unbiased
        maximum likelihood, (m - 1) / (sum of the m smallest log mu + (N - m) times the largest of them).

    Attributes
    ----------
    dimension_ : float
    statistics_ : ndarray
        log mu of every point, shape (n, 1).

    References
    ----------
    E. Facco, M. d'Errico, A. Rodriguez, A. Laio, Estimating the Intrinsic Dimension of Datasets by a Minimal Neighborhood
    Information, Scientific Reports 7 (2017).

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> plane = rng.uniform(size=(2000, 2)) @ rng.normal(size=(2, 5))
    >>> round(TwoNN().fit(plane).dimension_, 1)
    2.0
    """

    def __init__(self, discard_fraction: float = 0.1, method: str = "linear") -> None:
        self.discard_fraction = discard_fraction
        self.method = method

    def _statistics(self, X: Array) -> Array:
        distances = nearest_neighbors(X, 2).distances
        return np.log(distances[:, [1]] / distances[:, [0]])

    def _combine(self, statistics: Array) -> float:
        method = check_choice("method", self.method, METHODS)
        n = len(statistics)
        n_kept = int(n * (1 - check_fraction("discard_fraction", self.discard_fraction)))
        if n_kept < 2:
            raise InvalidInput(f"{n_kept} of {n} points are left.", hint="a smaller discard_fraction or more points")
        logs = np.sort(statistics[:, 0])[:n_kept]
        if method == "mle":
            total = logs.sum() + (n - n_kept) * logs[-1]
            return float((n_kept - 1) / total) if total > 0 else np.inf
        if n_kept == n:  # F = 1 at the largest ratio has no logarithm
            logs, n_kept = logs[:-1], n - 1
        heights = -np.log1p(-np.arange(1, n_kept + 1) / n)
        square = float(logs @ logs)
        return float(logs @ heights) / square if square > 0 else np.inf
