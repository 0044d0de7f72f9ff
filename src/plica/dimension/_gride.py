"""Gride: ratios of the distances to farther neighbors, that is, dimension at chosen scales."""

from __future__ import annotations

import numpy as np

from plica._types import Array
from plica.dimension._base import PointwiseEstimator, check_integer
from plica.dimension._neighbors import nearest_neighbors
from plica.errors import InvalidInput


class Gride(PointwiseEstimator):
    r"""Maximum likelihood of mu = r_{n2} / r_{n1}, with density ~ d (mu^d - 1)^{n2 - n1 - 1} / mu^{(n2 - 1) d + 1}.

    With n1 = 1 and n2 = 2 it is TwoNN. With ``range_max`` the dimension is also estimated at the scales n1 = 1, 2, 4, ... with
    n2 = 2 n1: noise shows as a dimension that falls with the scale.

    Parameters
    ----------
    n1, n2
        Orders of the two neighbors; ``n2`` is 2 n1 by default.
    range_max
        The largest order of the profile; None for no profile.

    Attributes
    ----------
    dimension_, standard_error_ : float
        The estimate and its standard error from the observed information.
    scales_, profile_, profile_errors_, radii_ : ndarray
        With ``range_max``: n1, the estimates, their standard errors, the mean distance to the farther neighbor.

    Notes
    -----
    As in DADApy, (N - 1) / d stands for N / d in the score, and ratios above q50 + 20 (q95 - q50) are left out.

    References
    ----------
    F. Denti, D. Doimo, A. Laio, A. Mira, The Generalized Ratios Intrinsic Dimension Estimator, Scientific Reports 12 (2022).

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> noisy = np.column_stack([rng.uniform(size=(3000, 2)), 1e-3 * rng.normal(size=(3000, 8))])
    >>> Gride(range_max=64).fit(noisy).profile_.round(1).tolist()
    [2.7, 2.2, 2.0, 2.0, 1.9, 1.9]
    """

    def __init__(self, n1: int = 1, n2: int | None = None, range_max: int | None = None) -> None:
        self.n1 = n1
        self.n2 = n2
        self.range_max = range_max

    standard_error_: float

    def _statistics(self, X: Array) -> Array:
        n1 = check_integer("n1", self.n1, least=1)
        n2 = 2 * n1 if self.n2 is None else check_integer("n2", self.n2, least=n1 + 1)
        if n2 >= len(X):
            raise InvalidInput(f"neighbor {n2} of {len(X)} distinct points.", hint="a smaller order or more points")
        reach = n2
        if self.range_max is not None:
            reach = max(reach, min(check_integer("range_max", self.range_max, least=2), len(X) - 1))
        distances = nearest_neighbors(X, reach).distances
        self._orders = (n1, n2)
        if self.range_max is not None:
            self._profile(distances, min(self.range_max, len(X) - 1))
        return np.log(distances[:, [n2 - 1]] / distances[:, [n1 - 1]])

    def _combine(self, statistics: Array) -> float:
        dimension, self.standard_error_ = maximum_likelihood(statistics[:, 0], *self._orders)
        return dimension

    def _profile(self, distances: Array, range_max: int) -> None:
        self.scales_ = 2 ** np.arange(int(np.log2(range_max)))
        found = [
            maximum_likelihood(np.log(distances[:, 2 * n - 1] / distances[:, n - 1]), n, 2 * n) for n in self.scales_.tolist()
        ]
        self.profile_, self.profile_errors_ = np.array(found).T
        self.radii_ = distances[:, 2 * self.scales_ - 1].mean(axis=0)


def maximum_likelihood(logs: Array, n1: int, n2: int) -> tuple[float, float]:
    """The root of the score for the logarithms of ratios, and its standard error."""
    from scipy.optimize import brentq

    logs = logs[logs > 0]
    if len(logs):
        ratios = np.exp(logs)
        middle, high = np.percentile(ratios, [50, 95])
        logs = logs[ratios < middle + 20 * (high - middle)] if high > middle else logs
    n = len(logs)
    if n < 2:
        raise InvalidInput("fewer than two ratios of distances differ from one.", hint="points on a lattice have equal distances")
    between = n2 - n1 - 1
    total = logs.sum()

    def score(d: float) -> float:
        inner = float(np.sum(logs / -np.expm1(-d * logs))) if between else 0.0
        return (n - 1) / d + between * inner - (n2 - 1) * total

    high = 1.0
    while score(high) > 0:
        high *= 2
    low = high
    while score(low) <= 0:
        low /= 2
    d = float(brentq(score, low, high, xtol=1e-13, rtol=1e-14))
    information = n / d**2
    if between:
        half = np.minimum(d * logs / 2, 350.0)
        information += between * float(np.sum((logs / (2 * np.sinh(half))) ** 2))
    return d, float(information**-0.5)
