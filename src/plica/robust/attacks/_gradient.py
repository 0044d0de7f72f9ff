"""Steps along the gradient of the loss: once (FGSM), or many times with projections onto a ball (PGD)."""

from __future__ import annotations

from typing import Literal

import torch
from torch import Tensor

from plica.robust.attacks._scores import Model, Range, check, flat_norm, inside, loss_gradient, margins


def fgsm(model: Model, x: Tensor, labels: Tensor, *, epsilon: float, limits: Range = None) -> Tensor:
    """One step of size epsilon by the sign of the gradient (I. Goodfellow et al., 2015).

    Examples
    --------
    >>> model = torch.nn.Linear(2, 2, bias=False)
    >>> _ = model.weight.data.copy_(torch.tensor([[1.0, -1.0], [-1.0, 1.0]]))
    >>> fgsm(model, torch.tensor([[1.0, 0.0]]), torch.tensor([0]), epsilon=0.25).tolist()
    [[0.75, 0.25]]
    """
    check(x, labels)
    return inside(x + epsilon * loss_gradient(model, x, labels).sign(), limits).detach()


def pgd(
    model: Model,
    x: Tensor,
    labels: Tensor,
    *,
    epsilon: float,
    norm: Literal["l2", "linf"] = "linf",
    n_steps: int = 40,
    step: float | None = None,
    restarts: int = 1,
    limits: Range = None,
    seed: int = 0,
) -> Tensor:
    """Projected steps in a ball around each input (A. Madry et al., 2018); of all restarts the point with the least margin.

    The first start is the input itself, the others are random in the ball. The step is 2.5 epsilon / n_steps unless given.
    """
    check(x, labels)
    generator = torch.Generator().manual_seed(seed)
    size = 2.5 * epsilon / n_steps if step is None else step
    best, least = x.clone(), margins(model(x), labels).detach()
    for k in range(restarts):
        at = x.clone() if k == 0 else inside(x + _random(x, epsilon, norm, generator), limits)
        for _ in range(n_steps):
            g = loss_gradient(model, at, labels)
            move = g.sign() if norm == "linf" else g / flat_norm(g).clamp(min=1e-30)
            at = inside(x + _projected(at + size * move - x, epsilon, norm), limits).detach()
            margin = margins(model(at), labels).detach()
            better = margin < least
            best[better], least[better] = at[better], margin[better]
    return best


def _projected(delta: Tensor, epsilon: float, norm: str) -> Tensor:
    if norm == "linf":
        return delta.clamp(-epsilon, epsilon)
    return delta * (epsilon / flat_norm(delta).clamp(min=1e-30)).clamp(max=1.0)


def _random(x: Tensor, epsilon: float, norm: str, generator: torch.Generator) -> Tensor:
    if norm == "linf":
        return (2 * torch.rand(x.shape, generator=generator, dtype=x.dtype) - 1) * epsilon
    direction = torch.randn(x.shape, generator=generator, dtype=x.dtype)
    radius = torch.rand(len(x), generator=generator, dtype=x.dtype) ** (1.0 / x[0].numel())
    return direction / flat_norm(direction) * epsilon * radius.reshape(-1, *[1] * (x.ndim - 1))
