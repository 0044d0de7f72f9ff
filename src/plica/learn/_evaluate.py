"""How good a model is on data: the mean loss and the share of right labels."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from plica._modes import evaluated
from plica.errors import InvalidInput
from plica.learn._loaders import HeldLoader
from plica.learn._losses import Loss
from plica.learn._objectives import Goal, supervised
from plica.learn._points import Points, as_points, call

if TYPE_CHECKING:
    from torch import nn

_CHUNK = 2000  # rows evaluated at once


@dataclass(frozen=True)
class Score:
    """``accuracy`` is None where the targets are values."""

    loss: float
    accuracy: float | None
    metrics: dict[str, float] = field(default_factory=dict, repr=False)


def evaluate(model: nn.Module, data: Any, *, loss: str | Loss | None = None) -> Score:
    """Evaluate a model on a data set or on a pair (x, y), in eval mode.

    Examples
    --------
    >>> import plica.data
    >>> from plica.learn import mlp
    >>> evaluate(mlp([2, 4, 1]), plica.data.load("moons", n=50))
    Score(loss=0.7..., accuracy=0.5)
    """
    points = as_points(data, model)
    with evaluated(model):
        return score(model, points, supervised(model, points, loss))


def score(model: nn.Module, points: Points | HeldLoader, goal: Goal, metrics: Mapping[str, Any] | None = None) -> Score:
    """The same for tensors; the model is left in eval mode."""
    import torch

    model.eval()
    total, n, right, has_labels = 0.0, 0, 0, True
    sums = dict.fromkeys(metrics or {}, 0.0)
    with torch.no_grad():
        for part in points.parts(_CHUNK):
            term = goal(model, part)
            if metrics and not isinstance(part, Points):
                raise InvalidInput(
                    "metrics are of outputs and targets, which an objective's batches are not.", hint="leave them out"
                )
            for name, metric in (metrics or {}).items():
                sums[name] += _number(name, metric(call(model, part.x), part.y)) * len(part)
            total, n = total + float(term.loss) * term.n_points, n + term.n_points
            right, has_labels = right + (term.n_right or 0), has_labels and term.n_right is not None
    return Score(total / n, right / n if has_labels else None, {name: value / n for name, value in sums.items()})


def _number(name: str, found: Any) -> float:
    """What a metric returned, if it is a number."""
    try:
        return float(found)
    except (TypeError, ValueError, RuntimeError):  # what torch raises for tensors of several
        what = f"{type(found).__name__} of shape {tuple(found.shape)}" if hasattr(found, "shape") else type(found).__name__
        raise InvalidInput(
            f"the metric {name!r} returns a {what}.", hint="one number of outputs and targets, such as a mean"
        ) from None
