r"""Anti-regularization: penalties that vanish when folds cross.

A bent fold that crosses the fold of an earlier unit cuts more cells than one that passes by it. Both penalties here are zero
where all pairs cross and have gradients that pull the others together.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from plica.errors import InvalidInput

if TYPE_CHECKING:
    from torch import Tensor, nn

    from plica.geometry import Box

Penalty = Callable[["nn.Module"], "Tensor"]


def crossing_penalty(box: Box, *, weight: float = 1.0, n_points: int = 24, margin: float = 0.05, seed: int = 0) -> Penalty:
    r"""A penalty for fully connected ReLU networks of any depth and any number of inputs.

    Points are put onto the fold of each unit i of each layer by Newton's steps and move with the fold, along its normals; a unit
    j of a later layer crosses that fold inside the box when its pre-activation z_j has both signs there. What is missing is
    penalized:

    .. math:: \sum_{i, j} \max(0, m - \max_p z_j(x_{ip})) + \max(0, m + \min_p z_j(x_{ip})).

    Parameters
    ----------
    box
        Where folds should cross.
    weight
        Of the mean over all pairs.
    n_points
        Points for each fold.
    margin
        The m of the formula.
    seed
        Of the points that the steps start from.
    """
    if weight < 0 or n_points < 2 or margin < 0:
        raise InvalidInput(f"weight {weight}, {n_points} points, margin {margin}.", hint="not negative, at least 2, not negative")
    low, high = np.asarray(box.low, dtype=np.float64), np.asarray(box.high, dtype=np.float64)
    start = np.random.default_rng(seed).uniform(low, high, (n_points, len(low)))

    def penalty(model: nn.Module) -> Tensor:
        import torch

        linears = _linears(model)
        kind = linears[0].weight.dtype
        corners = torch.as_tensor(np.stack([low, high]), dtype=kind)
        terms = []
        for layer in range(len(linears) - 2):
            x, inside = _on_folds(linears, layer, torch.as_tensor(start, dtype=kind), corners)
            for later in _preactivations(linears, x.reshape(-1, len(low)))[layer + 1 :]:
                z = later.reshape(*x.shape[:2], -1)  # (units i, points, units j)
                top = z.masked_fill(~inside[:, :, None], -torch.inf).amax(dim=1)
                bottom = z.masked_fill(~inside[:, :, None], torch.inf).amin(dim=1)
                is_there = torch.isfinite(top)  # folds that miss the box have no points in it
                terms.append(torch.relu(margin - top[is_there]) + torch.relu(margin + bottom[is_there]))
        found = torch.cat(terms) if terms else torch.zeros(0, dtype=kind)
        return weight * found.mean() if found.numel() else torch.zeros((), dtype=kind)

    return penalty


def _on_folds(linears: list[Any], layer: int, start: Tensor, corners: Tensor) -> tuple[Tensor, Tensor]:
    """(units, points, inputs): points on the fold of each unit, and which of them are inside the box."""
    import torch

    width = linears[layer].weight.shape[0]
    x = start.expand(width, *start.shape).reshape(-1, start.shape[1])
    units = torch.arange(width).repeat_interleave(len(start))[:, None]
    for step in range(4):
        x = x.detach().requires_grad_()
        z = _preactivations(linears, x)[layer].gather(1, units)
        (gradient,) = torch.autograd.grad(z.sum(), x, retain_graph=step == 3)
        square = (gradient * gradient).sum(dim=1, keepdim=True)
        x = x.detach() - z * gradient / square.clamp_min(1e-12)  # the last step keeps z, and so depends on the parameters
    near = z.detach().abs() <= 1e-3 * (1 + square.sqrt())
    inside = ((x.detach() >= corners[0]) & (x.detach() <= corners[1])).all(dim=1, keepdim=True) & near
    return x.reshape(width, len(start), -1), inside.reshape(width, len(start))


def pattern_penalty(*, weight: float = 1.0) -> Penalty:
    r"""The penalty of the student presentation, for two inputs and two hidden layers, with its formula corrected.

    On the first-layer pattern s the second layer's unit j is affine, w' (W_1 x + b_1) + b_2 with w' = w_2 * s entry by entry.
    Line i and this piece of the bent line meet in the point x* with

    .. math:: W_{1,i} x + b_{1,i} = 0, \qquad w' (W_1 x + b_1) + b_{2,j} = 0,

    and x* is real if it has the pattern s: the penalty is :math:`\sum_k \max(0, -s_k (W_{1,k} x^* + b_{1,k}))`, with signs s, for
    the pattern along line i that comes closest, averaged over all pairs.
    """
    if weight < 0:
        raise InvalidInput(f"weight {weight}.", hint="a number that is not negative")

    def penalty(model: nn.Module) -> Tensor:
        import torch

        linears = _linears(model)
        if len(linears) != 3 or linears[0].weight.shape[1] != 2:
            raise InvalidInput(
                "this penalty is for two inputs and two hidden layers.", hint="crossing_penalty(box) has no such limit"
            )
        (w1, b1), (w2, b2) = ((layer.weight, layer.bias) for layer in linears[:2])
        n = len(w1)
        foot = -(b1 / (w1 * w1).sum(dim=1))[:, None] * w1  # a point of each line
        along = torch.stack([-w1[:, 1], w1[:, 0]], dim=1)  # and its direction
        slope, offset = along @ w1.T, foot @ w1.T + b1  # [i, k]: pre-activation k on line i is slope t + offset
        others = ~torch.eye(n, dtype=torch.bool)
        crossing = (-offset / _away_from_zero(slope)).detach()[others].reshape(n, n - 1).sort(dim=1).values
        reach = crossing.abs().amax(dim=1, keepdim=True) + 1
        ends = torch.cat([-2 * reach, crossing, 2 * reach], dim=1)
        middle = (ends[:, 1:] + ends[:, :-1]) / 2  # [i, s]: a point of each segment of line i
        z1 = middle[:, :, None] * slope[:, None] + offset[:, None]
        signs = torch.where(z1 > 0, 1.0, -1.0).to(w1.dtype) * others[:, None]  # [i, s, k]; line i itself is neither
        active = (signs > 0).to(w1.dtype)
        steep = torch.einsum("jk,isk,ik->isj", w2, active, slope)
        level = torch.einsum("jk,isk,ik->isj", w2, active, offset) + b2
        t = -level / _away_from_zero(steep)
        missing = torch.relu(-signs[:, :, None] * (t[..., None] * slope[:, None, None] + offset[:, None, None])).sum(dim=3)
        return weight * missing.amin(dim=1).mean()

    return penalty


def _away_from_zero(x: Tensor, least: float = 1e-9) -> Tensor:
    import torch

    return torch.where(x.abs() < least, torch.full_like(x, least), x)


def _linears(model: nn.Module) -> list[Any]:
    """The linear layers of a plain ReLU network."""
    from torch import nn

    parts = [m for m in model.modules() if not isinstance(m, nn.Sequential | nn.Flatten)]
    linears = [m for m in parts if isinstance(m, nn.Linear) and m.bias is not None]
    if len(linears) < 2 or not all(isinstance(m, nn.Linear | nn.ReLU) for m in parts) or len(parts) != 2 * len(linears) - 1:
        raise InvalidInput("crossings are counted in fully connected ReLU networks with biases.", hint="plica.learn.mlp(widths)")
    return linears


def _preactivations(linears: list[Any], x: Tensor) -> list[Tensor]:
    """Of the hidden layers."""
    import torch

    found = []
    for layer in linears[:-1]:
        found.append(layer(x))
        x = torch.relu(found[-1])
    return found
