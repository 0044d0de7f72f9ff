"""MiND: the normalized distance to the nearest of k neighbors."""

from __future__ import annotations

import numpy as np

from plica._types import Array
from plica.dimension._base import PointwiseEstimator, check_choice, check_integer
from plica.dimension._enough import AUTO, choose_neighbors
from plica.dimension._errors import InvalidData
from plica.dimension._neighbors import nearest_neighbors

VERSIONS = ("real", "integer")


class MiND(PointwiseEstimator):
    r"""Minimum neighbor distance: rho = r_1 / r_{k+1} has the density k d rho^{d-1} (1 - rho^d)^{k-1}.

    Parameters
    ----------
    n_neighbors
        k; ``"auto"`` is 20, or with a warning as many as fewer points have.
    max_dimension
        The largest dimension considered; the number of coordinates by default.
    version
        ``"real"`` (MiND_MLk) or ``"integer"`` (MiND_MLi): the maximum of the likelihood over numbers or over integers.

    Attributes
    ----------
    dimension_ : float
    n_neighbors_ : int
        The k that was used.
    statistics_ : ndarray
        log rho of every point, shape (n, 1).

    References
    ----------
    A. Rozza, G. Lombardi, C. Ceruti, E. Casiraghi, P. Campadelli, Novel High Intrinsic Dimensionality Estimators, Machine
    Learning 89 (2012).

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> plane = rng.uniform(size=(1000, 2)) @ rng.normal(size=(2, 5))
    >>> MiND(version="integer").fit(plane).dimension_
    2.0
    """

    def __init__(self, n_neighbors: int | str = AUTO, max_dimension: int | None = None, version: str = "real") -> None:
        self.n_neighbors = n_neighbors
        self.max_dimension = max_dimension
        self.version = version

    n_neighbors_: int

    def _statistics(self, X: Array) -> Array:
        self.n_neighbors_ = choose_neighbors(self.n_neighbors, len(X), usual=20, least=2, beyond=1)
        self._top = X.shape[1] if self.max_dimension is None else check_integer("max_dimension", self.max_dimension, least=1)
        distances = nearest_neighbors(X, self.n_neighbors_ + 1).distances
        return np.log(distances[:, [0]] / distances[:, [-1]])

    def _combine(self, statistics: Array) -> float:
        version = check_choice("version", self.version, VERSIONS)
        find = most_likely_integer if version == "integer" else most_likely
        return float(find(statistics[:, 0], self.n_neighbors_, self._top))


def log_likelihood(d: float, logs: Array, k: int) -> float:
    """Of the logarithms of the normalized minima, at dimension d."""
    with np.errstate(divide="ignore"):
        tail = float(np.sum(np.log(-np.expm1(d * logs))))
    return len(logs) * float(np.log(k * d)) + (d - 1) * float(logs.sum()) + (k - 1) * tail


def most_likely_integer(logs: Array, k: int, top: int) -> int:
    """The integer in 1, ..., top with the largest likelihood."""
    logs = logs[logs < 0]
    if not len(logs):
        raise InvalidData("all neighbors are at one distance.", hint="points on a lattice have equal distances")
    return 1 + int(np.argmax([log_likelihood(d, logs, k) for d in range(1, top + 1)]))


def most_likely(logs: Array, k: int, top: float) -> float:
    """The number in (0, top] with the largest likelihood: its score decreases, so one root is all."""
    from scipy.optimize import brentq

    logs = logs[logs < 0]
    if not len(logs):
        raise InvalidData("all neighbors are at one distance.", hint="points on a lattice have equal distances")
    n, total = len(logs), logs.sum()

    def score(d: float) -> float:
        # rho^d / (1 - rho^d) = 1 / (rho^{-d} - 1)
        return float(n / d + total - (k - 1) * np.sum(logs / np.expm1(np.minimum(-d * logs, 700.0))))

    if score(top) >= 0:
        return float(top)
    low = float(top)
    while score(low) <= 0:
        low /= 2
    return float(brentq(score, low, top, xtol=1e-12, rtol=1e-13))
