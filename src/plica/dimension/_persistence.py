"""Persistent homology in degree zero: how the length of the minimal spanning tree grows with the number of points."""

from __future__ import annotations

from typing import Any

import numpy as np

from plica._compiled import compiled
from plica._types import Array
from plica.dimension._base import Estimator, check_fraction, check_integer
from plica.dimension._distances import squared_distance
from plica.errors import InvalidInput


class PersistentHomology(Estimator):
    r"""The total persistence of n points, sum of length^alpha over their minimal spanning tree, grows like n^{(d - alpha)/d}.

    Parameters
    ----------
    alpha
        The power of the lengths.
    n_sizes, n_resamples
        How many sizes of subsamples, in geometric progression, and how many subsamples of each.
    smallest
        The smallest size as a share of all points.
    max_samples
        At most so many points are used, drawn at random: the tree costs their square.
    seed
        Of the subsamples.

    Attributes
    ----------
    dimension_ : float
    sizes_, totals_ : ndarray
        The sizes and the total persistence of each subsample.

    References
    ----------
    B. Schweinhart, Fractal Dimension and the Persistent Homology of Random Geometric Complexes, Advances in Mathematics 372
    (2020).

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> plane = rng.uniform(size=(1000, 2)) @ rng.normal(size=(2, 5))
    >>> round(PersistentHomology().fit(plane).dimension_, 0)
    2.0
    """

    min_samples = 10  # trees of 5 to 10 points

    def __init__(
        self,
        alpha: float = 1.0,
        n_sizes: int = 8,
        n_resamples: int = 4,
        smallest: float = 0.2,
        max_samples: int = 2000,
        seed: int = 0,
    ) -> None:
        self.alpha = alpha
        self.n_sizes = n_sizes
        self.n_resamples = n_resamples
        self.smallest = smallest
        self.max_samples = max_samples
        self.seed = seed

    sizes_: Array
    totals_: Array

    def _fit(self, X: Array) -> None:
        alpha = float(self.alpha)
        if not 0 < alpha < np.inf:
            raise InvalidInput(f"alpha = {self.alpha!r}.", hint="give a positive number")
        n = min(len(X), check_integer("max_samples", self.max_samples, least=self.min_samples))
        low = max(5, int(check_fraction("smallest", self.smallest) * n))
        sizes = np.unique(np.geomspace(low, n, check_integer("n_sizes", self.n_sizes, least=2)).astype(int))
        rng = np.random.default_rng(self.seed)
        self.sizes_ = np.repeat(sizes, check_integer("n_resamples", self.n_resamples, least=1))
        self.totals_ = np.array(
            [np.sum(tree_lengths(X[np.sort(rng.choice(len(X), size, replace=False))]) ** alpha) for size in self.sizes_]
        )
        x, y = np.log(self.sizes_), np.log(self.totals_)
        x = x - x.mean()
        slope = float(x @ y / (x @ x))
        self.dimension_ = alpha / (1 - slope) if slope < 1 else np.inf


@compiled
def tree_lengths(X: Any) -> Any:
    """The lengths of the edges of the minimal spanning tree, by Prim's algorithm."""
    n = X.shape[0]
    nearest = np.full(n, np.inf)
    outside = np.ones(n, np.bool_)
    lengths = np.empty(n - 1)
    current = 0
    outside[0] = False
    for step in range(n - 1):
        closest, least = -1, np.inf
        for j in range(n):
            if outside[j]:
                square = squared_distance(X[current], X[j])
                if square < nearest[j]:
                    nearest[j] = square
                if nearest[j] < least or closest < 0:
                    closest, least = j, nearest[j]
        lengths[step] = np.sqrt(least)
        outside[closest] = False
        current = closest
    return lengths
