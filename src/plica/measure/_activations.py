"""Activations with their derivatives, on arrays, by name."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from plica._types import Array
from plica.errors import InvalidInput


@dataclass(frozen=True)
class Activation:
    """An elementwise function, and its derivative in terms of argument and value."""

    function: Callable[[Array], Array]
    slope: Callable[[Array, Array], Array]

    def with_slope(self, x: Array) -> tuple[Array, Array]:
        """The values and the derivatives at x."""
        y = self.function(x)
        return y, self.slope(x, y)


def _erf(x: Array) -> Array:
    from scipy.special import erf

    return np.asarray(erf(x))


def _normal(x: Array) -> Array:
    from scipy.special import ndtr

    return np.asarray(ndtr(x))


def _bell(x: Array) -> Array:
    return np.asarray(np.exp(-x * x / 2) / np.sqrt(2 * np.pi))


def _sigmoid(x: Array) -> Array:
    return np.asarray((1 + np.tanh(x / 2)) / 2)


def _leaky(slope: float) -> Activation:
    return Activation(lambda x: np.where(x > 0, x, slope * x), lambda x, y: np.where(x > 0, 1.0, slope))


_TABLE = {
    "relu": Activation(lambda x: np.maximum(x, 0.0), lambda x, y: x > 0),
    "abs": _leaky(-1.0),
    "hard-tanh": Activation(lambda x: np.clip(x, -1.0, 1.0), lambda x, y: np.abs(x) < 1),
    "identity": Activation(lambda x: x, lambda x, y: np.ones_like(x)),
    "tanh": Activation(np.tanh, lambda x, y: 1 - y * y),
    "erf": Activation(_erf, lambda x, y: 2 / np.sqrt(np.pi) * np.exp(-x * x)),
    "sigmoid": Activation(_sigmoid, lambda x, y: y * (1 - y)),
    "sine": Activation(np.sin, lambda x, y: np.cos(x)),
    "gelu": Activation(lambda x: x * _normal(x), lambda x, y: _normal(x) + x * _bell(x)),
}
NAMES = ("leaky-relu", *_TABLE)


def activation(name: str, slope: float = 0.01) -> Activation:
    """The activation with a name; ``slope`` is that of leaky ReLU.

    Examples
    --------
    >>> activation("leaky-relu", 0.5).function(np.array([-2.0, 2.0]))
    array([-1.,  2.])
    """
    if name == "leaky-relu":
        return _leaky(slope)
    if name not in _TABLE:
        raise InvalidInput(f"activation={name!r} is not known.", hint=f"choose one of {', '.join(NAMES)}")
    return _TABLE[name]
