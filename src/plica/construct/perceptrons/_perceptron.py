"""Perceptrons: networks whose units are steps, sigmoids, cosines or exponentials, which no complex of cells can hold."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np

from plica._lazy import cached_property
from plica._types import Array
from plica.errors import InvalidInput, InvalidNetwork

if TYPE_CHECKING:
    import torch

Layer = tuple[Array, Array]


def _step(t: Array) -> Array:
    return (t >= 0).astype(np.float64)


def _sigmoid(t: Array) -> Array:
    e = np.exp(-np.abs(t))
    return np.where(t >= 0, 1.0, e) / (1.0 + e)


def _softplus(t: Array) -> Array:
    return np.logaddexp(0.0, t)


ACTIVATIONS: dict[str, Callable[[Array], Array]] = {
    "step": _step,
    "sigmoid": _sigmoid,
    "softplus": _softplus,
    "cos": np.cos,
    "exp": np.exp,
}


@dataclass(frozen=True, eq=False, repr=False)
class Perceptron:
    """A network of units s(w z + b) with one activation s; z holds the input and all units of the layers before.

    Steps jump and sigmoids, cosines and exponentials bend everywhere, so these networks have no cells and are no
    :class:`plica.Network`. A step is 1 where its argument is zero or more. Step networks are also evaluated in exact rationals.

    Parameters
    ----------
    n_inputs
        The dimension of the input.
    hidden
        A weight matrix and a bias for each layer; columns are the inputs, then the units of each layer before.
    output
        The affine map from the inputs and all units to the outputs.
    activation
        ``step``, ``sigmoid``, ``softplus``, ``cos`` or ``exp``.

    Examples
    --------
    >>> import numpy as np
    >>> p = Perceptron.shallow([[1.0], [1.0]], [0.0, -0.5], [1.0, 2.0], activation="step")
    >>> p(np.array([[-1.0], [0.25], [0.5]])).ravel()
    array([0., 1., 3.])
    """

    n_inputs: int
    hidden: tuple[Layer, ...]
    output: Layer
    activation: str
    name: str = ""

    def __post_init__(self) -> None:
        if self.activation not in ACTIVATIONS:
            raise InvalidInput(f"unknown activation {self.activation!r}.", hint=f"one of {', '.join(ACTIVATIONS)}")
        seen = self.n_inputs
        for k, (weight, bias) in enumerate((*self.hidden, self.output)):
            where = f"layer {k}" if k < len(self.hidden) else "the output"
            if weight.ndim != 2 or weight.shape[1] != seen or bias.shape != weight.shape[:1]:
                raise InvalidNetwork(f"{where} has weights {weight.shape} and biases {bias.shape}; it reads {seen} numbers.")
            if not (np.isfinite(weight).all() and np.isfinite(bias).all()):
                raise InvalidNetwork(f"{where} has weights that are not finite.")
            seen += len(bias)

    @staticmethod
    def shallow(
        weight: Any, bias: Any, coefficients: Any, *, activation: str, constant: float = 0.0, name: str = ""
    ) -> Perceptron:
        """One hidden layer and one output: constant + sum_k c_k s(w_k x + b_k)."""
        W, b, c = (np.asarray(a, dtype=np.float64) for a in (weight, bias, coefficients))
        if W.ndim != 2 or b.shape != c.shape or b.shape != (len(W),):
            raise InvalidInput(f"weights {W.shape}, biases {b.shape} and coefficients {c.shape} do not belong together.")
        out = np.concatenate([np.zeros(W.shape[1]), c])[None, :]
        return Perceptron(W.shape[1], ((W, b),), (out, np.array([float(constant)])), activation, name)

    @property
    def n_outputs(self) -> int:
        return len(self.output[1])

    @cached_property
    def widths(self) -> tuple[int, ...]:
        """Input size, units of each layer, output size."""
        return (self.n_inputs, *(len(b) for _, b in self.hidden), self.n_outputs)

    @property
    def layers(self) -> tuple[int, ...]:
        """The hidden layers, in order."""
        return tuple(range(len(self.hidden)))

    @property
    def n_neurons(self) -> int:
        """Number of units."""
        return sum(self.widths[1:-1])

    @property
    def n_weights(self) -> int:
        """Number of weights and biases that are not zero."""
        return sum(int(np.count_nonzero(a)) for layer in (*self.hidden, self.output) for a in layer)

    def __call__(self, x: Any) -> Array:
        """The network at one point or a batch of points, in float64."""
        x = np.asarray(x, dtype=np.float64)
        if x.shape[-1:] != (self.n_inputs,) or x.ndim > 2:
            raise InvalidInput(f"the network takes inputs of shape ({self.n_inputs},), got {x.shape}.")
        z, s = np.atleast_2d(x), ACTIVATIONS[self.activation]
        for weight, bias in self.hidden:
            z = np.hstack([z, s(z @ weight.T + bias)])
        y = z @ self.output[0].T + self.output[1]
        return y[0] if x.ndim == 1 else y

    def exact(self, x: Sequence[Fraction | int]) -> tuple[Fraction, ...]:
        """The outputs of a step network at a rational point, in exact rationals of the weights as stored."""
        if self.activation != "step":
            raise InvalidInput(f"units of kind {self.activation!r} have no rational values.", hint="only steps do")
        z = [Fraction(v) for v in x]
        if len(z) != self.n_inputs:
            raise InvalidInput(f"the network takes {self.n_inputs} numbers, got {len(z)}.")
        for layer in self.hidden:
            z += [Fraction(int(t >= 0)) for t in _affine(layer, z)]
        return tuple(_affine(self.output, z))

    def to_torch(self, dtype: torch.dtype | None = None) -> torch.nn.Module:
        """The same network as a torch module, float64 unless another dtype is given."""
        return _module(self, dtype)

    def __repr__(self) -> str:
        label = f" {self.name!r}" if self.name else ""
        return f"<Perceptron{label} of {self.activation} units {' -> '.join(map(str, self.widths))}, {self.n_weights} weights>"


def _affine(layer: Layer, z: Sequence[Fraction]) -> list[Fraction]:
    weight, bias = layer
    rows = []
    for w, b in zip(weight, bias, strict=True):
        rows.append(sum((Fraction(float(w[j])) * z[j] for j in map(int, np.flatnonzero(w))), Fraction(float(b))))
    return rows


def _module(network: Perceptron, dtype: torch.dtype | None) -> torch.nn.Module:
    import torch
    from torch import nn

    functions: dict[str, Callable[[torch.Tensor], torch.Tensor]] = {
        "step": lambda t: (t >= 0).to(t.dtype),
        "sigmoid": torch.sigmoid,
        "softplus": nn.functional.softplus,
        "cos": torch.cos,
        "exp": torch.exp,
    }
    s = functions[network.activation]

    class Module(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.layers = nn.ModuleList()
            for weight, bias in (*network.hidden, network.output):
                linear = nn.Linear(weight.shape[1], weight.shape[0], dtype=dtype or torch.float64)
                linear.weight.data.copy_(torch.from_numpy(weight))
                linear.bias.data.copy_(torch.from_numpy(bias))
                self.layers.append(linear)

        def forward(self, x: torch.Tensor) -> torch.Tensor:
            z = x
            for layer in self.layers[:-1]:
                z = torch.cat([z, s(layer(z))], dim=-1)
            out: torch.Tensor = self.layers[-1](z)
            return out

    return Module().eval()
