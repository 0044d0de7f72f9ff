r"""The hidden manifold model: what Gaussian data has the moments of f(C F / sqrt(D)).

Latent coordinates C and features F are standard normal, f acts entry by entry. Each entry of :math:`U = C F / \sqrt D` is nearly
a standard normal number u, and any two are nearly independent, so that to the order that linear models and wide networks see

.. math:: X = f(U) \simeq a + b U + \sqrt{c - a^2 - b^2}\, Z, \qquad a = E f(u),\; b = E u f(u),\; c = E f(u)^2

with Z independent and normal: the Gaussian equivalence of [goldt2020]_.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import asin, pi, sqrt
from typing import Any

import numpy as np

from plica._types import Array
from plica.errors import InvalidInput

__all__ = ["GaussianEquivalent", "gaussian_equivalent"]


@dataclass(frozen=True)
class GaussianEquivalent:
    """The numbers a, b, c of a function; ``noise`` is the standard deviation of what is left."""

    a: float
    b: float
    c: float

    @property
    def noise(self) -> float:
        return sqrt(max(0.0, self.c - self.a**2 - self.b**2))

    def covariance(self, features: Any) -> Array:
        r"""Of the coordinates of X, given the features (D, N): :math:`b^2 F^T F / D` beside the diagonal :math:`c - a^2`.

        Examples
        --------
        >>> gaussian_equivalent("sign").covariance([[1.0, 1.0], [1.0, -1.0]])
        array([[1., 0.],
               [0., 1.]])
        """
        F = np.asarray(features, dtype=float)
        if F.ndim != 2:
            raise InvalidInput(f"features have the shape (D, N), got {F.shape}.")
        found = self.b**2 * (F.T @ F) / len(F)
        np.fill_diagonal(found, self.c - self.a**2)
        return np.asarray(found)


def gaussian_equivalent(activation: str) -> GaussianEquivalent:
    r"""a, b, c of ``identity``, ``relu``, ``sign``, ``erf`` or ``tanh``.

    All but tanh have closed forms: erf has :math:`b = 2/\sqrt{3\pi}` and :math:`c = (2/\pi) \arcsin(2/3)`.

    Examples
    --------
    >>> found = gaussian_equivalent("sign")
    >>> round(found.b**2, 4), found.c, round(found.noise, 4)
    (0.6366, 1.0, 0.6028)
    """
    closed = {
        "identity": (0.0, 1.0, 1.0),
        "relu": (1 / sqrt(2 * pi), 0.5, 0.5),
        "sign": (0.0, sqrt(2 / pi), 1.0),
        "erf": (0.0, 2 / sqrt(3 * pi), 2 / pi * asin(2 / 3)),
    }
    if activation in closed:
        return GaussianEquivalent(*closed[activation])
    if activation != "tanh":
        raise InvalidInput(f"unknown function {activation!r}.", hint=f"one of {', '.join([*closed, 'tanh'])}")
    nodes, weights = np.polynomial.hermite_e.hermegauss(161)
    weights = weights / weights.sum()
    values = np.tanh(nodes)
    return GaussianEquivalent(0.0, float(weights @ (nodes * values)), float(weights @ values**2))
