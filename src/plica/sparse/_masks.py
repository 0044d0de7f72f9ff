"""Masks: which weights of a module stay, as a plain dictionary of boolean tensors by the names of its parameters."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING

from plica.errors import InvalidInput

if TYPE_CHECKING:
    from torch import Tensor, nn

Masks = dict[str, "Tensor"]
"""For each parameter that can be pruned, by name, True where the weight stays."""


def weights(model: nn.Module) -> dict[str, nn.Parameter]:
    """The parameters that pruning is about: matrices and kernels, not biases or the scales of norms.

    Examples
    --------
    >>> from plica.learn import mlp
    >>> {name: tuple(w.shape) for name, w in weights(mlp([2, 3, 1])).items()}
    {'0.weight': (3, 2), '2.weight': (1, 3)}
    """
    found = {name: p for name, p in model.named_parameters() if p.dim() > 1 and p.requires_grad}
    if not found:
        raise InvalidInput("the model has no matrices or kernels to prune.")
    return found


def full_masks(model: nn.Module) -> Masks:
    """Masks that keep everything."""
    import torch

    return {name: torch.ones_like(w, dtype=torch.bool) for name, w in weights(model).items()}


def masks_of(model: nn.Module) -> Masks:
    """The masks that the zeros of a model are."""
    return {name: w.detach() != 0 for name, w in weights(model).items()}


def checked(model: nn.Module, masks: Mapping[str, Tensor]) -> dict[str, tuple[nn.Parameter, Tensor]]:
    """Parameters and masks by name, after a look at names, shapes and types."""
    import torch

    parameters = dict(model.named_parameters())
    for name, mask in masks.items():
        if name not in parameters:
            raise InvalidInput(f"a mask for {name!r}, the model has no such parameter.", hint=f"one of {', '.join(parameters)}")
        if not isinstance(mask, torch.Tensor) or mask.dtype != torch.bool or mask.shape != parameters[name].shape:
            shape = tuple(parameters[name].shape)
            raise InvalidInput(f"the mask of {name!r} does not fit.", hint=f"a tensor of booleans of shape {shape}")
    return {name: (parameters[name], mask) for name, mask in masks.items()}


def apply_masks(model: nn.Module, masks: Mapping[str, Tensor]) -> None:
    """Set the weights to zero that masks take away.

    Examples
    --------
    >>> import torch
    >>> from plica.learn import mlp
    >>> model = mlp([2, 3, 1])
    >>> apply_masks(model, {"2.weight": torch.tensor([[True, False, False]])})
    >>> int((model[2].weight != 0).sum())
    1
    """
    for parameter, mask in checked(model, masks).values():
        parameter.data.masked_fill_(~mask, 0.0)


@contextmanager
def kept(model: nn.Module, masks: Mapping[str, Tensor]) -> Iterator[None]:
    """While this lasts, weights that masks take away are zero and stay so, in any training loop.

    Their gradients are set to zero where they arise, so momentum and running squares of every optimizer stay zero with them.
    Masks are read at each step: those who change them in place (:class:`Dynamic`) change what is kept.

    Examples
    --------
    >>> import plica
    >>> from plica.learn import fit, mlp
    >>> model = mlp([2, 8, 1], seed=0)
    >>> masks = full_masks(model)
    >>> masks["0.weight"][2:] = False
    >>> with kept(model, masks):
    ...     _ = fit(model, plica.data.load("moons"), epochs=1)
    >>> n_kept(masks_of(model)), n_kept(masks)
    (12, 12)
    """
    apply_masks(model, masks)
    hooks = [p.register_hook(_masking(m)) for p, m in checked(model, masks).values()]
    try:
        yield
    finally:
        for hook in hooks:
            hook.remove()


def _masking(mask: Tensor) -> Callable[[Tensor], Tensor]:
    def hook(gradient: Tensor) -> Tensor:
        return gradient * mask

    return hook


def n_kept(masks: Mapping[str, Tensor]) -> int:
    """How many weights stay."""
    return sum(int(m.sum()) for m in masks.values())


def density(masks: Mapping[str, Tensor]) -> float:
    """The share of weights that stay, of those that the masks are about."""
    total = sum(m.numel() for m in masks.values())
    return n_kept(masks) / total if total else 1.0


def densities(masks: Mapping[str, Tensor]) -> dict[str, float]:
    """The share of weights that stay, for each parameter."""
    return {name: float(m.sum()) / m.numel() for name, m in masks.items()}


def is_collapsed(masks: Mapping[str, Tensor]) -> bool:
    """Whether some parameter lost all its weights: the output no longer depends on what is before it."""
    return any(not bool(m.any()) for m in masks.values())
