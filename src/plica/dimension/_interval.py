"""How sure an estimate is, and what it is in the neighborhood of each point."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from plica._types import Array
from plica.dimension._base import (
    Estimator,
    PointwiseEstimator,
    check_choice,
    check_data,
    check_fraction,
    check_integer,
    distinct_rows,
)
from plica.dimension._enough import AUTO
from plica.dimension._neighbors import nearest_neighbors
from plica.errors import InvalidInput


@dataclass(frozen=True)
class Interval:
    """An estimate with its uncertainty.

    Parameters
    ----------
    dimension
        The estimate of all points.
    low, high
        The interval, which holds ``level`` of the resamples.
    standard_error
        Standard deviation of the resamples.
    level, n_resamples, method, seed
        How it was computed.
    """

    dimension: float
    low: float
    high: float
    standard_error: float
    level: float
    n_resamples: int
    method: str
    seed: int

    def __repr__(self) -> str:
        inside = f"[{self.low:.4g}, {self.high:.4g}]"
        return f"<Interval {self.dimension:.4g} in {inside}, {self.level:.0%} of {self.n_resamples} resamples ({self.method})>"

    def _repr_html_(self) -> str:
        from plica._show import facts_html

        return facts_html(self, vars(self))


def bootstrap(
    estimator: Estimator,
    X: Any,
    *,
    method: str = "halves",
    n_resamples: int = 50,
    level: float = 0.95,
    seed: int = 0,
) -> Interval:
    """An interval for the dimension.

    Points that are drawn twice would be neighbors at distance zero, so the data are never resampled with repetition. ``"halves"``
    fits the estimator to random halves of the data: the spread of halves drawn without repetition is the sampling spread
    of the whole. ``"points"`` keeps the neighbors and resamples what the estimator computed at the points: faster,
    too narrow where neighborhoods overlap much, and only for estimators that combine points.

    Parameters
    ----------
    estimator
        With the parameters to use; it is not changed.
    X
        The data.
    method
        ``"halves"`` or ``"points"``.
    n_resamples, level, seed
        How many resamples, what share of them the interval holds, and their seed.

    Examples
    --------
    >>> from plica.dimension import TwoNN
    >>> X = np.random.default_rng(0).normal(size=(500, 3))
    >>> found = bootstrap(TwoNN(), X, method="points", n_resamples=200)
    >>> found.low < 3 < found.high
    True
    """
    check_choice("method", method, ("halves", "points"))
    check_integer("n_resamples", n_resamples, least=2)
    level = check_fraction("level", level)
    data, _ = distinct_rows(check_data(X))
    fitted = estimator.clone().fit(data)
    dimension = fitted.dimension_
    rng = np.random.default_rng(seed)
    n = len(data)
    if method == "points":
        if not isinstance(fitted, PointwiseEstimator):
            raise InvalidInput(
                f"{type(estimator).__name__} does not combine numbers of points.",
                hint='use method="halves", which fits any estimator',
            )
        found = np.array([fitted._combine(fitted.statistics_[rng.integers(0, n, n)]) for _ in range(n_resamples)])
    else:
        halves = (np.sort(rng.permutation(n)[: n // 2]) for _ in range(n_resamples))
        found = np.array([_of_half(estimator, data[half], fitted) for half in halves])
    away = np.quantile(found - found.mean(), [(1 - level) / 2, (1 + level) / 2])
    return Interval(
        dimension=dimension,
        low=float(dimension + away[0]),
        high=float(dimension + away[1]),
        standard_error=float(found.std(ddof=1)),
        level=level,
        n_resamples=n_resamples,
        method=method,
        seed=seed,
    )


def _of_half(estimator: Estimator, half: Array, whole: Estimator) -> float:
    """The dimension of half of the points, by as many neighbors as the whole had."""
    again = estimator.clone()
    if estimator.get_params().get("n_neighbors") == AUTO:
        again.set_params(n_neighbors=getattr(whole, "n_neighbors_", AUTO))
    return again.fit(half).dimension_


def pointwise(estimator: Estimator, X: Any, *, n_neighbors: int = 100) -> Array:
    """Any estimator, fitted to the neighbors of each point.

    Points whose neighborhood has no dimension for the estimator are NaN.

    Examples
    --------
    >>> from plica.dimension import LocalPCA
    >>> rng = np.random.default_rng(0)
    >>> line, square = rng.uniform(size=(200, 1)) * [1.0, 0.0], rng.uniform(size=(200, 2)) + [3.0, 0.0]
    >>> local = pointwise(LocalPCA(n_neighbors=None), np.concatenate([line, square]), n_neighbors=40)
    >>> bool((local[:200] == 1).all()), bool((local[200:] == 2).all())
    (True, True)
    """
    data, inverse = distinct_rows(check_data(X))
    k = check_integer("n_neighbors", n_neighbors, least=estimator.min_samples)
    indices = nearest_neighbors(data, k).indices
    found = np.empty(len(data))
    for i, near in enumerate(indices):
        try:
            found[i] = estimator.clone().fit(data[near]).dimension_
        except InvalidInput:
            found[i] = np.nan
    return found if inverse is None else found[inverse]
