"""Deep Sets: functions of sets, by layers that commute with permutations and a sum."""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor, nn

from plica.errors import InvalidInput
from plica.models._config import Config, positive
from plica.models._model import Model


class EquivariantLayer(nn.Module):
    r"""X' = X L + (1/n) 1 1^T X G + 1 b^T: every affine map that commutes with permutations has this form [zaheer2017]_.

    Elements that are not ``visible`` do not enter the mean.
    """

    def __init__(self, d_in: int, d_out: int) -> None:
        super().__init__()
        self.own = nn.Linear(d_in, d_out)
        self.mean = nn.Linear(d_in, d_out, bias=False)

    def forward(self, x: Tensor, visible: Tensor | None = None) -> Tensor:
        out: Tensor = self.own(x) + self.mean(average(x, visible))[:, None]
        return out


def average(x: Tensor, visible: Tensor | None) -> Tensor:
    """The mean over the visible elements of sets (B, n, d); 0 for an empty set."""
    if visible is None:
        return x.mean(1)
    share = visible.to(x.dtype)[:, :, None]
    return (x * share).sum(1) / share.sum(1).clamp(min=1)


def check_set(x: Tensor, visible: Tensor | None, d: int) -> None:
    """Refuse what is not a batch of sets (B, n, d) with a mask (B, n)."""
    if x.dim() != 3 or x.shape[2] != d or x.shape[1] == 0:
        raise InvalidInput(f"sets of shape {tuple(x.shape)}.", hint=f"expected (batch, elements, {d})")
    if visible is not None and (visible.dtype != torch.bool or visible.shape != x.shape[:2]):
        raise InvalidInput(
            f"a mask of shape {tuple(visible.shape)} and type {visible.dtype}.", hint="booleans (batch, elements), True = present"
        )


@dataclass(frozen=True)
class DeepSetsConfig(Config):
    """``n_layers`` equivariant layers with ReLU, then the average (or the sum) and an MLP."""

    d_in: int
    d_out: int
    d_hidden: int = 64
    n_layers: int = 2
    sum: bool = False

    def problems(self) -> list[tuple[str, str]]:
        return positive(d_in=self.d_in, d_out=self.d_out, d_hidden=self.d_hidden, n_layers=self.n_layers)


class DeepSets(Model[DeepSetsConfig]):
    """rho(sum of phi(x)), where phi may look at the whole set [zaheer2017]_.

    Examples
    --------
    >>> model, x = DeepSets(DeepSetsConfig(2, 1)).double(), torch.rand(1, 5, 2).double()
    >>> torch.allclose(model(x), model(x.flip(1)))
    True
    """

    Config = DeepSetsConfig

    def __init__(self, config: DeepSetsConfig) -> None:
        super().__init__(config)
        c = config
        self.layers = nn.ModuleList(EquivariantLayer(c.d_hidden if i else c.d_in, c.d_hidden) for i in range(c.n_layers))
        self.output = nn.Sequential(nn.Linear(c.d_hidden, c.d_hidden), nn.ReLU(), nn.Linear(c.d_hidden, c.d_out))

    def forward(self, x: Tensor, visible: Tensor | None = None) -> Tensor:
        """(B, d_out) for sets (B, n, d_in), of which only the ``visible`` (B, n) elements count."""
        check_set(x, visible, self.config.d_in)
        for layer in self.layers:
            x = torch.relu(layer(x, visible))
        pooled = average(x, visible)
        if self.config.sum:
            n = torch.full_like(pooled[:, :1], x.shape[1]) if visible is None else visible.sum(1, keepdim=True).to(x.dtype)
            pooled = pooled * n
        out: Tensor = self.output(pooled)
        return out
