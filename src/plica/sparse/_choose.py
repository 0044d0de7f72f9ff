"""From scores to masks: which weights have the largest scores, of all or of each layer."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from plica.errors import InvalidInput

if TYPE_CHECKING:
    from torch import Tensor

    from plica.sparse._masks import Masks


def count_kept(density: float, n: int) -> int:
    """How many of n weights a density keeps: the nearest number, ties to even.

    Examples
    --------
    >>> count_kept(0.05, 266_200), count_kept(0.0, 10), count_kept(1.0, 10)
    (13310, 0, 10)
    """
    if not 0 <= density <= 1:
        raise InvalidInput(f"density = {density}.", hint="the share of weights that stay, from 0 to 1")
    return round(density * n)


def keep_largest(scores: Mapping[str, Tensor], density: float | Mapping[str, float]) -> Masks:
    """Masks of the largest scores: a share of all of them together, or of each parameter the share with its name.

    Of equal scores the earlier ones stay, so that the numbers are always right.

    Examples
    --------
    >>> import torch
    >>> scores = {"a": torch.tensor([1.0, 4.0]), "b": torch.tensor([3.0, 2.0])}
    >>> keep_largest(scores, 0.5)
    {'a': tensor([False,  True]), 'b': tensor([ True, False])}
    >>> keep_largest(scores, {"a": 1.0, "b": 0.0})
    {'a': tensor([True, True]), 'b': tensor([False, False])}
    """
    import torch

    if any(bool((torch.isnan(s) | (s == torch.inf)).any()) for s in scores.values()):
        raise InvalidInput("a score is NaN or infinite.", hint="the weights or gradients have overflowed")
    if isinstance(density, Mapping):
        if set(density) != set(scores):
            raise InvalidInput(f"densities for {sorted(density)}, scores for {sorted(scores)}.", hint="one for each parameter")
        return {name: _largest(s.reshape(-1), count_kept(density[name], s.numel())).view(s.shape) for name, s in scores.items()}
    flat = torch.cat([s.reshape(-1) for s in scores.values()])
    parts = _largest(flat, count_kept(density, len(flat))).split([s.numel() for s in scores.values()])
    return {name: part.view(s.shape).clone() for (name, s), part in zip(scores.items(), parts, strict=True)}


def _largest(flat: Tensor, n: int) -> Tensor:
    import torch

    mask = torch.zeros(len(flat), dtype=torch.bool)
    mask[torch.argsort(flat, descending=True, stable=True)[:n]] = True
    return mask
