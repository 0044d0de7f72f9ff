"""Levina and Bickel: the maximum likelihood of the distances to the nearest neighbors; MacKay and Ghahramani: its average."""

from __future__ import annotations

from typing import Any

import numpy as np

from plica._types import Array
from plica.dimension._base import PointwiseEstimator, check_choice, check_integer
from plica.dimension._enough import AUTO, choose_neighbors
from plica.dimension._neighbors import nearest_neighbors

COMBINATIONS = ("harmonic", "mean", "median")


class MLE(PointwiseEstimator):
    r"""Maximum likelihood of the distances T_1 < ... < T_k to the neighbors of each point.

    .. math:: \hat d_k(x) = \Big[ \frac{1}{k-1} \sum_{j<k} \log \frac{T_k(x)}{T_j(x)} \Big]^{-1}

    Parameters
    ----------
    n_neighbors
        k, or a pair (k_1, k_2): the mean of the estimates for k = k_1, ..., k_2; ``"auto"`` is 20, or with a warning all others
        of fewer points.
    combine
        How the estimates of the points become one: ``"harmonic"`` averages their inverses, which is the maximum likelihood of
        all points together [2]; ``"mean"`` is the original [1]; ``"median"``.
    unbiased
        Divide by k - 2 instead of k - 1.

    Attributes
    ----------
    dimension_ : float
    n_neighbors_ : int
        The largest k that was used.
    pointwise_dimension_ : ndarray
        The estimate at every point.

    References
    ----------
    [1] E. Levina, P. J. Bickel, Maximum Likelihood Estimation of Intrinsic Dimension, NeurIPS 2004.
    [2] D. J. C. MacKay, Z. Ghahramani, Comments on "Maximum Likelihood Estimation of Intrinsic Dimension", 2005.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> plane = rng.uniform(size=(2000, 2)) @ rng.normal(size=(2, 5))
    >>> round(MLE().fit(plane).dimension_, 1)
    1.9
    """

    def __init__(
        self, n_neighbors: int | tuple[int, int] | str = AUTO, combine: str = "harmonic", unbiased: bool = False
    ) -> None:
        self.n_neighbors = n_neighbors
        self.combine = combine
        self.unbiased = unbiased

    n_neighbors_: int
    pointwise_dimension_: Array

    def _statistics(self, X: Array) -> Array:
        given: Any = self.n_neighbors
        least = 3 if self.unbiased else 2
        if isinstance(given, (tuple, list)) and len(given) == 2:
            low = check_integer("n_neighbors", given[0], least=least)
            high = check_integer("n_neighbors", given[1], least=low)
            ks = range(low, choose_neighbors(high, len(X), usual=20, least=low) + 1)
        else:
            k = choose_neighbors(given, len(X), usual=20, least=least)
            ks = range(k, k + 1)
        self.n_neighbors_ = ks[-1]
        logs = np.log(nearest_neighbors(X, ks[-1]).distances)
        inverses = np.stack(
            [(logs[:, [k - 1]] - logs[:, : k - 1]).sum(axis=1) / (k - 1 - bool(self.unbiased)) for k in ks], axis=1
        )
        with np.errstate(divide="ignore"):
            self.pointwise_dimension_ = (1.0 / inverses).mean(axis=1)
        return inverses

    def _combine(self, statistics: Array) -> float:
        how = check_choice("combine", self.combine, COMBINATIONS)
        if how == "harmonic":
            means = statistics.mean(axis=0)
            return float((1.0 / means).mean()) if (means > 0).all() else np.inf
        inverses = statistics[(statistics > 0).all(axis=1)]  # neighbors at one distance say nothing
        if not len(inverses):
            return np.inf
        return float((1.0 / inverses).mean()) if how == "mean" else float(np.median(1.0 / inverses, axis=0).mean())

    def pointwise_names(self) -> tuple[str, ...]:
        return ("statistics_", "pointwise_dimension_")
