"""Pairs of networks that learned to read digits from different starts."""

from __future__ import annotations

from typing import Any

import numpy as np

import plica.data
from plica._types import Array
from plica.learn import fit, mlp


def digits(scale: str) -> tuple[Array, Array]:
    """Images as rows, and labels: MNIST in [0, 1] at full scale, otherwise 8 x 8 digits with mean 0 and deviation 1."""
    data = plica.data.load("mnist" if scale == "full" else "digits")
    x = np.asarray(data.x, dtype=np.float32).reshape(len(data.x), -1)
    return (x if scale == "full" else (x - x.mean()) / x.std()), np.asarray(data.y)


def unseen_digits() -> tuple[Array, Array]:
    """The test images of MNIST and their labels."""
    data = plica.data.load("mnist")
    assert data.x_test is not None and data.y_test is not None
    return np.asarray(data.x_test, dtype=np.float32).reshape(len(data.x_test), -1), np.asarray(data.y_test)


def trained(x: Array, y: Array, hidden: list[int], seed: int, *, steps: int, batch: int, **options: Any) -> Any:
    """A ReLU network that read some digits."""
    model = mlp([x.shape[1], *hidden, int(y.max()) + 1], seed=seed)
    fit(model, (x, y), steps=steps, batch=batch, schedule="cosine", seed=seed, **options)
    return model
