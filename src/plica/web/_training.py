"""Training that can be stepped, replayed and continued: a pure function of the state.

The networks are small and the workers start without torch, so the gradient is the one written out in numpy.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from plica._lazy import cached_property
from plica._types import Array
from plica.errors import InvalidInput
from plica.learn import BatchSampler, Dense, Stepper, make_optimizer
from plica.web._features import Features
from plica.web._fields_training import Rates
from plica.web._layers import LEAK, Layer, initial_layers
from plica.web._problem import Problem
from plica.web._state import State

HUGE = 1e8
"""A loss beyond so many times that of the start, or a weight beyond it, is a divergence."""
GOOD = 100.0
"""A loss below so many times that of the start is worth going back to."""


@dataclass(frozen=True, eq=False)
class Checkpoint:
    """A training at one step: weights and the optimizer's memory, vectors of one size."""

    step: int
    weights: Array
    memory: tuple[Array, ...]

    def to_bytes(self) -> bytes:
        return np.concatenate([[float(self.step), 1.0 + len(self.memory)], self.weights, *self.memory]).tobytes()

    @staticmethod
    def from_bytes(data: bytes) -> Checkpoint:
        values = np.frombuffer(data, dtype=np.float64)
        weights, *memory = np.split(values[2:].copy(), int(values[1]))
        return Checkpoint(int(values[0]), weights, tuple(memory))


class Diverged(InvalidInput):
    """The loss or a weight grew beyond all bounds; ``checkpoint`` is the last good one."""

    def __init__(self, step: int, loss: float, rate: float, checkpoint: Checkpoint) -> None:
        shown = f"{loss:.3g}" if math.isfinite(loss) else "not a number"
        super().__init__(
            f"the training diverged at step {step}: the loss is {shown}. "
            f"With the learning rate {rate:g} each step overshoots the valley by more than the last.",
            hint=f"go back to step {checkpoint.step} with a learning rate of {rate / 10:g}",
        )
        self.step, self.rate, self.checkpoint = step, rate, checkpoint


def rate_at(rates: Rates, step: int) -> float:
    """The learning rate of the step that follows ``step`` steps.

    >>> rate_at(((0, 0.1), (50, 0.01)), 49), rate_at(((0, 0.1), (50, 0.01)), 50)
    (0.1, 0.01)
    """
    return next(rate for start, rate in reversed(rates) if start <= step)


def dense_network(layers: Sequence[Layer], activations: Sequence[str], loss: str = "squared") -> Dense:
    """Layers with the explorer's activations."""
    return Dense(layers, activations, loss=loss, leak=LEAK)


class Trainer:
    """Steps of one training; the batches follow from the seed and the step, so every step can be replayed.

    Examples
    --------
    >>> from plica.web._problem import problem_of
    >>> state = State(data="circles", widths=(8,))
    >>> trainer = Trainer(state, problem_of(state, lambda digest: b""))
    >>> checkpoint, losses = trainer.run(trainer.start(), 50)
    >>> checkpoint.step, losses[-1] < losses[0]
    (50, True)
    """

    def __init__(self, state: State, problem: Problem) -> None:
        self.state = state
        targets = problem.targets[:, None] if problem.n_outputs == 1 else np.eye(problem.n_outputs)[problem.targets.astype(int)]
        self.features = Features.of(state.features, problem.n_inputs) if state.features else None
        points = problem.points if self.features is None else self.features(problem.points)
        self.points, self.targets = points[problem.taught], targets[problem.taught]
        self.held = points[problem.held], targets[problem.held]
        self.sampler = BatchSampler(len(self.points), min(state.batch, len(self.points)), seed=state.seed)
        self._initial = initial_layers(state, points.shape[1], problem.n_outputs)
        self._loss = "cross-entropy" if problem.n_outputs > 1 else "logistic" if problem.is_classes else "squared"

    def _dense(self, checkpoint: Checkpoint | None = None) -> Dense:
        dense = dense_network(self._initial, self.state.activations, self._loss)
        if checkpoint is not None:
            dense.weights[:] = checkpoint.weights
        return dense

    @cached_property
    def _reference(self) -> float:
        """The loss to compare with: of the start, or of targets of this size."""
        return max(1.0, self.loss(self.start()), float((self.targets**2).mean()))

    def start(self) -> Checkpoint:
        """The training before its first step."""
        dense, optimizer = self._dense(), make_optimizer(self.state.opt)
        optimizer.start([dense.weights])
        return _checkpoint(0, dense, optimizer.memory())

    def layers(self, checkpoint: Checkpoint) -> list[Layer]:
        """The network as one of the inputs: with the layer of its features, if it has some."""
        layers = self._dense(checkpoint).layers
        return layers if self.features is None else self.features.before(layers)

    def loss(self, checkpoint: Checkpoint) -> float:
        """The loss on all points that are learned from."""
        return self._dense(checkpoint).loss(self.points, self.targets)

    def held_loss(self, checkpoint: Checkpoint) -> float | None:
        """The loss on the points that are held out, if there are any."""
        return self._dense(checkpoint).loss(*self.held) if len(self.held[0]) else None

    def penalty(self, dense: Dense) -> Array:
        """The derivative of the penalty on the weights; biases go free."""
        parts = [np.sign(weight) if self.state.reg == "l1" else weight for weight, _ in dense.layers]
        free = [np.zeros_like(bias) for _, bias in dense.layers]
        return self.state.decay * np.concatenate([x.ravel() for pair in zip(parts, free, strict=True) for x in pair])

    def run(self, checkpoint: Checkpoint, until: int) -> tuple[Checkpoint, list[float]]:
        """The training at a later step, and the loss of each batch on the way.

        Raises
        ------
        Diverged
            A loss or weight is not finite or beyond all bounds; the error carries the last good checkpoint.
        """
        dense, optimizer = self._dense(checkpoint), make_optimizer(self.state.opt)

        def gradient(step: int) -> tuple[float, list[Array]]:
            rows = self.sampler.rows(step)
            loss, (slope,) = dense.gradient(self.points[rows], self.targets[rows])
            return loss, [slope if self.state.reg == "none" else slope + self.penalty(dense)]

        stepper = Stepper([dense.weights], gradient, optimizer=optimizer, rate=lambda step: rate_at(self.state.rate, step))
        stepper.resume(checkpoint.step, checkpoint.memory)
        losses: list[float] = []
        good = checkpoint
        with np.errstate(all="ignore"):
            for step in range(checkpoint.step, until):
                before = _checkpoint(step, dense, optimizer.memory())
                loss = stepper.advance()
                if loss < GOOD * self._reference:
                    good = before
                if not (loss < HUGE * self._reference and np.abs(dense.weights).max() < HUGE):
                    raise Diverged(step + 1, loss, rate_at(self.state.rate, step), good)
                losses.append(loss)
        return _checkpoint(max(until, checkpoint.step), dense, optimizer.memory()), losses


def _checkpoint(step: int, dense: Dense, memory: Sequence[Array]) -> Checkpoint:
    return Checkpoint(step, dense.weights.copy(), tuple(part.copy() for part in memory))
