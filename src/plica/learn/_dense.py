"""Fully connected networks in numpy, their loss and its gradient written out: training that needs no torch."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

import numpy as np

from plica._types import Array
from plica.errors import InvalidInput

if TYPE_CHECKING:
    from plica.network import Network

Layer = tuple[Array, Array]
"""Weights (out, in) and biases."""


class Dense:
    """Layers whose numbers are one vector, ``weights``, for a :class:`Stepper` to change.

    Parameters
    ----------
    layers
        Weights (out, in) and biases of each layer; they are copied.
    activations
        One for each layer but the last: ``"relu"``, ``"leaky-relu"``, ``"abs"``, ``"hard-tanh"``, ``"tanh"``.
    loss
        ``"squared"``, ``"absolute"`` or, for labels 0 and 1 and one output, ``"logistic"``, for rows that are one
        at their class ``"cross-entropy"``; all are means over points.
    leak
        The slope of leaky ReLUs where they are negative.

    Examples
    --------
    >>> import numpy as np
    >>> from plica.learn import Adam, Dense, Stepper
    >>> x = np.linspace(-1, 1, 9)[:, None]
    >>> dense = Dense([(np.ones((2, 1)), np.array([0.5, -0.5])), (np.ones((1, 2)), np.zeros(1))], ["relu"])
    >>> stepper = Stepper([dense.weights], lambda step: dense.gradient(x, x**2), optimizer=Adam(), rate=lambda step: 0.1)
    >>> losses = [stepper.advance() for _ in range(200)]
    >>> losses[-1] < 0.2 * losses[0]
    True
    """

    def __init__(self, layers: Sequence[Layer], activations: Sequence[str], *, loss: str = "squared", leak: float = 0.1) -> None:
        known = {**ACTIVATIONS, "leaky-relu": _rectifier(leak)}
        wrong = [name for name in activations if name not in known]
        if wrong or loss not in LOSSES or len(activations) != len(layers) - 1:
            raise InvalidInput(
                f"{len(layers)} layers with activations {', '.join(activations) or 'none'} and the loss {loss!r}.",
                hint=f"one activation between two layers, of {', '.join(known)}; a loss of {', '.join(LOSSES)}",
            )
        self.activations = tuple(activations)
        self._functions, self._loss = [known[name] for name in activations], LOSSES[loss]
        self._shapes = [weight.shape for weight, _ in layers]
        self.weights = np.concatenate([np.asarray(part, dtype=np.float64).ravel() for layer in layers for part in layer])

    @property
    def layers(self) -> list[Layer]:
        """Weights and biases: views of the vector."""
        layers, at = [], 0
        for n_out, n_in in self._shapes:
            end = at + n_out * n_in
            layers.append((self.weights[at:end].reshape(n_out, n_in), self.weights[end : end + n_out]))
            at = end + n_out
        return layers

    def stages(self, x: Array) -> list[Array]:
        """The points, what each activation makes of them, and the output."""
        return self._forward(x)[0]

    def loss(self, x: Array, y: Array) -> float:
        """The mean loss of the outputs against targets of their shape."""
        return self._loss(self.stages(x)[-1], y)[0]

    def gradient(self, x: Array, y: Array) -> tuple[float, list[Array]]:
        """The loss, and its derivative by ``weights`` as a list of one vector."""
        stages, slopes = self._forward(x)
        loss, delta = self._loss(stages[-1], y)
        layers, parts = self.layers, list[Array]()
        for i in range(len(layers) - 1, -1, -1):
            parts = [(delta.T @ stages[i]).ravel(), delta.sum(0), *parts]
            if i:
                delta = (delta @ layers[i][0]) * slopes[i - 1]
        return loss, [np.concatenate(parts)]

    def network(self) -> Network:
        """The exact network that ReLU layers are now."""
        from plica.network import Linear, Network, Op, Rectifier

        if any(name != "relu" for name in self.activations):
            raise InvalidInput(f"activations {', '.join(self.activations)} are not all ReLU.", hint="only ReLU layers")
        ops: list[Op] = []
        for weight, bias in self.layers:
            ops += [*([Rectifier()] if ops else []), Linear(weight.copy(), bias.copy())]
        return Network.sequential(int(self._shapes[0][1]), ops)

    def _forward(self, x: Array) -> tuple[list[Array], list[Array]]:
        """The stages, and the slopes of the activations on the way."""
        *hidden, (last, shift) = self.layers
        stages, slopes = [x], []
        for (weight, bias), activation in zip(hidden, self._functions, strict=True):
            value, slope = activation(stages[-1] @ weight.T + bias)
            stages.append(value)
            slopes.append(slope)
        return [*stages, stages[-1] @ last.T + shift], slopes


def _logistic(out: Array, y: Array) -> tuple[float, Array]:
    """Mean of log(1 + exp(-s out)) with s = -1 or 1, and its derivative."""
    sign = 2 * y - 1
    margin = sign * out
    loss = float(np.logaddexp(0.0, -margin).mean())
    return loss, -sign / (1 + np.exp(np.clip(margin, -700, 700))) / len(y)


def _cross_entropy(out: Array, y: Array) -> tuple[float, Array]:
    """Mean of -sum_k y_k log softmax(out)_k for rows y that are one at their class, and its derivative."""
    shifted = out - out.max(axis=1, keepdims=True)
    total = np.exp(shifted).sum(axis=1, keepdims=True)
    loss = float((np.log(total[:, 0]) - (shifted * y).sum(axis=1)).mean())
    return loss, (np.exp(shifted) / total - y) / len(y)


def _squared(out: Array, y: Array) -> tuple[float, Array]:
    difference = out - y
    return float((difference**2).mean()), 2 * difference / difference.size


def _absolute(out: Array, y: Array) -> tuple[float, Array]:
    difference = out - y
    return float(np.abs(difference).mean()), np.sign(difference) / difference.size


LOSSES: dict[str, Callable[[Array, Array], tuple[float, Array]]] = {
    "squared": _squared,
    "absolute": _absolute,
    "logistic": _logistic,
    "cross-entropy": _cross_entropy,
}


def _rectifier(slope: float) -> Callable[[Array], tuple[Array, Array]]:
    def apply(z: Array) -> tuple[Array, Array]:
        d = np.where(z > 0, 1.0, slope)
        return d * z, d

    return apply


def _hard_tanh(z: Array) -> tuple[Array, Array]:
    return np.clip(z, -1.0, 1.0), (np.abs(z) < 1) * 1.0


def _tanh(z: Array) -> tuple[Array, Array]:
    t = np.tanh(z)
    return t, 1 - t * t


ACTIVATIONS: dict[str, Callable[[Array], tuple[Array, Array]]] = {
    "relu": _rectifier(0.0),
    "abs": _rectifier(-1.0),
    "hard-tanh": _hard_tanh,
    "tanh": _tanh,
}
