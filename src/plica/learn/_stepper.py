"""One step of a training: gradient, length, optimizer. Every training in Plica is made of it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import inf, isfinite
from typing import Any

from plica.learn._optimizers import Optimizer
from plica.learn._state import are_finite

Rate = Callable[[int], float]
"""From the number of a step, counted from 0, to the learning rate of that step."""

Gradient = Callable[[int], tuple[float, Sequence[Any]]]
"""From the number of a step to the loss of its batch and the gradients of all parameters, at the parameters as they are."""


class Stepper:
    """Changes arrays or tensors in place, step by step.

    What a step does depends on the parameters, the optimizer's memory and the number of the step alone: put these back and
    the steps that follow are the same, bit for bit.

    Parameters
    ----------
    parameters
        Numpy arrays or torch tensors; they are changed in place.
    gradient
        The loss and the gradients for the batch of a step.
    optimizer, rate
        How a gradient becomes a step, and how long it is.
    clip_norm
        Gradients longer than this are shortened to it.

    Examples
    --------
    >>> import numpy as np
    >>> from plica.learn import SGD, Stepper
    >>> x = np.array([4.0])
    >>> stepper = Stepper([x], lambda step: (float(x @ x), [2 * x]), optimizer=SGD(), rate=lambda step: 0.25)
    >>> [stepper.advance() for _ in range(3)], x
    ([16.0, 4.0, 1.0], array([0.5]))
    """

    def __init__(
        self,
        parameters: Sequence[Any],
        gradient: Gradient,
        *,
        optimizer: Optimizer,
        rate: Rate,
        clip_norm: float | None = None,
    ) -> None:
        self.parameters, self.gradient = parameters, gradient
        self.optimizer, self.rate, self.clip_norm = optimizer, rate, clip_norm
        self.step = 0
        optimizer.start(parameters)

    def resume(self, step: int, memory: Sequence[Any]) -> None:
        """Go on from a step with what ``optimizer.memory()`` gave there; the parameters are put back by the caller."""
        self.step = self.optimizer.n_steps = step
        self.optimizer.recall(memory)

    def advance(self) -> float:
        """Make a step and return the loss before it.

        Where the loss or a gradient is not finite, nothing is changed and the loss is returned as NaN or infinity.
        """
        loss, gradients = self.gradient(self.step)
        if not isfinite(loss):
            return loss
        if not gradients or not are_finite(gradients):
            return inf
        if self.clip_norm is not None:
            norm = float(sum((g * g).sum() for g in gradients)) ** 0.5
            if norm > self.clip_norm:
                gradients = [g * (self.clip_norm / norm) for g in gradients]
        self.optimizer.step(self.parameters, self.rate(self.step), gradients)
        self.step += 1
        return loss
