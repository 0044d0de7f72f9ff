r"""Kernels of infinitely wide networks: arc-cosine, Gaussian-process (NNGP) and tangent kernels (NTK).

A network of ``depth`` hidden layers, :math:`h^0 = \sigma_w W^0 x / \sqrt d + \sigma_b b^0`,
:math:`h^{l} = \sigma_w W^l \varphi(h^{l-1}) / \sqrt n + \sigma_b b^l`, with standard Gaussian parameters W and b, has in the
limit of wide layers a Gaussian output with covariance :math:`K^L` and, trained by gradient descent, moves by :math:`\Theta^L`.
"""

from __future__ import annotations

from math import inf, pi
from typing import Any

import numpy as np

from plica._types import Array
from plica.errors import InvalidInput
from plica.theory._meanfield_activations import Activation
from plica.theory._meanfield_closed import activation as find_activation

__all__ = ["arc_cosine", "nngp", "ntk"]


def arc_cosine(x: Any, y: Any, *, order: int = 1) -> Array:
    r"""The arc-cosine kernels of orders 0, 1 and 2 [cho2009]_.

    .. math::
        k_n(x, y) = 2\,E\,[\Theta(w \cdot x)\,\Theta(w \cdot y)\,(w \cdot x)^n (w \cdot y)^n]
                  = \tfrac1\pi\,|x|^n |y|^n J_n(\theta), \qquad w \sim N(0, I)

    with :math:`J_0 = \pi-\theta`, :math:`J_1 = \sin\theta + (\pi-\theta)\cos\theta`,
    :math:`J_2 = 3\sin\theta\cos\theta + (\pi-\theta)(1 + 2\cos^2\theta)`.

    Parameters
    ----------
    x, y
        Points as rows.

    Returns
    -------
    array (n_x, n_y)

    Examples
    --------
    >>> arc_cosine([[1.0, 0.0]], [[1.0, 0.0], [0.0, 1.0]]).round(4)
    array([[1.    , 0.3183]])
    """
    a, b = _rows(x, "x"), _rows(y, "y")
    lengths = np.linalg.norm(a, axis=1)[:, None] * np.linalg.norm(b, axis=1)[None, :]
    c = np.clip(np.divide(a @ b.T, lengths, out=np.zeros_like(lengths), where=lengths > 0), -1, 1)
    angle, s = np.arccos(c), np.sqrt(1 - c * c)
    if order == 0:
        return (pi - angle) / pi
    if order == 1:
        return lengths * (s + (pi - angle) * c) / pi
    if order == 2:
        return lengths**2 * (3 * s * c + (pi - angle) * (1 + 2 * c * c)) / pi
    raise InvalidInput(f"order={order!r} has no closed form here.", hint="0, 1 or 2")


def nngp(
    x: Any,
    y: Any = None,
    *,
    depth: int,
    weight_std: float = 2**0.5,
    bias_std: float = 0.0,
    activation: str | Activation = "relu",
    slope: float | None = None,
) -> Array:
    r"""The covariance of the outputs of a wide random network with ``depth`` hidden layers [lee2018]_.

    :math:`K^0 = \sigma_w^2\,x \cdot y/d + \sigma_b^2`, :math:`K^{l} = \sigma_w^2\,E\,\varphi(u)\varphi(v) + \sigma_b^2` with
    :math:`(u, v) \sim N(0, K^{l-1})`.

    Examples
    --------
    >>> nngp([[1.0, 0.0], [0.0, 1.0]], depth=1).round(4)
    array([[1.    , 0.3183],
           [0.3183, 1.    ]])
    """
    return _recursion(x, y, depth, weight_std, bias_std, find_activation(activation, slope=slope))[0]


def ntk(
    x: Any,
    y: Any = None,
    *,
    depth: int,
    weight_std: float = 2**0.5,
    bias_std: float = 0.0,
    activation: str | Activation = "relu",
    slope: float | None = None,
) -> Array:
    r"""The tangent kernel of a wide network with ``depth`` hidden layers [jacot2018]_.

    :math:`\Theta^0 = K^0`, :math:`\Theta^{l} = K^{l} + \Theta^{l-1}\,\sigma_w^2\,E\,\varphi'(u)\varphi'(v)`, over weights and, if
    ``bias_std`` is positive, biases.

    Examples
    --------
    >>> ntk([[1.0, 0.0]], depth=3)
    array([[4.]])
    """
    return _recursion(x, y, depth, weight_std, bias_std, find_activation(activation, slope=slope))[1]


def _recursion(x: Any, y: Any, depth: int, weight_std: float, bias_std: float, phi: Activation) -> tuple[Array, Array]:
    a = _rows(x, "x")
    b = a if y is None else _rows(y, "y")
    if a.shape[1] != b.shape[1]:
        raise InvalidInput(f"x has {a.shape[1]} coordinates and y has {b.shape[1]}.")
    if isinstance(depth, bool) or not isinstance(depth, int | np.integer) or depth < 0:
        raise InvalidInput(f"depth={depth!r} is not a number of hidden layers.")
    for name, value in (("weight_std", weight_std), ("bias_std", bias_std)):
        if not 0 <= value < inf:
            raise InvalidInput(f"{name}={value!r} is not a finite number from zero up.")
    gain, offset, d = weight_std**2, bias_std**2, a.shape[1]
    left = gain * (a * a).sum(1)[:, None] / d + offset
    right = gain * (b * b).sum(1)[None, :] / d + offset
    both = gain * (a @ b.T) / d + offset
    tangent = both
    for _ in range(depth):
        both = np.clip(both, -np.sqrt(left * right), np.sqrt(left * right))
        slopes = gain * phi.slope_covariance(*np.broadcast_arrays(left, right, both))
        both = gain * phi.covariance(*np.broadcast_arrays(left, right, both)) + offset
        left, right = gain * phi.energy(left) + offset, gain * phi.energy(right) + offset
        tangent = both + tangent * slopes
    return both, tangent


def _rows(points: Any, name: str) -> Array:
    array = np.atleast_2d(np.asarray(points, dtype=float))
    if array.ndim != 2 or not array.size or not np.isfinite(array).all():
        raise InvalidInput(f"{name} must be points as rows, finite and not empty, got shape {array.shape}.")
    return array
