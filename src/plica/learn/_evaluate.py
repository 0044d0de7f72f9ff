"""How good a model is on data: the mean loss and the share of right labels."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from plica.learn._batches import Points, as_points
from plica.learn._losses import Loss, choose_loss, n_right

if TYPE_CHECKING:
    from torch import nn

_CHUNK = 2000  # rows evaluated at once


@dataclass(frozen=True)
class Score:
    """``accuracy`` is None where the targets are values."""

    loss: float
    accuracy: float | None


def evaluate(model: nn.Module, data: Any, *, loss: str | Loss | None = None) -> Score:
    """Evaluate a model on a data set or on a pair (x, y), in eval mode.

    Examples
    --------
    >>> import plica.data
    >>> from plica.learn import mlp
    >>> evaluate(mlp([2, 4, 1]), plica.data.load("moons", n=50))
    Score(loss=0.7..., accuracy=0.5)
    """
    import torch

    points = as_points(data, model)
    mode = model.training
    model.eval()
    try:
        with torch.no_grad():
            chosen = choose_loss(loss, model(points.x[:2]), points.y)
        return score(model, points, chosen)
    finally:
        model.train(mode)


def score(model: nn.Module, points: Points, loss: Loss) -> Score:
    """The same for tensors; the model is left in eval mode."""
    import torch

    model.eval()
    total, right, has_labels = 0.0, 0, True
    with torch.no_grad():
        for x, y in zip(points.x.split(_CHUNK), points.y.split(_CHUNK), strict=True):
            output = model(x)
            total += float(loss(output, y)) * len(x)
            found = n_right(output, y)
            right, has_labels = right + (found or 0), has_labels and found is not None
    return Score(total / len(points), right / len(points) if has_labels else None)
