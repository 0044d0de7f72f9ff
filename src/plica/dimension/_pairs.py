"""Sums over all pairs of points closer than given radii, in blocks and in one pass.

Correlation integrals, Takens' mean logarithm and kernel U-statistics are such sums: of 1, of log r and of r^2.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from plica.errors import InvalidInput

_BLOCK_BYTES = 1 << 25
#: Below this share of the norms a squared distance from a matrix product has lost too many digits; it is computed again.
_CANCELLATION = 1e-5


@dataclass(frozen=True)
class PairSums:
    """Sums over the pairs i < j with 0 < r_ij < radius, one entry for each radius.

    Parameters
    ----------
    radii
        In increasing order.
    counts, squares, logarithms
        Number of pairs, sum of r^2, sum of log r.
    n_zero
        Pairs of equal points, which no sum contains.
    n_pairs
        All pairs.
    """

    radii: np.ndarray
    counts: np.ndarray
    squares: np.ndarray
    logarithms: np.ndarray
    n_zero: int
    n_pairs: int


def pair_sums(X: np.ndarray, radii: np.ndarray) -> PairSums:
    """Sums over all pairs of rows of X closer than each of the radii.

    Examples
    --------
    >>> sums = pair_sums(np.array([[0.0], [1.0], [3.0]]), np.array([1.5, 2.5, 3.5]))
    >>> sums.counts.tolist(), sums.squares.round(9).tolist()
    ([1, 2, 3], [1.0, 5.0, 14.0])
    """
    from plica.dimension._pair_kernels import accumulate

    radii = np.asarray(radii, dtype=np.float64)
    if radii.ndim != 1 or not len(radii) or (np.diff(radii) < 0).any() or not radii[0] > 0 or not np.isfinite(radii[-1]):
        raise InvalidInput(f"radii {radii}.", hint="give positive numbers in increasing order")
    X = np.ascontiguousarray(X, dtype=np.float64)
    n = len(X)
    centered = X - X.mean(axis=0)
    norms = np.einsum("ij,ij->i", centered, centered)
    counts, squares, logarithms = np.zeros(len(radii), np.int64), np.zeros(len(radii)), np.zeros(len(radii))
    step = max(1, min(n, _BLOCK_BYTES // (8 * n)))
    n_zero = 0
    for first in range(0, n, step):
        stop = min(n, first + step)
        products = centered[first:stop] @ centered[first:].T
        n_zero += accumulate(products, first, X, norms, radii, _CANCELLATION, counts, squares, logarithms)
    return PairSums(radii, np.cumsum(counts), np.cumsum(squares), np.cumsum(logarithms), int(n_zero), n * (n - 1) // 2)
