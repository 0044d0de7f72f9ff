"""Training that can be stepped, replayed and continued: a pure function of the state.

The networks are small and the workers start without torch, so the gradient is written out.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from plica._types import Array
from plica.errors import InvalidInput
from plica.web._layers import LEAK, Layer, initial_layers
from plica.web._problem import Problem
from plica.web._state import Rates, State

HUGE = 1e8
"""A loss beyond so many times that of the start, or a weight beyond it, is a divergence."""
GOOD = 100.0
"""A loss below so many times that of the start is worth going back to."""


@dataclass(frozen=True, eq=False)
class Moment:
    """A training at one step: weights and the optimizer's two averages, each as one vector."""

    step: int
    weights: Array
    first: Array
    second: Array

    def to_bytes(self) -> bytes:
        return np.concatenate([[float(self.step)], self.weights, self.first, self.second]).tobytes()

    @staticmethod
    def from_bytes(data: bytes) -> Moment:
        values = np.frombuffer(data, dtype=np.float64)
        weights, first, second = np.split(values[1:].copy(), 3)
        return Moment(int(values[0]), weights, first, second)


class Diverged(InvalidInput):
    """The loss or a weight grew beyond all bounds; ``moment`` is the last good one."""

    def __init__(self, step: int, loss: float, rate: float, moment: Moment) -> None:
        shown = f"{loss:.3g}" if math.isfinite(loss) else "not a number"
        super().__init__(
            f"the training diverged at step {step}: the loss is {shown}. "
            f"With the learning rate {rate:g} each step overshoots the valley by more than the last.",
            hint=f"go back to step {moment.step} with a learning rate of {rate / 10:g}",
        )
        self.step, self.rate, self.moment = step, rate, moment


def rate_at(rates: Rates, step: int) -> float:
    """The learning rate of the step that follows ``step`` steps.

    >>> rate_at(((0, 0.1), (50, 0.01)), 49), rate_at(((0, 0.1), (50, 0.01)), 50)
    (0.1, 0.01)
    """
    return next(rate for start, rate in reversed(rates) if start <= step)


