"""Scores of classes: margins, gradients, and what stays inside the range of inputs."""

from __future__ import annotations

from collections.abc import Callable

import torch
from torch import Tensor

from plica.errors import InvalidInput

Model = Callable[[Tensor], Tensor]
Range = tuple[float, float] | None


def margins(scores: Tensor, labels: Tensor) -> Tensor:
    """The score of the label minus the best other score: negative where another class wins, zero at a tie.

    Examples
    --------
    >>> margins(torch.tensor([[3.0, 1.0], [1.0, 1.0]]), torch.tensor([0, 1])).tolist()
    [2.0, 0.0]
    """
    own = scores.gather(1, labels[:, None])[:, 0]
    others = scores.scatter(1, labels[:, None], -torch.inf)
    return own - others.amax(1)


def check(x: Tensor, labels: Tensor) -> None:
    if x.shape[:1] != labels.shape or labels.ndim != 1 or not x.is_floating_point():
        raise InvalidInput(f"inputs of shape {tuple(x.shape)} need one label each, got {tuple(labels.shape)}.")


def inside(x: Tensor, limits: Range) -> Tensor:
    return x if limits is None else x.clamp(*limits)


def flat_norm(x: Tensor) -> Tensor:
    """The 2-norm of each item, with axes that broadcast against the batch."""
    return x.flatten(1).norm(dim=1).reshape(-1, *[1] * (x.ndim - 1))


def loss_gradient(model: Model, x: Tensor, labels: Tensor) -> Tensor:
    """The gradient of the cross entropy at each item."""
    x = x.detach().requires_grad_()
    loss = torch.nn.functional.cross_entropy(model(x), labels, reduction="sum")
    (g,) = torch.autograd.grad(loss, x)
    return g
