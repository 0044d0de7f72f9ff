"""What passes through many random networks at once: mean squares, correlations, and gradients on the way back."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from itertools import pairwise
from typing import Any

import numpy as np

from plica._types import Array
from plica.errors import InvalidInput
from plica.measure._ensembles import Ensemble


@dataclass(frozen=True, eq=False)
class Signal:
    """Numbers of every network (rows) at every layer (columns).

    Attributes
    ----------
    lengths
        q: the mean square of the pre-activations at the first input.
    correlations
        c: the cosine of the angle between the pre-activations at the two inputs; None with one input.
    activations
        The mean square after the activation.
    gradients
        The mean square of the derivative of a random linear form of the last layer's pre-activations, with respect to the
        pre-activations of each layer; the form has mean square one.
    """

    ensemble: Ensemble
    lengths: Array
    correlations: Array | None
    activations: Array
    gradients: Array

    @staticmethod
    def mean(values: Array) -> Array:
        """Over the networks."""
        return np.asarray(values.mean(0))

    @staticmethod
    def standard_error(values: Array) -> Array:
        """Of the mean over the networks."""
        return np.asarray(values.std(0, ddof=1) / np.sqrt(len(values))) if len(values) > 1 else np.full(values.shape[1:], np.inf)

    @staticmethod
    def spread(values: Array) -> Array:
        """The standard deviation from network to network, which finite width makes."""
        return np.asarray(values.std(0, ddof=1)) if len(values) > 1 else np.full(values.shape[1:], np.inf)

    def __repr__(self) -> str:
        return f"<Signal in {self.ensemble!r}: q={self.lengths[:, -1].mean():.4g} at layer {self.ensemble.depth - 1}>"


def estimate_signal(ensemble: Ensemble, x: Any, y: Any = None) -> Signal:
    """See :meth:`Ensemble.estimate_signal`."""
    inputs = np.stack([_input(ensemble, v) for v in ([x] if y is None else [x, y])])
    entries = sum(a * b for a, b in pairwise(ensemble.widths))
    parts = ensemble.in_chunks(partial(_one_chunk, ensemble, inputs), entries=entries)
    lengths, correlations, activations, gradients = (np.concatenate(part) for part in zip(*parts, strict=True))
    return Signal(ensemble, lengths, None if y is None else correlations, activations, gradients)


def _one_chunk(ensemble: Ensemble, inputs: Array, rngs: list[np.random.Generator]) -> tuple[Array, Array, Array, Array]:
    phi = ensemble.phi
    z = np.broadcast_to(inputs, (len(rngs), *inputs.shape))
    h: Array | None = None
    lengths, correlations, activations, slopes, matrices = [], [], [], [], []
    for layer in range(ensemble.depth):
        W, b = ensemble.draw(rngs, layer)
        new = z @ W.transpose(0, 2, 1)
        if b is not None:
            new += b[:, None, :]
        if ensemble.skip and h is not None:
            new += ensemble.skip * h
        h = new
        z, slopes_here = phi.with_slope(h)
        slope = slopes_here[:, 0]
        if ensemble.keep < 1:
            masks = np.stack([rng.random(h.shape[1:]) < ensemble.keep for rng in rngs]) / ensemble.keep
            z, slope = z * masks, slope * masks[:, 0]
        lengths.append((h[:, 0] ** 2).mean(1))
        size = np.sqrt((h[:, 0] ** 2).sum(1) * (h[:, -1] ** 2).sum(1))
        inner = (h[:, 0] * h[:, -1]).sum(1)
        correlations.append(np.divide(inner, size, out=np.zeros_like(inner), where=size > 0))
        activations.append((z[:, 0] ** 2).mean(1))
        slopes.append(slope)
        matrices.append(W)
    gradients = _backward(ensemble, rngs, slopes, matrices)
    return np.stack(lengths, 1), np.stack(correlations, 1), np.stack(activations, 1), gradients


def _backward(ensemble: Ensemble, rngs: list[np.random.Generator], slopes: list[Array], matrices: list[Array]) -> Array:
    delta = np.stack([rng.standard_normal(ensemble.widths[-1]) for rng in rngs])
    delta /= np.sqrt((delta**2).mean(1, keepdims=True))
    squares = [(delta**2).mean(1)]
    for slope, W in zip(reversed(slopes[:-1]), reversed(matrices[1:]), strict=True):
        through = slope * np.einsum("ki,kij->kj", delta, W)
        delta = through + ensemble.skip * delta if ensemble.skip else through
        squares.append((delta**2).mean(1))
    return np.stack(squares[::-1], axis=1)


def _input(ensemble: Ensemble, x: Any) -> Array:
    array = np.asarray(x, dtype=float).reshape(-1)
    if array.size != ensemble.widths[0] or not np.isfinite(array).all():
        raise InvalidInput(f"the networks take {ensemble.widths[0]} finite inputs, got {array.size} numbers.")
    return array
