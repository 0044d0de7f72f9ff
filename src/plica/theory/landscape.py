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
    values = [
        max(0.0, float(np.max(np.imag(np.roots([2 * energy * phi, -(2 * energy + phi * z), z + phi - 1, -1.0]))))) / np.pi
        for z in points.reshape(-1)
    ]
    return np.array(values).reshape(points.shape)


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
