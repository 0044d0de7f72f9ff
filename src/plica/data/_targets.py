"""Functions of one and two variables to learn: smooth, oscillating, kinked and broken."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from plica._types import Array
from plica.data._dataset import Dataset
from plica.errors import InvalidInput


def _sawtooth(x: Array) -> Array:
    """64 pieces: six times the hat with its top at 1/2."""
    for _ in range(6):
        x = 1 - np.abs(2 * x - 1)
    return x


TARGETS: dict[str, tuple[int, str, Callable[..., Array]]] = {
    "sine": (1, "sin(2 pi x) on [0, 1]", lambda x: np.sin(2 * np.pi * x)),
    "chirp": (1, "sin(2 pi 5 x^2) on [0, 1]", lambda x: np.sin(10 * np.pi * x * x)),
    "parabola": (1, "x^2 on [0, 1]", lambda x: x * x),
    "cubic": (1, "x^3 on [-1, 1]", lambda x: x**3),
    "absolute": (1, "|x| on [-1, 1]", lambda x: np.abs(x)),
    "step": (1, "1 where x > 1/2, else 0, on [0, 1]", lambda x: (x > 0.5) * 1.0),
    "sawtooth": (1, "the sawtooth with 64 pieces on [0, 1]", _sawtooth),
    "product": (2, "x y on [-1, 1]^2", lambda x, y: x * y),
    "radial": (2, "sin(pi |(x, y)|) on [-1, 1]^2", lambda x, y: np.sin(np.pi * np.hypot(x, y))),
    "checkerboard": (2, "the sign of sin(2 pi x) sin(2 pi y) on [-1, 1]^2", lambda x, y: np.sign(_waves(x, y))),
    "waves": (2, "sin(2 pi x) sin(2 pi y) on [-1, 1]^2", lambda x, y: _waves(x, y)),
}


def _waves(x: Array, y: Array) -> Array:
    return np.sin(2 * np.pi * x) * np.sin(2 * np.pi * y)


def target(name: str, *, n: int = 400, noise: float = 0.0, seed: int = 0) -> Dataset:
    """Values of a function at uniform random points of its domain, with Gaussian noise.

    Examples
    --------
    >>> data = target("parabola", n=5)
    >>> bool((data.y == data.x**2).all())
    True
    """
    n_inputs, about, function = TARGETS[name]
    if n < 1 or not noise >= 0:
        raise InvalidInput(f"n = {n} points with noise {noise}.", hint="at least one point, and noise that is not negative")
    rng = np.random.default_rng(seed)
    x = rng.uniform(-1.0 if "[-1, 1]" in about else 0.0, 1.0, (n, n_inputs))
    y = function(*x.T)[:, None]
    return Dataset(name, x, y + noise * rng.standard_normal(y.shape), dimension=n_inputs, about=about)
