"""FisherS: how often a point can be separated from the others by a linear function, compared with a sphere."""

from __future__ import annotations

from typing import Any

import numpy as np

from plica._compiled import compiled
from plica._types import Array
from plica.dimension._base import Estimator, check_integer
from plica.dimension._errors import InvalidData
from plica.errors import InvalidInput

_BLOCK_BYTES = 1 << 25
ALPHAS = np.arange(0.6, 1, 0.02)


class FisherS(Estimator):
    r"""Fisher separability: the dimension of the sphere on which points are inseparable as often as here.

    The data are whitened and projected on the unit sphere; x is inseparable from y at level alpha if <x, y> >= alpha <x, x>. On a
    uniform n-sphere this has the probability p = (1 - alpha^2)^{(n-1)/2} / (alpha sqrt(2 pi n)); the mean frequency is
    inverted for n with Lambert's function, at the level next to 0.9 times the largest one at which some point is inseparable.

    Parameters
    ----------
    condition_number
        Principal components with less than 1 / condition_number of the largest variance are left out.
    n_levels
        How many of the levels 0.6, 0.62, ..., 0.98.

    Attributes
    ----------
    dimension_, alpha_ : float
        The estimate and the level it was taken at.
    alphas_, profile_ : ndarray
        All levels and their estimates, NaN where all points are separable.
    n_components_ : int

    References
    ----------
    L. Albergante, J. Bac, A. Zinovyev, Estimating the Effective Dimension of Large Biological Datasets Using Fisher Separability
    Analysis, IJCNN 2019.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> round(FisherS().fit(rng.normal(size=(1000, 4))).dimension_, 0)
    4.0
    """

    def __init__(self, condition_number: float = 10.0, n_levels: int = 20) -> None:
        self.condition_number = condition_number
        self.n_levels = n_levels

    alpha_: float
    alphas_: Array
    profile_: Array
    n_components_: int

    def _fit(self, X: Array) -> None:
        if not 1 < float(self.condition_number) < np.inf:
            raise InvalidInput(f"condition_number = {self.condition_number!r}.", hint="give a number above 1")
        self.alphas_ = ALPHAS[: check_integer("n_levels", self.n_levels, least=1)]
        points = on_sphere(X, float(self.condition_number))
        self.n_components_ = points.shape[1]
        counts = np.zeros(len(self.alphas_), np.int64)
        n = len(points)
        step = max(1, min(n, _BLOCK_BYTES // (8 * n)))
        for first in range(0, n, step):
            block = points[first : first + step]
            _count_above(block @ points.T, first, np.einsum("ij,ij->i", block, block), self.alphas_, counts)
        shares = np.cumsum(counts[::-1])[::-1] / (n * (n - 1.0))
        self.profile_ = sphere_dimension(shares, self.alphas_)
        known = np.flatnonzero(np.isfinite(self.profile_))
        if not len(known):
            raise InvalidData("every point is separable from every other at all levels.", hint="give more points")
        reference = 0.9 * self.alphas_[known].max()
        chosen = known[np.argmin(np.abs(self.alphas_[known] - reference))]
        self.alpha_ = float(self.alphas_[chosen])
        self.dimension_ = float(self.profile_[chosen])


def on_sphere(X: Array, condition_number: float) -> Array:
    """Whitened principal components with enough variance, projected on the unit sphere."""
    centered = X - X.mean(axis=0)
    U, s, _ = np.linalg.svd(centered, full_matrices=False)
    keep = s**2 > s[0] ** 2 / condition_number
    white: Array = U[:, keep] * np.sqrt(len(X) - 1)
    lengths = np.linalg.norm(white, axis=1, keepdims=True)
    return white[lengths[:, 0] > 0] / lengths[lengths[:, 0] > 0]


def sphere_dimension(p: Any, alpha: Any) -> Array:
    r"""The n with (1 - a^2)^{(n-1)/2} / (a sqrt(2 pi n)) = p; NaN where p is zero.

    Examples
    --------
    >>> a, n = 0.8, 7.0
    >>> p = (1 - a**2) ** ((n - 1) / 2) / (a * np.sqrt(2 * np.pi * n))
    >>> round(float(sphere_dimension(p, a)), 9)
    7.0
    """
    from scipy.special import lambertw

    p, a2 = np.asarray(p, dtype=float), np.asarray(alpha, dtype=float) ** 2
    w = np.log1p(-a2)
    with np.errstate(divide="ignore", invalid="ignore"):
        found = np.real(lambertw(-w / (2 * np.pi * p * p * a2 * (1 - a2)))) / -w
    return np.where((p > 0) & np.isfinite(found), found, np.nan)


@compiled
def _count_above(products: Any, first: int, squares: Any, levels: Any, counts: Any) -> None:
    """Add to each level the products with other points that are at least this share of the square and below the next level."""
    n_rows, n = products.shape
    for i in range(n_rows):
        for j in range(n):
            share = products[i, j] / squares[i]
            if share < levels[0] or j == first + i:
                continue
            low, high = 0, levels.shape[0]
            while low < high:
                middle = (low + high) // 2
                if share >= levels[middle]:
                    low = middle + 1
                else:
                    high = middle
            counts[low - 1] += 1
