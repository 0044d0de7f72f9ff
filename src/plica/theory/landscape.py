r"""What random matrices say about critical points of a loss (Pennington and Bahri 2017).

The Hessian is modeled as H_0 + H_1, free of each other: H_0 a Wishart matrix of the ratio phi = parameters / data, H_1 a Wigner
matrix with the variance 2 eps, eps being the loss. Their R-transforms add, R(G) = 1 / (1 - phi G) + 2 eps G, so that the
resolvent G(z) solves

.. math:: 2 \epsilon \phi G^3 - (2 \epsilon + \phi z) G^2 + (z + \phi - 1) G - 1 = 0.
"""

from __future__ import annotations

from math import sqrt
from typing import Any

import numpy as np

from plica._types import Array
from plica.errors import InvalidInput


def critical_energy(phi: float) -> float:
    """The loss below which no eigenvalue is negative: (1 - 20 phi - 8 phi^2 + (1 + 8 phi)^(3/2)) / 16.

    Examples
    --------
    >>> round(critical_energy(0.25), 4), critical_energy(1.0)
    (0.0435, 0.0)
    """
    if not 0 < phi <= 1:
        raise InvalidInput(f"phi = {phi}.", hint="parameters over data, above 0 and at most 1: beyond it there is no such energy")
    return (1 - 20 * phi - 8 * phi**2 + sqrt(1 + 8 * phi) ** 3) / 16


def hessian_density(x: Any, energy: float, phi: float) -> Array:
    """The density of eigenvalues at some points, by the root of the cubic in the lower half plane.

    Examples
    --------
    >>> x = np.linspace(-3, 8, 2001)
    >>> bool(abs(np.trapezoid(hessian_density(x, 0.2, 0.5), x) - 1) < 1e-3)
    True
    """
    if not energy > 0 or not phi > 0:
        raise InvalidInput(f"energy = {energy}, phi = {phi}.", hint="both are positive")
    points = np.asarray(x, dtype=np.float64)
    z = points.reshape(-1)
    companion = np.zeros((len(z), 3, 3))  # the roots of the cubic, of all points at once, are its eigenvalues
    companion[:, 0, 0] = (2 * energy + phi * z) / (2 * energy * phi)
    companion[:, 0, 1] = -(z + phi - 1) / (2 * energy * phi)
    companion[:, 0, 2] = 1 / (2 * energy * phi)
    companion[:, 1, 0] = companion[:, 2, 1] = 1.0
    return np.asarray(np.maximum(0.0, np.linalg.eigvals(companion).imag.max(axis=1)) / np.pi).reshape(points.shape)


def hessian_index(energy: float, phi: float, *, n_points: int = 4000) -> float:
    """The share of negative eigenvalues.

    Examples
    --------
    >>> hessian_index(0.9 * critical_energy(0.25), 0.25), round(hessian_index(2.0, 0.25), 3)
    (0.0, 0.348)
    """
    reach = 2 * sqrt(2 * energy) + 1.0  # below minus this neither part has a mass
    # finer near 0, where the density of a small index ends
    s = (np.arange(n_points) + 0.5) / n_points
    return float((hessian_density(-reach * s**3, energy, phi) * 3 * s**2).sum() * reach / n_points)


def semicircle_index(values: Any, variance: float, *, n_points: int = 1000) -> float:
    r"""The share of negative eigenvalues of a matrix with these eigenvalues plus a free Wigner matrix of some variance.

    Nothing is said about the first matrix, so that a measured spectrum can stand where the cubic has that of a Wishart matrix.
    The density of the sum lies over a curve u + i v(u) (Biane 1997): v > 0 solves mean 1 / ((u - value)^2 + v^2) = 1 / variance,
    or v = 0 where that is impossible, and at u + variance mean (u - value) / ((u - value)^2 + v^2) it is v / (pi variance).

    Examples
    --------
    >>> round(semicircle_index([0.0], 1.0), 4), semicircle_index([1.0], 0.2)  # a semicircle around 0, one around 1
    (0.5, 0.0)
    """
    found = np.asarray(values, dtype=np.float64).reshape(-1)
    if not len(found) or not np.isfinite(found).all() or not 0 < variance < np.inf:
        raise InvalidInput(f"{len(found)} eigenvalues, variance {variance}.", hint="finite eigenvalues and a positive variance")
    first = low = float(found.min()) - sqrt(variance)
    high = float(found.max()) + sqrt(variance)
    for _ in range(40):  # up to the u that lies over 0: places grow with u
        middle = (low + high) / 2
        if float(_curve(found, np.array([middle]), variance)[1][0]) < 0:
            low = middle
        else:
            high = middle
    height, place = _curve(found, np.linspace(first, low, n_points), variance)
    return float(np.trapezoid(height, place)) / (np.pi * variance)


def _curve(values: Array, u: Array, variance: float) -> tuple[Array, Array]:
    """Heights v over some u, and the places on the line above which they lie."""
    squares = np.square(u[:, None] - values)
    low, high = np.zeros(len(u)), np.full(len(u), sqrt(variance))
    for _ in range(50):
        middle = (low + high) / 2
        is_below = (1 / (squares + np.square(middle)[:, None])).mean(axis=1) > 1 / variance
        low, high = np.where(is_below, middle, low), np.where(is_below, high, middle)
    return low, u + variance * ((u[:, None] - values) / (squares + np.square(low)[:, None])).mean(axis=1)
