"""The parameters of a module as one vector: an optimizer then makes a dozen operations for all layers together."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from torch import Tensor


class Flat:
    """``weights`` is a copy of all parameters in a row; ``write`` puts it into them."""

    def __init__(self, parameters: Sequence[Tensor]) -> None:
        import torch

        self.parameters = parameters
        self._sizes = [p.numel() for p in parameters]
        self.weights = torch.cat([p.detach().reshape(-1) for p in parameters])

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

    def gradient(self) -> Tensor:
        """All gradients in a row, 0 where there is none."""
        import torch

        return torch.cat([torch.zeros_like(p).reshape(-1) if p.grad is None else p.grad.reshape(-1) for p in self.parameters])
