"""What a step makes small: the loss of outputs against targets, or a function of the model and a batch."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from plica._modes import evaluated
from plica.errors import InvalidInput
from plica.learn._losses import Loss, choose_loss, n_right
from plica.learn._points import Points, call, take, tensors

if TYPE_CHECKING:
    from torch import Tensor, nn

Objective = Callable[["nn.Module", Any], "Tensor"]
"""A differentiable number from the model and a batch."""


@dataclass(frozen=True)
class Term:
    """The objective on one batch: how many points it is a mean over, and how many labels are right."""

    loss: Tensor
    n_points: int
    n_right: int | None = None


@dataclass(frozen=True)
class Supervised:
    """The loss of the model's output against the targets."""

    loss: Loss

    def __call__(self, model: nn.Module, batch: Points) -> Term:
        output = call(model, batch.x)
        try:
            loss = self.loss(output, batch.y)
        except IndexError as error:  # in a batch of a loader that was not looked at before
            raise InvalidInput(f"a label is no class: {error}", hint="classes are 0, 1, ..., one output for each") from None
        return Term(loss, len(batch), n_right(output.detach(), batch.y))


@dataclass(frozen=True)
class Own:
    """A function of the model and the batch."""

    function: Objective

    def __call__(self, model: nn.Module, batch: Any) -> Term:
        given = (batch.x, batch.y) if isinstance(batch, Points) else batch
        return Term(_number(self.function(model, given)), len(batch) if isinstance(batch, Points) else 1)


def _number(found: Any) -> Tensor:
    """What an objective returned, if it can be made small."""
    import torch

    if not isinstance(found, torch.Tensor) or found.numel() != 1:
        what = f"a tensor of shape {tuple(found.shape)}" if isinstance(found, torch.Tensor) else f"a {type(found).__name__}"
        raise InvalidInput(f"the objective is {what}.", hint="one number as a tensor, such as a mean of losses")
    return found


Goal = Supervised | Own


def supervised(model: nn.Module, points: Points, given: str | Loss | None, *, what: str = "") -> Supervised:
    """The loss that is asked for, or the one that fits the data; the model is tried on two points of ``what`` they are."""
    import torch

    try:
        with evaluated(model), torch.no_grad():
            output = call(model, take(points.x, slice(0, 2)))
    except (RuntimeError, TypeError, IndexError) as error:
        shape = ", ".join(str(tuple(part.shape[1:])) for part in tensors(points.x)) + what
        raise InvalidInput(
            f"the model does not take inputs of shape {shape}: {str(error).splitlines()[0]}",
            hint="images for a fully connected network: mlp(widths, flatten=True); several inputs: ((a, b), y) or ({'a': a}, y)",
        ) from None
    if not isinstance(output, torch.Tensor):
        raise InvalidInput(
            f"the model returns a {type(output).__name__}, not a tensor.",
            hint="objective=lambda model, batch: ... says what to make small",
        )
    return Supervised(choose_loss(given, output, points.y))


def check_module(model: Any) -> nn.Module:
    """The module, or an error that says what was given in its place."""
    import torch

    if not isinstance(model, torch.nn.Module):
        raise InvalidInput(
            f"the model is a {type(model).__name__}.",
            hint="a torch.nn.Module; plica.network.to_torch(network) makes one of a network",
        )
    return model


def name_of(function: Any) -> str | None:
    """The name under which a checkpoint remembers a function."""
    if function is None or isinstance(function, str):
        return function
    return str(getattr(function, "__qualname__", type(function).__qualname__))
