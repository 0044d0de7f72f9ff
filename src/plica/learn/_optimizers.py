"""Optimizers, each written out in the lines of its paper.

The lines are plain arithmetic, so they move numpy arrays and torch tensors alike. Their memory is plain lists of either, so that
a checkpoint is data, and they import nothing: the first use of ``torch.optim`` imports torch's compiler, which takes a second.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field
from math import prod
from typing import Any, ClassVar

import numpy as np

from plica.errors import InvalidInput

_PART = 2**20  # entries that are moved at once: what an update makes on its way stays small

Vector = Any
"""A numpy array or a torch tensor; it is changed in place."""


@dataclass
class Optimizer:
    """Changes parameters along their gradients.

    ``slots`` is its memory: for each name one array per parameter. ``n_steps`` counts the steps made. ``decayed`` are ones and
    zeros for each parameter, where not all entries decay.
    """

    weight_decay: float = 0.0
    slots: dict[str, list[Vector]] = field(default_factory=dict, repr=False)
    n_steps: int = 0
    decayed: list[Vector] | None = field(default=None, repr=False)

    names: ClassVar[tuple[str, ...]] = ()
    is_decoupled: ClassVar[bool] = False

    def __post_init__(self) -> None:
        for name, value in self.settings().items():
            if not isinstance(value, bool) and not 0 <= value < float("inf"):
                raise InvalidInput(f"{name} = {value} of {type(self).__name__}.", hint="a finite number that is not negative")

    def settings(self) -> dict[str, float]:
        """The numbers that choose it, for checkpoints."""
        return {k: v for k, v in vars(self).items() if k not in ("slots", "n_steps", "decayed")}

    def start(self, parameters: Sequence[Vector]) -> None:
        """Make the memory, empty."""
        self.n_steps = 0
        with _unrecorded(parameters):
            self.slots = {name: [p * 0 for p in parameters] for name in self.names}

    def memory(self) -> list[Vector]:
        """Everything it remembers, in a fixed order."""
        return [part for name in sorted(self.slots) for part in self.slots[name]]

    def recall(self, memory: Sequence[Vector]) -> None:
        """The inverse of :meth:`memory`."""
        for ours, saved in zip(self.memory(), memory, strict=True):
            ours[...] = saved

    def step(self, parameters: Sequence[Vector], rate: float, gradients: Sequence[Vector | None] | None = None) -> None:
        """One step along the gradients, or those that the parameters carry as ``grad``; parameters without one stay."""
        given = [p.grad for p in parameters] if gradients is None else gradients
        self.n_steps += 1
        with _unrecorded(parameters):
            moved = [(i, p, g) for i, (p, g) in enumerate(zip(parameters, given, strict=True)) if g is not None]
            if self.weight_decay and not self.is_decoupled:
                moved = [(i, p, g + self._decay(i) * p) for i, p, g in moved]
            self.prepare([g for _, _, g in moved])
            for i, p, g in moved:
                shrunk = 1 - rate * self._decay(i) if self.weight_decay and self.is_decoupled else 1.0
                if not isinstance(shrunk, float):  # entry by entry
                    p *= shrunk
                for x, slope, *memory in _in_parts(p, g, [self.slots[name][i] for name in self.names]):
                    if isinstance(shrunk, float) and shrunk != 1:
                        x *= shrunk
                    self.update(x, slope, rate, memory)

    def _decay(self, i: int) -> Any:
        return self.weight_decay if self.decayed is None else self.weight_decay * self.decayed[i]

    def prepare(self, gradients: Sequence[Vector]) -> None:
        """What depends on all gradients at once."""

    def update(self, p: Vector, g: Vector, rate: float, memory: list[Vector]) -> None:
        raise NotImplementedError


def _in_parts(p: Vector, g: Vector, memory: list[Vector]) -> Iterator[list[Vector]]:
    """Very long ones in parts, so that what is made on the way needs little memory."""
    n = prod(p.shape)
    if n <= _PART or not all(map(_lies_in_a_row, [p, *memory])):
        yield [p, g, *memory]
        return
    flat = [array.reshape(-1) for array in (p, g, *memory)]
    for start in range(0, n, _PART):
        yield [array[start : start + _PART] for array in flat]


def _lies_in_a_row(array: Vector) -> bool:
    return bool(array.flags.c_contiguous if isinstance(array, np.ndarray) else array.is_contiguous())


def _unrecorded(parameters: Sequence[Vector]) -> AbstractContextManager[Any]:
    """Torch does not follow what is done to its tensors here."""
    if all(isinstance(p, np.ndarray) for p in parameters):
        return nullcontext()
    import torch

    return torch.no_grad()


@dataclass
class SGD(Optimizer):
    """Stochastic gradient descent; with ``momentum`` Polyak's heavy ball or, with ``nesterov``, Nesterov's look ahead."""

    momentum: float = 0.0
    nesterov: bool = False

    names = ("velocity",)

    def update(self, p: Vector, g: Vector, rate: float, memory: list[Vector]) -> None:
        (velocity,) = memory
        velocity *= self.momentum
        velocity += g
        p -= rate * (g + self.momentum * velocity if self.nesterov else velocity)


@dataclass
class AdaGrad(Optimizer):
    """Duchi, Hazan and Singer 2011: each coordinate's rate is divided by the root of its sum of squared gradients."""

    epsilon: float = 1e-10

    names = ("sum",)

    def update(self, p: Vector, g: Vector, rate: float, memory: list[Vector]) -> None:
        (total,) = memory
        total += g * g
        p -= rate * g / (total**0.5 + self.epsilon)


