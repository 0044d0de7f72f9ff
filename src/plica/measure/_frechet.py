"""How far two clouds of points are apart as Gaussians: the Frechet distance, with its error and its bias."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from plica._types import Array
from plica.errors import InvalidInput


@dataclass(frozen=True)
class FrechetDistance:
    """An estimate of the squared Frechet distance of the Gaussians with the moments of two clouds.

    Attributes
    ----------
    value
        The distance of the moments of the samples. It is too large on average: equal laws have a positive distance, too.
    standard_error
        From samples drawn again with replacement.
    floor
        What equal laws would give: the distance of two halves of the second cloud, in proportion to the sizes.
    """

    value: float
    standard_error: float
    floor: float
    n_points: tuple[int, int]
    kind: str = "estimated"

    def __repr__(self) -> str:
        return f"<FrechetDistance {self.value:.4g} within {self.standard_error:.2g}, floor {self.floor:.2g}>"


def estimate_frechet_distance(made: Any, data: Any, *, n_resamples: int = 20, seed: int = 0) -> FrechetDistance:
    r"""The squared Frechet distance |m - n|^2 + tr(A + B - 2 (A B)^{1/2}) of two samples, points in rows [heusel2017]_.

    Parameters
    ----------
    made, data
        Features of what a model makes, and of data: (n, d), with n well above d.
    n_resamples, seed
        For the standard error.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> a, b = rng.normal(size=(2, 4000, 3))
    >>> found = estimate_frechet_distance(a + 1.0, b)
    >>> abs(found.value - 3) < 4 * found.standard_error + found.floor
    True
    """
    x, y = (np.asarray(points, dtype=np.float64) for points in (made, data))
    if x.ndim != 2 or y.ndim != 2 or x.shape[1] != y.shape[1] or not (np.isfinite(x).all() and np.isfinite(y).all()):
        raise InvalidInput(f"features of shapes {x.shape} and {y.shape}.", hint="two matrices of finite numbers, of equal width")
    d = x.shape[1]
    if min(len(x), len(y)) < 2 * (d + 1) or n_resamples < 2:
        raise InvalidInput(
            f"{len(x)} and {len(y)} points with {d} features, drawn again {n_resamples} times.",
            hint="more than twice as many points as features, and at least two draws",
        )
    rng = np.random.default_rng(seed)
    again = [_distance(x[rng.integers(len(x), size=len(x))], y[rng.integers(len(y), size=len(y))]) for _ in range(n_resamples)]
    order = rng.permutation(len(y))
    half = len(y) // 2
    # the bias is proportional to 1/n + 1/m
    floor = _distance(y[order[:half]], y[order[half : 2 * half]]) * (1 / len(x) + 1 / len(y)) / (2 / half)
    return FrechetDistance(_distance(x, y), float(np.std(again, ddof=1)), floor, (len(x), len(y)))


def _distance(x: Array, y: Array) -> float:
    """Of the moments of two samples: tr (A B)^{1/2} is the sum of the singular values of A^{1/2} B^{1/2}."""
    m, n = x.mean(axis=0), y.mean(axis=0)
    roots = []
    for points, mean in ((x, m), (y, n)):
        roots.append(np.linalg.qr(points - mean, mode="r") / np.sqrt(len(points) - 1))  # root^T root is the covariance
    shared = np.linalg.svd(roots[0] @ roots[1].T, compute_uv=False).sum()
    return float((m - n) @ (m - n) + (roots[0] ** 2).sum() + (roots[1] ** 2).sum() - 2 * shared)