class Trainer:
    """Steps of one training; the batches follow from the seed and the step, so every step can be replayed.

    Examples
    --------
    >>> from plica.web._problem import problem_of
    >>> state = State(data="circles", widths=(8,))
    >>> trainer = Trainer(state, problem_of(state, lambda digest: b""))
    >>> moment, losses = trainer.run(trainer.start(), 50)
    >>> moment.step, losses[-1] < losses[0]
    (50, True)
    """

    def __init__(self, state: State, problem: Problem) -> None:
        self.state, self.problem = state, problem
        self.n_batches = -(-len(problem.points) // min(state.batch, len(problem.points)))
        self._shapes = [weight.shape for weight, _ in initial_layers(state, problem.n_inputs)]

    @cached_property
    def _reference(self) -> float:
        """The loss to compare with: of the start, or of targets of this size."""
        return max(1.0, self.loss(self.start()), float((self.problem.targets**2).mean()))

    def start(self) -> Moment:
        weights = flatten(initial_layers(self.state, self.problem.n_inputs))
        return Moment(0, weights, np.zeros_like(weights), np.zeros_like(weights))

    def layers(self, moment: Moment) -> list[Layer]:
        return unflatten(moment.weights, self._shapes)

    def loss(self, moment: Moment) -> float:
        """The loss on all points."""
        return self._gradient(moment.weights, self.problem.points, self.problem.targets, want_gradient=False)[0]

    def run(self, moment: Moment, until: int) -> tuple[Moment, list[float]]:
        """The training at a later step, and the loss of each batch on the way.

        Raises
        ------
        Diverged
            A loss or weight is not finite or beyond all bounds; the error carries the last good moment.
        """
        weights, first, second = moment.weights.copy(), moment.first.copy(), moment.second.copy()
        update = OPTIMIZERS[self.state.opt]
        losses: list[float] = []
        good = moment
        epoch, order = -1, np.zeros(0, dtype=np.intp)
        for step in range(moment.step, until):
            if step // self.n_batches != epoch:
                epoch = step // self.n_batches
                order = np.random.default_rng([self.state.seed, epoch]).permutation(len(self.problem.points))
            rows = order[step % self.n_batches :: self.n_batches]
            with np.errstate(all="ignore"):
                loss, gradient = self._gradient(weights, self.problem.points[rows], self.problem.targets[rows])
                if loss < GOOD * self._reference:
                    good = Moment(step, weights, first, second)
                change, first, second = update(gradient, first, second, step + 1)
                weights = weights - rate_at(self.state.rate, step) * change
            if not (loss < HUGE * self._reference and np.abs(weights).max() < HUGE):
                raise Diverged(step + 1, loss, rate_at(self.state.rate, step), good)
            losses.append(loss)
        return Moment(max(until, moment.step), weights, first, second), losses

    def _gradient(self, weights: Array, x: Array, y: Array, *, want_gradient: bool = True) -> tuple[float, Array]:
        layers = unflatten(weights, self._shapes)
        inputs, slopes = [x], []
        for (weight, bias), activation in zip(layers[:-1], self.state.activations, strict=True):
            value, slope = ACTIVATIONS[activation](inputs[-1] @ weight.T + bias)
            inputs.append(value)
            slopes.append(slope)
        out = (inputs[-1] @ layers[-1][0].T + layers[-1][1])[:, 0]
        loss, back = _logistic(out, y) if self.problem.is_classes else _squares(out, y)
        if not want_gradient:
            return loss, weights
        delta = back[:, None]
        parts: list[Array] = []
        for i in range(len(layers) - 1, -1, -1):
            parts = [(delta.T @ inputs[i]).ravel(), delta.sum(0), *parts]
            if i:
                delta = (delta @ layers[i][0]) * slopes[i - 1]
        return loss, np.concatenate(parts)


def flatten(layers: Sequence[Layer]) -> Array:
    return np.concatenate([part.ravel() for layer in layers for part in layer])


def unflatten(weights: Array, shapes: Sequence[tuple[int, ...]]) -> list[Layer]:
    layers, at = [], 0
    for n_out, n_in in shapes:
        end = at + n_out * n_in
        layers.append((weights[at:end].reshape(n_out, n_in), weights[end : end + n_out]))
        at = end + n_out
    return layers


def _logistic(out: Array, y: Array) -> tuple[float, Array]:
    """Mean of log(1 + exp(-s out)) with s = -1 or 1, and its derivative."""
    sign = 2 * y - 1
    margin = sign * out
    loss = float(np.logaddexp(0.0, -margin).mean())
    return loss, -sign / (1 + np.exp(np.clip(margin, -700, 700))) / len(y)


def _squares(out: Array, y: Array) -> tuple[float, Array]:
    difference = out - y
    return float((difference**2).mean()), 2 * difference / len(y)


def _rectifier(slope: float) -> Any:
    def apply(z: Array) -> tuple[Array, Array]:
        d = np.where(z > 0, 1.0, slope)
        return d * z, d

    return apply


def _hard_tanh(z: Array) -> tuple[Array, Array]:
    return np.clip(z, -1.0, 1.0), (np.abs(z) < 1) * 1.0


def _tanh(z: Array) -> tuple[Array, Array]:
    t = np.tanh(z)
    return t, 1 - t * t


ACTIVATIONS: dict[str, Any] = {
    "relu": _rectifier(0.0),
    "leaky-relu": _rectifier(LEAK),
    "abs": _rectifier(-1.0),
    "hard-tanh": _hard_tanh,
    "tanh": _tanh,
}


def _momentum(g: Array, m: Array, v: Array, t: int) -> tuple[Array, Array, Array]:
    m = 0.9 * m + g
    return m, m, v


def _nesterov(g: Array, m: Array, v: Array, t: int) -> tuple[Array, Array, Array]:
    m = 0.9 * m + g
    return g + 0.9 * m, m, v


def _adagrad(g: Array, m: Array, v: Array, t: int) -> tuple[Array, Array, Array]:
    v = v + g * g
    return g / (np.sqrt(v) + 1e-10), m, v


def _rmsprop(g: Array, m: Array, v: Array, t: int) -> tuple[Array, Array, Array]:
    v = 0.99 * v + 0.01 * g * g
    return g / (np.sqrt(v) + 1e-8), m, v


def _adam(g: Array, m: Array, v: Array, t: int) -> tuple[Array, Array, Array]:
    m, v = 0.9 * m + 0.1 * g, 0.999 * v + 0.001 * g * g
    return (m / (1 - 0.9**t)) / (np.sqrt(v / (1 - 0.999**t)) + 1e-8), m, v


OPTIMIZERS: dict[str, Any] = {
    "sgd": lambda g, m, v, t: (g, m, v),
    "momentum": _momentum,
    "nesterov": _nesterov,
    "adagrad": _adagrad,
    "rmsprop": _rmsprop,
    "adam": _adam,
}
