"""One perturbation for many inputs (S. Moosavi-Dezfooli et al., CVPR 2017)."""

from __future__ import annotations

from typing import Literal

import torch
from torch import Tensor

from plica.robust.attacks._deepfool import deepfool
from plica.robust.attacks._scores import Model, Range, check, flat_norm, inside, margins


def universal_perturbation(
    model: Model,
    x: Tensor,
    labels: Tensor,
    *,
    epsilon: float,
    norm: Literal["l2", "linf"] = "l2",
    rate: float = 0.8,
    rounds: int = 5,
    limits: Range = None,
    seed: int = 0,
) -> Tensor:
    """A perturbation of the given size that changes the class of a share ``rate`` of the inputs, if five rounds find one.

    In each round every input that is not yet fooled adds its own DeepFool step, and the sum is projected back to the ball.
    """
    check(x, labels)
    generator = torch.Generator().manual_seed(seed)
    v = torch.zeros_like(x[:1])
    for _ in range(rounds):
        for i in torch.randperm(len(x), generator=generator).tolist():
            at = inside(x[i : i + 1] + v, limits)
            if margins(model(at), labels[i : i + 1])[0] > 0:
                v = v + deepfool(model, at, labels[i : i + 1], n_steps=10, limits=limits) - at
                v = v.clamp(-epsilon, epsilon) if norm == "linf" else v * (epsilon / flat_norm(v).clamp(min=1e-30)).clamp(max=1.0)
        fooled = margins(model(inside(x + v, limits)), labels) <= 0
        if float(fooled.double().mean()) >= rate:
            break
    return v[0].detach()
