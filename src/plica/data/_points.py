"""Points in the plane with labels, and the digits that come with scikit-learn."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from plica.data._dataset import Dataset
from plica.errors import InvalidInput


def moons(*, n: int = 400, noise: float = 0.1, seed: int = 0) -> Dataset:
    """Two half circles of radius 1 that reach into each other, with Gaussian noise.

    Examples
    --------
    >>> moons(n=6)
    <Dataset moons: 6 points of 2, 2 classes>
    """
    rng = _rng(n, noise, seed)
    y = np.arange(n) % 2
    angle = rng.uniform(0, np.pi, n)
    x = np.where(
        y[:, None] == 0,
        np.stack([np.cos(angle), np.sin(angle)], axis=1),
        np.stack([1 - np.cos(angle), 0.5 - np.sin(angle)], axis=1),
    )
    return Dataset("moons", x + noise * rng.standard_normal(x.shape), y, n_classes=2, about=_first(moons))


def circles(*, n: int = 400, noise: float = 0.05, factor: float = 0.5, seed: int = 0) -> Dataset:
    """Two circles around the origin, of radius 1 and ``factor``, with Gaussian noise."""
    rng = _rng(n, noise, seed)
    y = np.arange(n) % 2
    angle = rng.uniform(0, 2 * np.pi, n)
    x = np.where(y == 0, 1.0, factor)[:, None] * np.stack([np.cos(angle), np.sin(angle)], axis=1)
    return Dataset("circles", x + noise * rng.standard_normal(x.shape), y, n_classes=2, about=_first(circles))


def spirals(*, n: int = 240, noise: float = 0.025, turns: float = 1.25, seed: int = 0) -> Dataset:
    """Two spirals that wind around each other in the unit disc, with Gaussian noise."""
    rng = _rng(n, noise, seed)
    y = np.arange(n) % 2
    radius = np.sqrt(rng.uniform(0.02, 1.0, n))  # even along the area
    angle = 2 * np.pi * turns * radius + np.pi * y
    x = 0.92 * radius[:, None] * np.stack([np.cos(angle), np.sin(angle)], axis=1)
    return Dataset("spirals", x + noise * rng.standard_normal(x.shape), y, n_classes=2, about=_first(spirals))


def blobs(*, n: int = 400, classes: int = 3, noise: float = 0.25, seed: int = 0) -> Dataset:
    """Gaussian clouds around points that are evenly spaced on the unit circle."""
    rng = _rng(n, noise, seed)
    if classes < 1:
        raise InvalidInput(f"{classes} classes.", hint="at least one")
    y = np.arange(n) % classes
    angle = 2 * np.pi * y / classes
    x = np.stack([np.cos(angle), np.sin(angle)], axis=1) + noise * rng.standard_normal((n, 2))
    return Dataset("blobs", x, y, n_classes=classes, about=_first(blobs))


def digits() -> Dataset:
    """1,797 handwritten digits, 8 x 8, in [0, 1]; they come with scikit-learn."""
    from sklearn.datasets import load_digits

    bunch = load_digits()
    images = (bunch.images / 16).astype(np.float32)
    return Dataset("digits", images, bunch.target.astype(np.int64), n_classes=10, about=_first(digits))


def _rng(n: int, noise: float, seed: int) -> np.random.Generator:
    if n < 1 or not noise >= 0:
        raise InvalidInput(f"n = {n} points with noise {noise}.", hint="at least one point, and noise that is not negative")
    return np.random.default_rng(seed)


def _first(maker: Callable[..., Dataset]) -> str:
    return (maker.__doc__ or "").split("\n")[0]
