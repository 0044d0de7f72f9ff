"""Takens: the mean logarithm of the distances of close pairs."""

from __future__ import annotations

import numpy as np

from plica._types import Array
from plica.dimension._base import Estimator, check_integer
from plica.dimension._errors import InvalidData
from plica.dimension._neighbors import nearest_neighbors
from plica.dimension._pairs import pair_sums
from plica.errors import InvalidInput


class Takens(Estimator):
    r"""The maximum likelihood of the correlation dimension: -1 / mean of log(r_ij / r) over the pairs closer than r.

    Parameters
    ----------
    n_neighbors
        r is the median distance to this neighbor.
    radius
        r itself, instead.

    Attributes
    ----------
    dimension_, radius_ : float
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

    def __init__(self, n_neighbors: int = 10, radius: float | None = None) -> None:
        self.n_neighbors = n_neighbors
        self.radius = radius

    radius_: float
    n_pairs_: int

    def _fit(self, X: Array) -> None:
        if self.radius is None:
            k = check_integer("n_neighbors", self.n_neighbors, least=1)
            if k >= len(X):
                raise InvalidData(f"{k} neighbors of {len(X)} distinct points.", hint="fewer neighbors or more points")
            self.radius_ = float(np.median(nearest_neighbors(X, k).distances[:, -1]))
        else:
            self.radius_ = float(self.radius)
            if not 0 < self.radius_ < np.inf:
                raise InvalidInput(f"radius = {self.radius!r}.", hint="give a positive number")
        sums = pair_sums(X, np.array([self.radius_]))
        self.n_pairs_ = int(sums.counts[0])
        if self.n_pairs_ == 0:
            raise InvalidData(f"no two points are closer than {self.radius_:.3g}.", hint="a larger radius or more neighbors")
        mean = np.log(self.radius_) - sums.logarithms[0] / self.n_pairs_
        self.dimension_ = float(1.0 / mean) if mean > 0 else np.inf
