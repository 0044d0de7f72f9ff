r"""DeepFool: linear steps to the nearest boundary (S. Moosavi-Dezfooli, A. Fawzi, P. Frossard, CVPR 2016, Algorithm 2).

With :math:`f'_k = f_k - f_{label}` and :math:`w'_k` its gradient, the nearest boundary of the linear model is that of the class
with the least :math:`|f'_k|/\|w'_k\|_2`; the step is :math:`|f'_k| w'_k/\|w'_k\|_2^2`. On a linear model one step is exact.
"""

from __future__ import annotations

import torch
from torch import Tensor

from plica.robust.attacks._scores import Model, Range, check, flat_norm, inside, margins


def deepfool(
    model: Model, x: Tensor, labels: Tensor, *, n_steps: int = 50, overshoot: float = 0.02, limits: Range = None
) -> Tensor:
    """Inputs near the given ones that have another class or are tied, as far as n_steps lead.

    A tie counts as another class: an input whose label is tied is returned as it is. Classes whose difference to the label does
    not depend on the input cannot be reached and are left out; so are steps that would be undefined.

    Examples
    --------
    >>> model = torch.nn.Linear(2, 2, bias=False)
    >>> _ = model.weight.data.copy_(torch.tensor([[1.0, 0.0], [0.0, 1.0]]))
    >>> [round(v, 4) for v in deepfool(model, torch.tensor([[1.0, 0.0]]), torch.tensor([0]), overshoot=0.0)[0].tolist()]
    [0.5, 0.5]
    """
    check(x, labels)
    total = torch.zeros_like(x)
    at = x.clone()
    for _ in range(n_steps):
        active = (margins(model(at), labels).detach() > 0).nonzero()[:, 0]
        if not len(active):
            break
        step = _linear_step(model, at[active], labels[active])
        total[active] += step
        at[active] = inside(x[active] + (1 + overshoot) * total[active], limits)
    return at


def _linear_step(model: Model, x: Tensor, labels: Tensor) -> Tensor:
    x = x.detach().requires_grad_()
    scores = model(x)
    scores_now = scores.detach()
    gradients = torch.stack(
        [torch.autograd.grad(scores[:, k].sum(), x, retain_graph=True)[0] for k in range(scores.shape[1])], dim=1
    )
    rows = torch.arange(len(x))
    differences = scores_now - scores_now[rows, labels][:, None]
    directions = gradients - gradients[rows, labels][:, None]
    size = directions.flatten(2).norm(dim=2)
    distance = torch.where(size > 0, differences.abs() / size, torch.inf)
    distance[rows, labels] = torch.inf
    nearest = distance.argmin(1)
    w, length = directions[rows, nearest], flat_norm(directions[rows, nearest])
    reach = distance[rows, nearest].reshape(length.shape)
    tiny = torch.finfo(x.dtype).eps * (1 + flat_norm(x.detach()))  # past the boundary, where rounding would stop before it
    return torch.where(torch.isfinite(reach) & (length > 0), (reach + tiny) * w / length.clamp(min=1e-30), 0.0)
