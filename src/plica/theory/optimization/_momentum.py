r"""Momentum on quadratics: spectral radii, optimal parameters, and what no method of the first order can beat.

On :math:`F(w) = \tfrac12 \lambda w^2` a step with momentum is linear in :math:`(w_k, w_{k-1})`; its rate is the larger modulus
of the two roots of :math:`z^2 - p z + q`.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import sqrt
from typing import NamedTuple

import numpy as np

from plica._types import Array
from plica.errors import InvalidInput

Numbers = Sequence[float] | Array


class MomentumParameters(NamedTuple):
    """A step and a momentum."""

    rate: float
    momentum: float


def gradient_descent_radius(eigenvalues: Numbers, rate: float) -> float:
    """The largest factor by which a coordinate shrinks in one step: max |1 - rate lambda|.

    Examples
    --------
    >>> gradient_descent_radius([1.0, 9.0], 2 / 10)  # (kappa - 1) / (kappa + 1)
    0.8
    """
    return float(np.abs(1 - rate * _eigenvalues(eigenvalues)).max())


def heavy_ball_parameters(smoothness: float, convexity: float) -> MomentumParameters:
    r"""Polyak's optimum: :math:`\alpha = 4 / (\sqrt L + \sqrt c)^2`, :math:`\beta = ((\sqrt\kappa - 1)/(\sqrt\kappa + 1))^2`.

    Examples
    --------
    >>> heavy_ball_parameters(25, 1)
    MomentumParameters(rate=0.1111111111111111, momentum=0.4444444444444444)
    """
    big, small = sqrt(smoothness), sqrt(convexity)
    return MomentumParameters(4 / (big + small) ** 2, ((big - small) / (big + small)) ** 2)


def heavy_ball_radius(eigenvalues: Numbers, rate: float, momentum: float) -> float:
    """The spectral radius of w + momentum (w - w') - rate lambda w: roots of z^2 - (1 + beta - alpha lambda) z + beta.

    Examples
    --------
    >>> round(heavy_ball_radius([1.0, 9.0], *heavy_ball_parameters(9, 1)), 7)  # (3 - 1) / (3 + 1)
    0.5
    """
    values = _eigenvalues(eigenvalues)
    return _largest_root(1 + momentum - rate * values, np.full_like(values, momentum))


def nesterov_parameters(smoothness: float, convexity: float) -> MomentumParameters:
    r"""The constant step scheme: :math:`\alpha = 1/L`, :math:`\beta = (\sqrt\kappa - 1)/(\sqrt\kappa + 1)` [nesterov2004]_.

    Examples
    --------
    >>> nesterov_parameters(9, 1)
    MomentumParameters(rate=0.1111111111111111, momentum=0.5)
    """
    root = sqrt(smoothness / convexity)
    return MomentumParameters(1 / smoothness, (root - 1) / (root + 1))


def nesterov_radius(eigenvalues: Numbers, rate: float, momentum: float) -> float:
    """The spectral radius with the gradient taken ahead: roots of z^2 - (1 + beta)(1 - alpha lambda) z + beta (1 - alpha lambda).

    Examples
    --------
    >>> round(nesterov_radius([1.0, 9.0], *nesterov_parameters(9, 1)), 7)  # 1 - 1 / 3
    0.6666667
    """
    rest = 1 - rate * _eigenvalues(eigenvalues)
    return _largest_root((1 + momentum) * rest, momentum * rest)


def nesterov_lower_bound(n_steps: int, smoothness: float, convexity: float) -> float:
    r"""The part of the distance to the minimum that is left after k steps of *any* method of the first order, at best.

    .. math:: |w_k - w_*| \ge \Big(\frac{\sqrt\kappa - 1}{\sqrt\kappa + 1}\Big)^{k} |w_0 - w_*|

    for a quadratic in infinitely many dimensions [nesterov2004]_, Theorem 2.1.13.

    Examples
    --------
    >>> nesterov_lower_bound(3, 9, 1)
    0.125
    """
    root = sqrt(smoothness / convexity)
    return ((root - 1) / (root + 1)) ** n_steps


def _largest_root(p: Array, q: Array) -> float:
    discriminant = np.asarray(p * p - 4 * q, dtype=np.complex128)
    roots = np.stack([p + np.sqrt(discriminant), p - np.sqrt(discriminant)]) / 2
    return float(np.abs(roots).max())


def _eigenvalues(given: Numbers) -> Array:
    values = np.asarray(given, dtype=np.float64)
    if values.ndim != 1 or not len(values) or (values < 0).any():
        raise InvalidInput(f"eigenvalues {given}.", hint="a list of numbers that are not negative")
    return values
