"""Exact nearest neighbors of all points, in blocks: bounds by matrix products, distances by differences.

A matrix product of a few principal coordinates gives a lower bound of every distance at the speed of BLAS; what the bound cannot
exclude is computed as a sum of squared differences in double precision, so that nothing is lost to cancellation.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from plica._parallel import parallel_ranges, plain_blas
from plica.dimension._errors import InvalidData

_COARSE = 96  # principal coordinates in the matrix product
_FINE = 256  # principal coordinates in the second bound
_SAMPLE = 512  # at most so many rows, and an eighth of all, give the principal coordinates: any orthonormal ones are right
_BLOCK_BYTES = 1 << 25
_TREE_DIMENSION = 12  # up to here a k-d tree is faster
_TREE_WORK = 3e7  # so few differences of coordinates are not worth compiling for


@dataclass(frozen=True)
class Neighbors:
    """The k nearest other points of every point, nearest first.

    Parameters
    ----------
    distances, indices
        Arrays of shape (n, k). A duplicate of a point is its neighbor at distance zero.
    """

    distances: np.ndarray
    indices: np.ndarray


def nearest_neighbors(X: np.ndarray, k: int) -> Neighbors:
    """The k nearest other rows of every row of X.

    Examples
    --------
    >>> found = nearest_neighbors(np.array([[0.0, 0.0], [1.0, 0.0], [3.0, 0.0]]), 2)
    >>> found.indices.tolist(), found.distances.tolist()
    ([[1, 2], [0, 2], [1, 0]], [[1.0, 3.0], [1.0, 2.0], [2.0, 3.0]])
    """
    X = np.ascontiguousarray(X, dtype=np.float64)
    n = len(X)
    if not 1 <= k < n:
        raise InvalidData(f"{k} neighbors of each of {n} points.", hint=f"take between 1 and {n - 1}, or more points")
    if X.shape[1] <= _TREE_DIMENSION or n * n * X.shape[1] <= _TREE_WORK:
        return _by_tree(X, k)
    return _by_blocks(X, k)


def _by_tree(X: np.ndarray, k: int) -> Neighbors:
    """With scipy's k-d tree; a point that is not first among its duplicates is removed by name."""
    from scipy.spatial import cKDTree

    exponent = _exponent(X, X.mean(axis=0))
    X = np.ldexp(X, -exponent)
    distances, indices = cKDTree(X).query(X, k=k + 1)
    distances = np.ldexp(distances, exponent)
    own = indices == np.arange(len(X))[:, None]
    own[~own.any(axis=1), -1] = True
    keep = ~own
    return _sorted(distances[keep].reshape(-1, k), indices[keep].reshape(-1, k))


def _exponent(X: np.ndarray, mean: np.ndarray) -> int:
    """The exponent of a power of two that makes the squares of distances neither overflow nor vanish."""
    return int(np.frexp(np.maximum(X.max(axis=0) - mean, mean - X.min(axis=0)).max())[1])


def _by_blocks(X: np.ndarray, k: int) -> Neighbors:
    from plica.dimension._distances import search

    n = len(X)
    coarse, fine, exponent = _coordinates(X)
    order = _near_in_memory(coarse)
    X, coarse, fine = X[order], coarse[order], fine[order]
    np.ldexp(X, -exponent, out=X)
    norms = np.einsum("ij,ij->i", coarse, coarse, dtype=np.float64)
    # every rounding of single precision in the product and in the coordinates, relative to the norms
    slack = (coarse.shape[1] + 16) * 2.0**-22
    shrunk = (norms * (1 - slack)).astype(np.float32)[:, None]
    ones = np.ones((n, 1), np.float32)
    left = np.concatenate([coarse, shrunk, ones], axis=1)
    right = np.ascontiguousarray(np.concatenate([-2 * coarse, ones, shrunk], axis=1).T)
    squares, indices = np.empty((n, k)), np.empty((n, k), np.int64)
    step = max(1, min(n, _BLOCK_BYTES // (4 * n)))

    def work(start: int, stop: int) -> None:
        bounds = np.empty((min(step, stop - start), n), np.float32)
        for first in range(start, stop, step):
            block = slice(first, min(stop, first + step))
            products = np.matmul(left[block], right, out=bounds[: block.stop - first])
            search(products, products.view(np.int32), first, X, fine, norms, slack, squares[block], indices[block])

    with plain_blas():
        parallel_ranges(work, n, least=step)
    back = np.argsort(order)
    return _sorted(np.ldexp(np.sqrt(squares[back]), exponent), order[indices[back]])


def _near_in_memory(coarse: np.ndarray) -> np.ndarray:
    """An order that puts points on one side of the medians of the first coordinates together, so that caches help."""
    bits = coarse[:, :10] > np.median(coarse[:, :10], axis=0)
    return np.argsort(bits @ (1 << np.arange(bits.shape[1])[::-1]), kind="stable")


def _coordinates(X: np.ndarray) -> tuple[np.ndarray, np.ndarray, int]:
    """Principal coordinates in single precision, few and more, each followed by the length of what they leave out.

    They are in units of a power of two, whose exponent comes third, so that their squares neither overflow nor vanish.
    """
    n, d = X.shape
    mean = X.mean(axis=0)
    exponent = _exponent(X, mean)
    sample = np.ldexp(X[np.linspace(0, n - 1, min(n, max(64, min(_SAMPLE, n // 8)))).astype(int)] - mean, -exponent)
    m = min(_FINE, d, len(sample))
    if m < d:
        _, vectors = np.linalg.eigh(sample @ sample.T)
        axes = np.linalg.qr(sample.T @ vectors[:, ::-1][:, :m])[0]
    else:
        axes = np.linalg.eigh(sample.T @ sample)[1][:, ::-1]
    m_coarse = min(_COARSE, m)
    coarse = np.empty((n, m_coarse + (m_coarse < d)), np.float32)
    fine = np.empty((n, (m + (m < d)) if m > m_coarse else 0), np.float32)
    step = max(1, _BLOCK_BYTES // (8 * d))
    for first in range(0, n, step):
        block = slice(first, first + step)
        centered = np.ldexp(X[block] - mean, -exponent)
        Z = centered @ axes
        squares = np.einsum("ij,ij->i", centered, centered)
        for target, width in ((coarse, m_coarse), (fine, m)):
            if target.shape[1]:
                target[block, :width] = Z[:, :width]
                if width < d:
                    rest = squares - np.einsum("ij,ij->i", Z[:, :width], Z[:, :width])
                    target[block, width] = np.sqrt(np.maximum(rest, 0.0))
    return coarse, fine, exponent


def _sorted(distances: np.ndarray, indices: np.ndarray) -> Neighbors:
    """Rows in order of distance, equal distances in order of index."""
    order = np.lexsort((indices, distances), axis=1)
    return Neighbors(np.take_along_axis(distances, order, axis=1), np.take_along_axis(indices, order, axis=1))
