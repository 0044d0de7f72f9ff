"""The parameters of a module as an optimizer moves them: as one vector, or each by itself where copies would cost more."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from torch import Tensor

_LONG = 2**16  # entries of a parameter, on average, from which on copying it costs more than a few operations for each


def moved_as_one(parameters: Sequence[Tensor]) -> bool:
    """Whether an optimizer is faster with all parameters in a row."""
    return sum(p.numel() for p in parameters) < _LONG * len(parameters) or len({p.dtype for p in parameters}) > 1


class Flat:
    """``weights`` is a copy of all parameters in a row: an optimizer then makes a dozen operations for all layers together."""

    def __init__(self, parameters: Sequence[Tensor]) -> None:
        import torch

        self.parameters = parameters
        self._sizes = [p.numel() for p in parameters]
        self.weights = torch.cat([p.detach().reshape(-1) for p in parameters])
        self._gradients, self._spare = torch.empty_like(self.weights), [torch.empty_like(self.weights) for _ in range(2)]

    @property
    def moved(self) -> list[Tensor]:
        """What the optimizer changes."""
        return [self.weights]

    def gradients(self) -> list[Tensor]:
        """All gradients in a row, 0 where there is none; the next call writes over them."""
        import torch

        parts = [torch.zeros_like(p).reshape(-1) if p.grad is None else p.grad.reshape(-1) for p in self.parameters]
        return [torch.cat(parts, out=self._gradients)]

    def kept(self) -> list[Tensor]:
        """A copy of the weights, to go back to; the call after the next writes over it."""
        self._spare.reverse()
        return [self._spare[0].copy_(self.weights)]

    def go_back(self, kept: Sequence[Tensor]) -> None:
        self.weights.copy_(kept[0])
        for part, p in zip(self.weights.split(self._sizes), self.parameters, strict=True):
            p.data.copy_(part.view_as(p))

    def read(self) -> None:
        """Take the parameters as they are."""
        for part, p in zip(self.weights.split(self._sizes), self.parameters, strict=True):
            part.copy_(p.detach().reshape(-1))

    def write(self) -> None:
        """Put the vector into the parameters; those that have no gradient keep what they have."""
        for part, p in zip(self.weights.split(self._sizes), self.parameters, strict=True):
            if p.grad is None:
                part.copy_(p.detach().reshape(-1))
            else:
                p.data.copy_(part.view_as(p))

    def where(self, chosen: Callable[[Tensor], bool]) -> list[Any]:
        """Ones for the entries of some parameters, zeros for the others."""
        import torch

        return [torch.cat([torch.full((p.numel(),), float(chosen(p)), dtype=self.weights.dtype) for p in self.parameters])]


class Loose(Flat):
    """The parameters themselves: for optimizers that hold them in groups of their own, and for long ones."""

    def __init__(self, parameters: Sequence[Tensor]) -> None:
        import torch

        self.parameters = parameters
        self._spares = [[torch.empty_like(p, requires_grad=False) for p in parameters] for _ in range(2)]
        self._resting: list[tuple[Tensor, Tensor]] = []  # those without a gradient, and what they hold

    @property
    def moved(self) -> list[Tensor]:
        return list(self.parameters)

    def gradients(self) -> list[Tensor]:
        import torch

        self._resting = [(p, p.detach().clone()) for p in self.parameters if p.grad is None]
        return [torch.zeros_like(p) if p.grad is None else p.grad for p in self.parameters]

    def kept(self) -> list[Tensor]:
        import torch

        self._spares.reverse()
        with torch.no_grad():
            torch._foreach_copy_(self._spares[0], list(self.parameters))
        return self._spares[0]

    def go_back(self, kept: Sequence[Tensor]) -> None:
        for p, before in zip(self.parameters, kept, strict=True):
            p.data.copy_(before)

    def read(self) -> None:
        """Nothing is copied."""

    def write(self) -> None:
        """Those that have no gradient keep what they have."""
        for p, before in self._resting:
            p.data.copy_(before)

    def where(self, chosen: Callable[[Tensor], bool]) -> list[Any]:
        """One for some parameters, zero for the others."""
        return [float(chosen(p)) for p in self.parameters]
