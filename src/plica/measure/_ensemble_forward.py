"""Pre-activations of wide Gaussian networks without their matrices: given one layer, the units of the next are independent."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from plica._types import Array
from plica.errors import InvalidInput
from plica.measure._ensembles import Ensemble


@dataclass(frozen=True, eq=False)
class Forward:
    """Mean products over the units of every layer, for every network.

    Attributes
    ----------
    products
        (networks, layers, m, m): of the pre-activations at m inputs.
    activations
        (networks, layers, m, m): of what follows the activation, and dropout.
    """

    ensemble: Ensemble
    products: Array
    activations: Array

    @property
    def lengths(self) -> Array:
        """(networks, layers): q, the mean square of the pre-activations at the first input."""
        return np.asarray(self.products[:, :, 0, 0])

    @property
    def correlations(self) -> Array:
        """(networks, layers): c, the cosine of the angle between the pre-activations at the first and the last input."""
        squares = self.products[:, :, 0, 0] * self.products[:, :, -1, -1]
        return np.asarray(self.products[:, :, 0, -1] / np.sqrt(squares))

    @staticmethod
    def mean(values: Array) -> Array:
        """Over the networks."""
        return np.asarray(values.mean(0))

    @staticmethod
    def standard_error(values: Array) -> Array:
        """Of the mean over the networks."""
        return np.asarray(values.std(0, ddof=1) / np.sqrt(len(values))) if len(values) > 1 else np.full(values.shape[1:], np.inf)

    def __repr__(self) -> str:
        return f"<Forward through {self.ensemble!r}: q={self.lengths[:, -1].mean():.4g} at layer {self.ensemble.depth - 1}>"


def estimate_forward(ensemble: Ensemble, points: Any) -> Forward:
    """See :meth:`Ensemble.estimate_forward`."""
    if ensemble.weights != "normal" or ensemble.density < 1:
        raise InvalidInput(
            f"{ensemble.weights} weights of density {ensemble.density:g} have units that depend on each other.",
            hint="normal weights, or estimate_signal, which draws the matrices",
        )
    x = np.atleast_2d(np.asarray(points, dtype=float))
    if x.ndim != 2 or x.shape[1] != ensemble.widths[0] or not np.isfinite(x).all():
        raise InvalidInput(f"the networks take rows of {ensemble.widths[0]} finite numbers, got an array of shape {x.shape}.")
    parts = ensemble.in_chunks(partial(_one_chunk, ensemble, x), entries=4 * len(x) * max(ensemble.widths))
    products, activations = (np.concatenate(part) for part in zip(*parts, strict=True))
    return Forward(ensemble, products, activations)


def _one_chunk(ensemble: Ensemble, x: Array, rngs: list[np.random.Generator]) -> tuple[Array, Array]:
    m, phi = len(x), ensemble.phi
    gram = np.broadcast_to(x @ x.T / x.shape[1], (len(rngs), m, m))
    h: Array | None = None
    products, activations = [], []
    for width in ensemble.widths[1:]:
        normal = np.stack([rng.standard_normal((m, width)) for rng in rngs])
        new = ensemble.weight_std * (_root(gram) @ normal)
        if ensemble.bias_std:
            new += ensemble.bias_std * np.stack([rng.standard_normal((1, width)) for rng in rngs])
        if ensemble.skip and h is not None:
            new += ensemble.skip * h
        h = new
        z, _ = phi.with_slope(h)
        if ensemble.keep < 1:
            z = z * np.stack([rng.random(h.shape[1:]) < ensemble.keep for rng in rngs]) / ensemble.keep
        gram = z @ z.transpose(0, 2, 1) / width
        products.append(h @ h.transpose(0, 2, 1) / width)
        activations.append(gram)
    return np.stack(products, 1), np.stack(activations, 1)


def _root(gram: Array) -> Array:
    """A with A A^T = gram, also where inputs coincide."""
    values, vectors = np.linalg.eigh(gram)
    return np.asarray(vectors * np.sqrt(values.clip(min=0.0))[:, None, :])
