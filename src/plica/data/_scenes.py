"""Scenes of simple shapes with the places of each: data whose concepts are known."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from plica._types import Array
from plica.errors import InvalidInput

CONCEPTS = ("disc", "square", "stripes")


@dataclass(frozen=True, eq=False)
class Scenes:
    """Images (n, size, size) in [0, 1], where each concept is (n, 3, size, size), and which are present (n, 3)."""

    x: Array
    masks: Array
    y: Array
    concepts: tuple[str, ...] = CONCEPTS


def scenes(n: int, *, size: int = 16, noise: float = 0.1, seed: int = 0) -> Scenes:
    """Random scenes: each of a disc, a square and a patch of stripes is there with probability one half, at a random place.

    Examples
    --------
    >>> found = scenes(5)
    >>> found.x.shape, found.masks.shape, bool((found.masks.any(axis=(2, 3)) == found.y).all())
    ((5, 16, 16), (5, 3, 16, 16), True)
    """
    if n < 1 or size < 12 or noise < 0:
        raise InvalidInput(f"{n} scenes of {size} pixels with noise {noise}.", hint="at least one, 12 pixels, noise from 0 up")
    rng = np.random.default_rng(seed)
    rows, columns = np.mgrid[:size, :size]
    there = rng.random((n, 3)) < 0.5
    masks = np.zeros((n, 3, size, size), bool)
    x = np.zeros((n, size, size))
    for i in range(n):
        for k in np.flatnonzero(there[i]):
            r, c = rng.integers(3, size - 3, size=2)
            square, apart = (rows - r) ** 2 + (columns - c) ** 2, np.maximum(abs(rows - r), abs(columns - c))
            where = square <= 9 if k == 0 else apart <= 2
            paint = (np.where(square <= 2, 0.5, 1.0), np.full(x[i].shape, 0.7), columns % 2)[k]  # a disc is dark in the middle
            masks[i] &= ~where  # what is painted later hides what was there
            masks[i, k] |= where
            x[i][where] = paint[where]
    noisy = np.clip(x + noise * rng.normal(size=x.shape), 0, 1)
    return Scenes(noisy.astype(np.float32), masks, np.asarray(masks.any(axis=(2, 3))))
