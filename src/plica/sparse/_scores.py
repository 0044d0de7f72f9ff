r"""What a weight is worth: its size, what the loss would lose by it, what the gradient's flow would, what paths go through it.

All scores are such that the largest ones stay.
"""

from __future__ import annotations

from copy import deepcopy
from typing import TYPE_CHECKING

from plica._modes import evaluated
from plica.errors import InvalidInput
from plica.sparse._masks import weights

if TYPE_CHECKING:
    from torch import Tensor, nn

Scores = dict[str, "Tensor"]
TEMPERATURE = 200.0
"""By which GraSP divides outputs before the loss, so that none of them is saturated [wang2020b]_."""


def magnitude_scores(model: nn.Module) -> Scores:
    """:math:`|w|`."""
    return {name: w.detach().abs() for name, w in weights(model).items()}


def random_scores(model: nn.Module, *, seed: int = 0) -> Scores:
    """Numbers in [0, 1) that know nothing."""
    import torch

    generator = torch.Generator().manual_seed(seed)
    return {name: torch.rand(w.shape, generator=generator) for name, w in weights(model).items()}


def snip_scores(model: nn.Module, x: Tensor, y: Tensor) -> Scores:
    r"""SNIP: :math:`|w\, \partial L/\partial w|`, divided by the sum of all [lee2019b]_.

    How fast the loss changes when the connection is weakened: :math:`|\partial L/\partial c|` at c = 1 for the weight c w.

    Examples
    --------
    A line y = w x with squared loss at x = 2, target 0 and w = 3: the derivative by w is 2 w x^2 / 1 = 24.

    >>> import torch
    >>> line = torch.nn.Linear(1, 1, bias=False)
    >>> _ = torch.nn.init.constant_(line.weight, 3.0)
    >>> snip_scores(line, torch.tensor([[2.0]]), torch.tensor([[0.0]]))  # alone, it has all of the sum
    {'weight': tensor([[1.]])}
    """
    gradients = _gradients(model, x, y)
    raw = {name: (w.detach() * gradients[name]).abs() for name, w in weights(model).items()}
    total = sum(float(s.sum()) for s in raw.values())
    if not total > 0:
        raise InvalidInput(
            "the gradient of the loss is zero: SNIP has no scores.", hint="other points, or another initialization"
        )
    return {name: s / total for name, s in raw.items()}


def grasp_scores(model: nn.Module, x: Tensor, y: Tensor, *, temperature: float = TEMPERATURE) -> Scores:
    r"""GraSP: :math:`w\, (H g)`, with the gradient g and the Hessian H of the loss by all weights [wang2020b]_.

    Taking a weight away changes :math:`g^T g` by :math:`-2 w (Hg)` in first order. The paper removes the weights with the largest
    :math:`-w(Hg)`, those without which the gradient flows best; so those with the largest :math:`w(Hg)` stay.
    """
    import torch

    with evaluated(model):
        ws = weights(model)
        g = torch.autograd.grad(_loss(model, x, y, temperature), list(ws.values()), create_graph=True)
        flow = sum((part * part.detach()).sum() for part in g)
        assert isinstance(flow, torch.Tensor)
        products = torch.autograd.grad(flow, list(ws.values()))
    return {name: w.detach() * hg for (name, w), hg in zip(ws.items(), products, strict=True)}


def synflow_scores(model: nn.Module, example: Tensor) -> Scores:
    r"""SynFlow: :math:`w\,\partial R/\partial w`, where R is the sum of outputs of the model with the weights |w|, without
    biases, at an input of ones [tanaka2020]_.

    For a plain network :math:`R = 1^T |W_L| \cdots |W_1| 1`, and the score of a weight is the sum over all paths through it of
    the products of their |w|. So the scores of each layer add up to R: a layer can not be emptied while others are full. Computed
    in float64 on a copy; ``example`` says the shape of an input, with batch axis.

    Examples
    --------
    >>> import torch
    >>> from plica.learn import mlp
    >>> found = synflow_scores(mlp([3, 5, 4, 2], seed=0), torch.ones(1, 3))
    >>> sums = [float(s.sum()) for s in found.values()]
    >>> max(sums) - min(sums) < 1e-12 * max(sums)
    True
    """
    import torch

    positive = deepcopy(model).double().eval()
    with torch.no_grad():
        names = set(weights(positive))
        for name, p in positive.named_parameters():
            p.copy_(p.abs() if name in names or p.dim() > 1 else torch.zeros_like(p) if name.endswith("bias") else p.abs())
    ws = weights(positive)
    total = positive(torch.ones_like(example[:1], dtype=torch.float64)).sum()
    found = torch.autograd.grad(total, list(ws.values()))
    return {name: (w.detach() * g).abs() for (name, w), g in zip(ws.items(), found, strict=True)}


def _gradients(model: nn.Module, x: Tensor, y: Tensor) -> dict[str, Tensor]:
    import torch

    with evaluated(model):
        ws = weights(model)
        return dict(zip(ws, torch.autograd.grad(_loss(model, x, y), list(ws.values())), strict=True))


def _loss(model: nn.Module, x: Tensor, y: Tensor, temperature: float = 1.0) -> Tensor:
    """The loss that training would choose: by classes, by two of them, or by values."""
    from plica.learn import LOSSES

    out = model(x) / temperature
    name = "squared" if y.is_floating_point() else "logistic" if out[0].numel() == 1 else "cross-entropy"
    return LOSSES[name](out, y)
