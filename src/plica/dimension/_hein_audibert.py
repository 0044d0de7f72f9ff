"""Hein and Audibert: the dimension at which a kernel U-statistic neither grows nor shrinks with its bandwidth."""

from __future__ import annotations

import numpy as np

from plica._types import Array
from plica.dimension._base import Estimator, check_integer
from plica.dimension._errors import InvalidData
from plica.dimension._neighbors import nearest_neighbors
from plica.dimension._pairs import pair_sums

PARTS = np.arange(1, 6)  # subsamples of N, N/2, ..., N/5 points


class HeinAudibert(Estimator):
    r"""The U-statistic estimator: an integer.

    .. math:: U_{n,h}(l) = \frac{2}{n (n-1)} \sum_{i<j} \frac{1}{h^l} \Big( 1 - \frac{\|X_i - X_j\|^2}{h^2} \Big)_+

    converges to a constant as h -> 0 when l is the dimension. For each l it is evaluated at the bandwidths of samples of
    n = N, N/2, ..., N/5 points, h_l(n) = h(N) (N log n / (n log N))^{1/l}, where h(N) is the mean distance to the nearest
    neighbor; the estimate is the l whose line through log U against log h, fitted with weights n/N, is flattest.

    Parameters
    ----------
    max_dimension
        The largest l; by default the number of coordinates, at most 100.

    Attributes
    ----------
    dimension_ : float
        An integer value.
    slopes_ : ndarray
        The slope for l = 1, 2, ...
    scale_ : float
        h(N).

    Notes
    -----
    The mean of the U-statistic over all subsamples of n points is the U-statistic of the whole sample with the bandwidth of n. It
    is used instead of a few random subsamples, so that nothing here is random.

    References
    ----------
    M. Hein, J.-Y. Audibert, Intrinsic Dimensionality Estimation of Submanifolds in R^d, ICML 2005.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> g = rng.normal(size=(1000, 4))
    >>> HeinAudibert().fit(g / np.linalg.norm(g, axis=1, keepdims=True)).dimension_
    3.0
    """

    min_samples = 10  # a fifth of them are two

    def __init__(self, max_dimension: int | None = None) -> None:
        self.max_dimension = max_dimension

    slopes_: Array
    scale_: float

    def _fit(self, X: Array) -> None:
        n, d = X.shape
        top = min(d, 100) if self.max_dimension is None else check_integer("max_dimension", self.max_dimension, least=1)
        self.scale_ = float(nearest_neighbors(X, 1).distances.mean())
        sizes = n // PARTS
        factors = (n / sizes) * np.log(sizes) / np.log(n)
        bandwidths = self.scale_ * factors ** (1.0 / np.arange(1, top + 1)[:, None])
        radii, places = np.unique(bandwidths, return_inverse=True)
        sums = pair_sums(X, radii)
        places = places.reshape(bandwidths.shape)
        totals = (sums.counts[places] - sums.squares[places] / bandwidths**2) / sums.n_pairs
        if not (totals > 0).all():
            raise InvalidData(
                "no two points are closer than the mean distance to the nearest neighbor.",
                hint="points on a lattice have equal distances; add a little noise",
            )
        logs = np.log(totals) - np.arange(1, top + 1)[:, None] * np.log(bandwidths)
        self.slopes_ = np.array([_slope(h, u) for h, u in zip(np.log(bandwidths), logs, strict=True)])
        self.dimension_ = float(1 + np.argmin(np.abs(self.slopes_)))


def _slope(x: Array, y: Array) -> float:
    """Of the weighted least-squares line."""
    w = 1.0 / PARTS
    x = x - (w @ x) / w.sum()
    return float((w * x) @ y / ((w * x) @ x))
