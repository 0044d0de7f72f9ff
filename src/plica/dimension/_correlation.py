"""Grassberger and Procaccia: how the number of close pairs grows with the radius."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from plica._types import Array
from plica.dimension._base import Estimator, check_integer
from plica.dimension._enough import AUTO, choose_neighbors
from plica.dimension._errors import InvalidData
from plica.dimension._neighbors import nearest_neighbors
from plica.dimension._pairs import pair_sums
from plica.errors import InvalidInput


class CorrelationDimension(Estimator):
    r"""The slope of log C(r) against log r, where C(r) is the share of pairs closer than r.

    Parameters
    ----------
    n_neighbors
        (k_1, k_2): the radii run from the median distance to neighbor k_1 to that of neighbor k_2; ``"auto"`` is (10, 20), or
        with a warning the middle and the farthest neighbor of fewer points.
    n_radii
        How many radii between them, in geometric progression; the slope is fitted by least squares.
    radii
        The radii themselves, instead.

    Attributes
    ----------
    dimension_ : float
    n_neighbors_ : tuple or None
        The neighbors that gave the radii.
    radii_, integrals_ : ndarray
        The radii and C at them.

    References
    ----------
    P. Grassberger, I. Procaccia, Measuring the Strangeness of Strange Attractors, Physica D 9 (1983).

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> plane = rng.uniform(size=(2000, 2)) @ rng.normal(size=(2, 5))
    >>> round(CorrelationDimension().fit(plane).dimension_, 1)
    2.0
    """

    def __init__(self, n_neighbors: tuple[int, int] | str = AUTO, n_radii: int = 2, radii: Sequence[float] | None = None) -> None:
        self.n_neighbors = n_neighbors
        self.n_radii = n_radii
        self.radii = radii

    n_neighbors_: tuple[int, int] | None
    radii_: Array
    integrals_: Array

    def _fit(self, X: Array) -> None:
        self.radii_ = self._given() if self.radii is not None else self._chosen(X)
        sums = pair_sums(X, self.radii_)
        if sums.counts[0] == 0:
            raise InvalidData(f"no two points are closer than {self.radii_[0]:.3g}.", hint="larger radii or more neighbors")
        self.integrals_ = sums.counts / sums.n_pairs
        x, y = np.log(self.radii_), np.log(self.integrals_)
        x = x - x.mean()
        self.dimension_ = float(x @ y / (x @ x))

    def _given(self) -> Array:
        self.n_neighbors_ = None
        radii = np.asarray(self.radii, dtype=float)
        if radii.ndim != 1 or len(radii) < 2 or not np.isfinite(radii).all() or not (np.diff(radii) > 0).all() or radii[0] <= 0:
            raise InvalidInput(f"radii = {self.radii!r}.", hint="give two or more positive numbers in increasing order")
        return radii

    def _chosen(self, X: Array) -> Array:
        n_radii = check_integer("n_radii", self.n_radii, least=2)
        if isinstance(self.n_neighbors, str) and self.n_neighbors == AUTO:
            k2 = choose_neighbors(AUTO, len(X), usual=20, least=2)
            k1 = k2 // 2
        elif isinstance(self.n_neighbors, (tuple, list)) and len(self.n_neighbors) == 2:
            k1 = check_integer("n_neighbors", self.n_neighbors[0], least=1)
            k2 = choose_neighbors(check_integer("n_neighbors", self.n_neighbors[1], least=k1 + 1), len(X), usual=20, least=k1 + 1)
        else:
            raise InvalidInput(f"n_neighbors = {self.n_neighbors!r}.", hint='give a pair such as (10, 20), or "auto"')
        self.n_neighbors_ = (k1, k2)
        low, high = np.median(nearest_neighbors(X, k2).distances[:, [k1 - 1, k2 - 1]], axis=0)
        if not high > low:
            raise InvalidInput(
                f"the median distances to neighbors {k1} and {k2} are equal.", hint="take neighbors further apart, or give radii"
            )
        radii = np.geomspace(low, high, n_radii)
        radii[0], radii[-1] = low, high
        return radii
