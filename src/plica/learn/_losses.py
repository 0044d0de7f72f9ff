"""What training makes small, and the share of points that are classified right."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from plica.errors import InvalidInput

if TYPE_CHECKING:
    from torch import Tensor

_NO_LABEL = -100  # what torch's cross-entropy passes over
Loss = Callable[["Tensor", "Tensor"], "Tensor"]


def cross_entropy(output: Tensor, target: Tensor) -> Tensor:
    """The mean of -log softmax(output)[target], over points or over all tokens of sequences (points, tokens, classes)."""
    from torch.nn import functional

    if is_sequence(output, target):
        return functional.cross_entropy(output.flatten(0, 1), target.flatten())
    return functional.cross_entropy(output, target)


def is_sequence(output: Tensor, target: Tensor) -> bool:
    """Whether the last axis holds the classes, with a label for every token."""
    return output.ndim == 3 and target.ndim == 2 and output.shape[:2] == target.shape


def logistic(output: Tensor, target: Tensor) -> Tensor:
    """Cross-entropy for two classes and one output, the logit of class 1."""
    from torch.nn import functional

    return functional.binary_cross_entropy_with_logits(output.reshape(len(output)), target.to(output.dtype))


def squared(output: Tensor, target: Tensor) -> Tensor:
    """The mean squared error."""
    difference = output - target.to(output.dtype).reshape(output.shape)
    return (difference * difference).mean()


def absolute(output: Tensor, target: Tensor) -> Tensor:
    """The mean absolute error."""
    return (output - target.to(output.dtype).reshape(output.shape)).abs().mean()


LOSSES: dict[str, Loss] = {"cross-entropy": cross_entropy, "logistic": logistic, "squared": squared, "absolute": absolute}


def choose_loss(given: str | Loss | None, output: Any, target: Any) -> Loss:
    """The loss that is asked for, or the one that fits the data: labels and several outputs, labels and one, or values."""
    if given is not None and not isinstance(given, str):
        return given
    if given is not None:
        if given not in LOSSES:
            raise InvalidInput(f"unknown loss {given!r}.", hint=f"one of {', '.join(LOSSES)}, or a function of output and target")
        return LOSSES[given]
    if target.is_floating_point():
        if output[0].numel() != target[0].numel():
            raise InvalidInput(f"{output[0].numel()} outputs for {target[0].numel()} values.", hint="as many outputs as values")
        return squared
    if output.ndim == 1 or output.shape[1:].numel() == 1:
        if int(target.max()) > 1:
            raise InvalidInput(f"one output cannot tell {int(target.max()) + 1} classes.", hint="one output for each class")
        return logistic
    has_tokens = is_sequence(output, target[: len(output)])
    if target.shape[1:] != (output.shape[1:2] if has_tokens else output.shape[2:]):
        raise InvalidInput(
            f"outputs of shape {tuple(output.shape[1:])} and labels of shape {tuple(target.shape[1:])} for each point.",
            hint="one label for each point or token, or loss=lambda output, target: ...",
        )
    n_classes = output.shape[-1 if has_tokens else 1]
    if bool(((target < 0) & (target != _NO_LABEL)).any()):
        raise InvalidInput(f"the label {int(target.min())} is no class.", hint=f"classes are 0, 1, ...; {_NO_LABEL} for none")
    if int(target.max()) >= n_classes:
        raise InvalidInput(f"{n_classes} outputs for {int(target.max()) + 1} classes.", hint="one output for each class")
    return cross_entropy


def n_right(output: Tensor, target: Tensor) -> int | None:
    """How many labels are right; None where the targets are values."""
    if target.is_floating_point():
        return None
    if output.ndim == 1 or output.shape[1:].numel() == 1:
        return int(((output.reshape(-1) > 0) == (target > 0)).count_nonzero())
    if target.ndim != 1 or output.ndim != 2:
        return None
    return int((output.argmax(dim=1) == target).count_nonzero())
