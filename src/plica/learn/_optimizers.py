"""Optimizers, each written out in the lines of its paper.

They keep their memory in plain lists of tensors, so that a checkpoint is data, and they import nothing: the first use of
``torch.optim`` imports torch's compiler, which takes a second.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, ClassVar

from plica.errors import InvalidInput

if TYPE_CHECKING:
    from torch import Tensor


@dataclass
class Optimizer:
    """Changes parameters along their gradients.

    ``slots`` is its memory: for each name one tensor per parameter. ``n_steps`` counts the steps made.
    """

    weight_decay: float = 0.0
    slots: dict[str, list[Tensor]] = field(default_factory=dict, repr=False)
    n_steps: int = 0

    names: ClassVar[tuple[str, ...]] = ()
    is_decoupled: ClassVar[bool] = False

    def __post_init__(self) -> None:
        for name, value in self.settings().items():
            if not isinstance(value, bool) and not 0 <= value < float("inf"):
                raise InvalidInput(f"{name} = {value} of {type(self).__name__}.", hint="a finite number that is not negative")

    def settings(self) -> dict[str, float]:
        """The numbers that choose it, for checkpoints."""
        return {k: v for k, v in vars(self).items() if k not in ("slots", "n_steps")}

    def start(self, parameters: Sequence[Tensor]) -> None:
        """Make the memory, empty."""
        import torch

        self.n_steps = 0
        self.slots = {name: [torch.zeros_like(p) for p in parameters] for name in self.names}

    def step(self, parameters: Sequence[Tensor], rate: float) -> None:
        """One step with the gradients that the parameters carry; those without one stay."""
        import torch

        self.n_steps += 1
        with torch.no_grad():
            self.prepare([p.grad for p in parameters if p.grad is not None])
            for i, p in enumerate(parameters):
                if p.grad is None:
                    continue
                g = p.grad
                if self.weight_decay and self.is_decoupled:
                    p.mul_(1 - rate * self.weight_decay)
                elif self.weight_decay:
                    g = g + self.weight_decay * p
                self.update(p, g, rate, [self.slots[name][i] for name in self.names])

    def prepare(self, gradients: Sequence[Tensor]) -> None:
        """What depends on all gradients at once."""

    def update(self, p: Tensor, g: Tensor, rate: float, memory: list[Tensor]) -> None:
        raise NotImplementedError


@dataclass
class SGD(Optimizer):
    """Stochastic gradient descent; with ``momentum`` Polyak's heavy ball or, with ``nesterov``, Nesterov's look ahead."""

    momentum: float = 0.0
    nesterov: bool = False

    names = ("velocity",)

    def update(self, p: Tensor, g: Tensor, rate: float, memory: list[Tensor]) -> None:
        (velocity,) = memory
        velocity.mul_(self.momentum).add_(g)
        p.sub_(rate * (g + self.momentum * velocity if self.nesterov else velocity))


@dataclass
class AdaGrad(Optimizer):
    """Duchi, Hazan and Singer 2011: each coordinate's rate is divided by the root of its sum of squared gradients."""

    epsilon: float = 1e-10

    names = ("sum",)

    def update(self, p: Tensor, g: Tensor, rate: float, memory: list[Tensor]) -> None:
        (total,) = memory
        total.addcmul_(g, g)
        p.sub_(rate * g / (total.sqrt() + self.epsilon))


@dataclass
class AdaGradNorm(Optimizer):
    """Ward, Wu and Bottou 2019: one rate for all, b_{k+1}^2 = b_k^2 + |G_k|^2 and a step of rate / b_{k+1}."""

    b0: float = 0.1

    names = ("norm",)

    def start(self, parameters: Sequence[Tensor]) -> None:
        import torch

        self.n_steps = 0
        self.slots = {"norm": [torch.tensor(self.b0**2, dtype=torch.float64)]}

    def prepare(self, gradients: Sequence[Tensor]) -> None:
        self.slots["norm"][0] += sum(float((g.double() ** 2).sum()) for g in gradients)

    def step(self, parameters: Sequence[Tensor], rate: float) -> None:
        import torch

        self.n_steps += 1
        with torch.no_grad():
            if self.weight_decay:
                for p in parameters:
                    if p.grad is not None:
                        p.grad = p.grad + self.weight_decay * p
            self.prepare([p.grad for p in parameters if p.grad is not None])
            b = float(self.slots["norm"][0]) ** 0.5
            for p in parameters:
                if p.grad is not None and b > 0:
                    p.sub_(rate / b * p.grad)


@dataclass
class RMSProp(Optimizer):
    """Hinton 2012: like AdaGrad, with a running mean of the squares."""

    decay: float = 0.99
    epsilon: float = 1e-8

    names = ("square",)

    def update(self, p: Tensor, g: Tensor, rate: float, memory: list[Tensor]) -> None:
        (square,) = memory
        square.mul_(self.decay).addcmul_(g, g, value=1 - self.decay)
        p.sub_(rate * g / (square.sqrt() + self.epsilon))


@dataclass
class Adam(Optimizer):
    """Kingma and Ba 2015, Algorithm 1."""

    beta1: float = 0.9
    beta2: float = 0.999
    epsilon: float = 1e-8

    names = ("mean", "square")

    def update(self, p: Tensor, g: Tensor, rate: float, memory: list[Tensor]) -> None:
        mean, square = memory
        mean.lerp_(g, 1 - self.beta1)
        square.mul_(self.beta2).addcmul_(g, g, value=1 - self.beta2)
        size = (square / (1 - self.beta2**self.n_steps)).sqrt_().add_(self.epsilon)
        p.addcdiv_(mean, size, value=-rate / (1 - self.beta1**self.n_steps))


@dataclass
class AdamW(Adam):
    """Loshchilov and Hutter 2019: Adam with weight decay beside the gradient, not inside it."""

    weight_decay: float = 0.01

    is_decoupled = True


OPTIMIZERS: dict[str, Callable[..., Optimizer]] = {
    "sgd": SGD,
    "momentum": lambda **options: SGD(**{"momentum": 0.9, **options}),
    "nesterov": lambda **options: SGD(**{"momentum": 0.9, "nesterov": True, **options}),
    "adagrad": AdaGrad,
    "adagrad-norm": AdaGradNorm,
    "rmsprop": RMSProp,
    "adam": Adam,
    "adamw": AdamW,
}


def make_optimizer(given: str | Optimizer) -> Optimizer:
    """An optimizer by its name, or the given one with its memory emptied by ``start``."""
    if isinstance(given, Optimizer):
        return given
    if given not in OPTIMIZERS:
        raise InvalidInput(
            f"unknown optimizer {given!r}.", hint=f"one of {', '.join(OPTIMIZERS)}, or plica.learn.Adam(beta1=0.8)"
        )
    return OPTIMIZERS[given]()