@dataclass
class AdaGradNorm(Optimizer):
    """Ward, Wu and Bottou 2019: one rate for all, b_{k+1}^2 = b_k^2 + |G_k|^2 and a step of rate / b_{k+1}."""

    b0: float = 0.1

    def start(self, parameters: Sequence[Vector]) -> None:
        self.n_steps = 0
        self.slots = {"norm": [np.array([self.b0**2])]}

    def prepare(self, gradients: Sequence[Vector]) -> None:
        self.slots["norm"][0] += sum(float((g * g).sum()) for g in gradients)

    def update(self, p: Vector, g: Vector, rate: float, memory: list[Vector]) -> None:
        b = float(self.slots["norm"][0][0]) ** 0.5
        if b > 0:
            p -= rate / b * g


@dataclass
class RMSProp(Optimizer):
    """Hinton 2012: like AdaGrad, with a running mean of the squares."""

    decay: float = 0.99
    epsilon: float = 1e-8

    names = ("square",)

    def update(self, p: Vector, g: Vector, rate: float, memory: list[Vector]) -> None:
        (square,) = memory
        square *= self.decay
        square += (1 - self.decay) * (g * g)
        p -= rate * g / (square**0.5 + self.epsilon)


@dataclass
class Adam(Optimizer):
    """Kingma and Ba 2015, Algorithm 1."""

    beta1: float = 0.9
    beta2: float = 0.999
    epsilon: float = 1e-8

    names: ClassVar[tuple[str, ...]] = ("mean", "square")

    def update(self, p: Vector, g: Vector, rate: float, memory: list[Vector]) -> None:
        mean, square = memory
        self.remember(mean, square, g)
        self.move(p, mean, square, rate)

    def remember(self, mean: Vector, square: Vector, g: Vector) -> None:
        """The running means of the gradient and of its square."""
        mean *= self.beta1
        mean += (1 - self.beta1) * g
        squared = g * g
        squared *= 1 - self.beta2
        square *= self.beta2
        square += squared

    def move(self, p: Vector, mean: Vector, square: Vector, rate: float) -> None:
        """A step along the mean, without its bias, divided by the root of the square without its own."""
        size = square / (1 - self.beta2**self.n_steps)
        size **= 0.5
        size += self.epsilon
        step = mean / size
        step *= rate / (1 - self.beta1**self.n_steps)
        p -= step


@dataclass
class AdamW(Adam):
    """Loshchilov and Hutter 2019: Adam with weight decay beside the gradient, not inside it."""

    weight_decay: float = 0.01

    is_decoupled = True


@dataclass
class AMSGrad(Adam):
    """Reddi, Kale and Kumar 2018: Adam whose denominators never fall, so that no large gradient is forgotten."""

    names: ClassVar[tuple[str, ...]] = ("mean", "square", "largest")

    def update(self, p: Vector, g: Vector, rate: float, memory: list[Vector]) -> None:
        mean, square, largest = memory
        self.remember(mean, square, g)
        largest += (square - largest) * (square > largest)
        self.move(p, mean, largest, rate)


OPTIMIZERS: dict[str, Callable[..., Optimizer]] = {
    "sgd": SGD,
    "momentum": lambda **options: SGD(**{"momentum": 0.9, **options}),
    "nesterov": lambda **options: SGD(**{"momentum": 0.9, "nesterov": True, **options}),
    "adagrad": AdaGrad,
    "adagrad-norm": AdaGradNorm,
    "rmsprop": RMSProp,
    "adam": Adam,
    "adamw": AdamW,
    "amsgrad": AMSGrad,
}


def make_optimizer(given: str | Optimizer) -> Optimizer:
    """An optimizer by its name, or the given one.

    >>> make_optimizer("nesterov")
    SGD(weight_decay=0.0, n_steps=0, momentum=0.9, nesterov=True)
    """
    if isinstance(given, Optimizer):
        return given
    if given not in OPTIMIZERS:
        raise InvalidInput(
            f"unknown optimizer {given!r}.", hint=f"one of {', '.join(OPTIMIZERS)}, or plica.learn.Adam(beta1=0.8)"
        )
    return OPTIMIZERS[given]()
