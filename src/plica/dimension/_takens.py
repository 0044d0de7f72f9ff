"""Takens: the mean logarithm of the distances of close pairs."""

from __future__ import annotations

import numpy as np

from plica._types import Array
from plica.dimension._base import Estimator
from plica.dimension._enough import AUTO, choose_neighbors
from plica.dimension._errors import InvalidData
from plica.dimension._neighbors import nearest_neighbors
from plica.dimension._pairs import pair_sums
from plica.errors import InvalidInput


class Takens(Estimator):
    r"""The maximum likelihood of the correlation dimension: -1 / mean of log(r_ij / r) over the pairs closer than r.

    Parameters
    ----------
    n_neighbors
        r is the median distance to this neighbor; ``"auto"`` is 10, or with a warning the farthest of fewer points.
    radius
        r itself, instead.

    Attributes
    ----------
    dimension_, radius_ : float
    n_neighbors_ : int or None
        The neighbor that gave the radius.
    n_pairs_ : int
        Pairs closer than the radius.

    References
    ----------
    F. Takens, On the Numerical Determination of the Dimension of an Attractor, Dynamical Systems and Bifurcations, 1985.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> plane = rng.uniform(size=(2000, 2)) @ rng.normal(size=(2, 5))
    >>> round(Takens().fit(plane).dimension_, 1)
    1.9
    """

    def __init__(self, n_neighbors: int | str = AUTO, radius: float | None = None) -> None:
        self.n_neighbors = n_neighbors
        self.radius = radius

    radius_: float
    n_neighbors_: int | None
    n_pairs_: int

    def _fit(self, X: Array) -> None:
        self.radius_ = self._chosen(X) if self.radius is None else self._given(self.radius)
        sums = pair_sums(X, np.array([self.radius_]))
        self.n_pairs_ = int(sums.counts[0])
        if self.n_pairs_ == 0:
            raise InvalidData(f"no two points are closer than {self.radius_:.3g}.", hint="a larger radius or more neighbors")
        mean = np.log(self.radius_) - sums.logarithms[0] / self.n_pairs_
        self.dimension_ = float(1.0 / mean) if mean > 0 else np.inf

    def _given(self, radius: float) -> float:
        self.n_neighbors_ = None
        if not 0 < float(radius) < np.inf:
            raise InvalidInput(f"radius = {radius!r}.", hint="give a positive number")
        return float(radius)

    def _chosen(self, X: Array) -> float:
        self.n_neighbors_ = choose_neighbors(self.n_neighbors, len(X), usual=10, least=1)
        return float(np.median(nearest_neighbors(X, self.n_neighbors_).distances[:, -1]))
