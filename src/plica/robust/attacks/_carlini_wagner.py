r"""Carlini and Wagner's l2 attack (2017): small distance and a negative margin in one objective.

Minimizes :math:`\|x'-x\|_2^2 + c\max(\text{margin}(x') + \kappa, 0)` with Adam; c is searched by bisection for each input. With
limits, the search runs in the variable :math:`\operatorname{artanh}` of the scaled input, so that every point is inside.
"""

from __future__ import annotations

import torch
from torch import Tensor

from plica.robust.attacks._scores import Model, Range, check, margins


def carlini_wagner(
    model: Model,
    x: Tensor,
    labels: Tensor,
    *,
    n_steps: int = 200,
    searches: int = 6,
    rate: float = 0.01,
    confidence: float = 0.0,
    limits: Range = None,
) -> Tensor:
    """The nearest input of another class that was seen on the way; the input itself where none was."""
    check(x, labels)
    low, high = torch.zeros(len(x), dtype=x.dtype), torch.full((len(x),), torch.inf, dtype=x.dtype)
    weight = torch.ones(len(x), dtype=x.dtype)
    best, distance = x.clone(), torch.full((len(x),), torch.inf, dtype=x.dtype)
    start = _to_free(x, limits)
    for _ in range(searches):
        free = start.clone().requires_grad_()
        optimizer = torch.optim.Adam([free], lr=rate)
        fooled = torch.zeros(len(x), dtype=torch.bool)
        for _ in range(n_steps):
            at = _from_free(free, limits)
            margin, squares = margins(model(at), labels), ((at - x) ** 2).flatten(1).sum(1)
            better = (margin <= -confidence) & (squares < distance)
            fooled |= margin.detach() <= -confidence
            best[better], distance[better] = at.detach()[better], squares.detach()[better]
            optimizer.zero_grad()
            (squares + weight * (margin + confidence).clamp(min=0)).sum().backward()  # type: ignore[no-untyped-call]
            optimizer.step()
        high, low = torch.where(fooled, weight.minimum(high), high), torch.where(fooled, low, weight.maximum(low))
        weight = torch.where(torch.isfinite(high), (low + high) / 2, weight * 10)
    return best


def _to_free(x: Tensor, limits: Range) -> Tensor:
    if limits is None:
        return x.clone()
    a, b = limits
    return torch.atanh(((x - a) / (b - a) * 2 - 1).clamp(-1 + 1e-6, 1 - 1e-6))


def _from_free(free: Tensor, limits: Range) -> Tensor:
    if limits is None:
        return free
    a, b = limits
    return (torch.tanh(free) + 1) / 2 * (b - a) + a
