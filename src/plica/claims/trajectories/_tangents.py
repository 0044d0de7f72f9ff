"""Growth of a tangent vector through random ReLU layers, by simulation."""

from __future__ import annotations

from itertools import pairwise

import numpy as np


def tangent_growth(
    widths: list[int], *, weight_std: float, bias_std: float, n_samples: int, seed: int, density: float = 1.0
) -> list[tuple[float, float]]:
    """Mean and standard error of the length of the image of a unit tangent after each layer.

    Weights are N(0, weight_std^2 / n_in), each kept with probability ``density``.
    """
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(n_samples, widths[0]))
    u = rng.normal(size=(n_samples, widths[0]))
    u /= np.linalg.norm(u, axis=1, keepdims=True)
    found = []
    for n_in, n_out in pairwise(widths):
        W = rng.normal(size=(n_samples, n_out, n_in)) * weight_std / np.sqrt(n_in)
        if density < 1:
            W *= rng.random(W.shape) < density
        z = np.einsum("sij,sj->si", W, x) + bias_std * rng.normal(size=(n_samples, n_out))
        u = np.where(z > 0, np.einsum("sij,sj->si", W, u), 0.0)
        x = np.maximum(z, 0.0)
        lengths = np.linalg.norm(u, axis=1)
        found.append((float(lengths.mean()), float(lengths.std(ddof=1) / np.sqrt(n_samples))))
    return found
