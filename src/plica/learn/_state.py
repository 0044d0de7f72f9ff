"""The state of a model as tensors: copied, compared with infinity, put back."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from torch import Tensor, nn

State = dict[str, "Tensor"]


def copy_state(model: nn.Module) -> State:
    """Parameters and buffers, as they are now."""
    return {name: tensor.detach().clone() for name, tensor in model.state_dict().items()}


def restore_state(model: nn.Module, state: State) -> None:
    """Put a copy back."""
    model.load_state_dict(state)


def is_finite(model: nn.Module) -> bool:
    """Whether no entry of the state is NaN or infinite."""
    import torch

    return all(bool(torch.isfinite(t).all()) for t in model.state_dict().values() if t.is_floating_point())
