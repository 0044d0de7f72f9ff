"""Kernels of finite random networks: the covariance of their outputs and their tangent kernel, averaged over networks."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from plica._types import Array
from plica.errors import InvalidInput
from plica.measure._ensembles import Ensemble, apply


@dataclass(frozen=True, eq=False)
class Kernels:
    """Kernels (networks, points, points) of every network.

    ``nngp`` is the covariance of a further random linear layer's output given the network; ``ntk`` the inner products of the
    gradients of that output with respect to standard-normal parameters, for one draw of that layer.
    """

    ensemble: Ensemble
    nngp: Array
    ntk: Array

    @staticmethod
    def mean(values: Array) -> Array:
        """Over the networks."""
        return np.asarray(values.mean(0))

    @staticmethod
    def standard_error(values: Array) -> Array:
        """Of the mean."""
        return np.asarray(values.std(0, ddof=1) / np.sqrt(len(values))) if len(values) > 1 else np.full(values.shape[1:], np.inf)


def estimate_kernels(ensemble: Ensemble, points: Any) -> Kernels:
    """See :meth:`Ensemble.estimate_kernels`."""
    x = np.atleast_2d(np.asarray(points, dtype=float))
    if x.ndim != 2 or x.shape[1] != ensemble.widths[0] or not np.isfinite(x).all():
        raise InvalidInput(f"points must be finite rows of {ensemble.widths[0]} numbers, got shape {x.shape}.")
    plain = ensemble.weights == "normal" and ensemble.density == ensemble.keep == 1 and not ensemble.skip
    if not plain:
        raise InvalidInput("kernels are defined here for plain Gaussian weights.", hint="weights='normal', no dropout, no skip")
    entries = 4 * len(x) * max(ensemble.widths) * ensemble.depth
    parts = ensemble.in_chunks(partial(_one_chunk, ensemble, x), entries=entries)
    nngp, ntk = (np.concatenate(part) for part in zip(*parts, strict=True))
    return Kernels(ensemble, nngp, ntk)


def _one_chunk(ensemble: Ensemble, x: Array, rngs: list[np.random.Generator]) -> tuple[Array, Array]:
    phi, gain, offset = ensemble.phi, ensemble.weight_std**2, ensemble.bias_std**2
    z = np.broadcast_to(x, (len(rngs), *x.shape))
    grams, slopes, matrices = [], [], []
    for layer in range(ensemble.depth):
        grams.append(gain * _gram(z) / z.shape[2] + offset)  # gradient with respect to the layer's own parameters
        W, b = ensemble.draw(rngs, layer)
        h = apply(W, z)
        if b is not None:
            h += b[:, None, :]
        z, slope = phi.with_slope(h)
        slopes.append(slope)
        matrices.append(W)
    nngp = gain * _gram(z) / z.shape[2] + offset
    # the output is v . z with v ~ N(0, gain / n): a gradient that arrives at the last pre-activations has these entries
    width = ensemble.widths[-1]
    v = ensemble.weight_std / np.sqrt(width) * np.stack([rng.standard_normal((1, width)) for rng in rngs])
    delta = v * slopes[-1]
    ntk = nngp + grams[-1] * _gram(delta)
    for layer in range(ensemble.depth - 1, 0, -1):
        delta = (delta @ matrices[layer]) * slopes[layer - 1]
        ntk = ntk + grams[layer - 1] * _gram(delta)
    return nngp, ntk


def _gram(rows: Array) -> Array:
    return np.asarray(rows @ rows.transpose(0, 2, 1))
