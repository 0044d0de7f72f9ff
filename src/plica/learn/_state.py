"""The state of a model as tensors: copied, compared with infinity, put back."""

from __future__ import annotations

from collections.abc import Sequence
from math import isfinite
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from torch import Tensor, nn

State = dict[str, "Tensor"]
_SCALED = ("cpu", "cuda")  # devices on which torch scales many gradients at once


def copy_state(model: nn.Module) -> State:
    """Parameters and buffers, as they are now."""
    return {name: tensor.detach().clone() for name, tensor in model.state_dict().items()}


def restore_state(model: nn.Module, state: State) -> None:
    """Put a copy back."""
    model.load_state_dict(state)


def is_finite(model: nn.Module) -> bool:
    """Whether no entry of the state is NaN or infinite."""
    return all(all_finite(t) for t in model.state_dict().values() if t.is_floating_point())


def all_finite(array: Any) -> bool:
    """Whether no entry is NaN or infinite: a finite sum shows it at once, one that is not may only have overflowed.

    >>> import numpy as np
    >>> [all_finite(np.array(entries)) for entries in ([1e308, 1e308], [np.inf, -np.inf], [np.nan], [0.0])]
    [True, False, False, True]
    """
    if not isinstance(array, np.ndarray):
        return isfinite(array.sum()) or bool((array - array == 0).all())
    with np.errstate(over="ignore", invalid="ignore"):
        return isfinite(array.sum()) or bool((array - array == 0).all())


def are_finite(arrays: Sequence[Any]) -> bool:
    """Whether no entry of any is NaN or infinite; many tensors are asked together, by what scales gradients of half precision.

    >>> import torch
    >>> [are_finite([torch.ones(3), torch.tensor([1.0, last])]) for last in (2.0, 3e38, float("inf"), float("nan"))]
    [True, True, False, False]
    """
    if len(arrays) < 2 or any(isinstance(a, np.ndarray) or a.is_sparse for a in arrays) or arrays[0].device.type not in _SCALED:
        return all(map(all_finite, arrays))
    import torch

    found, one = torch.zeros(1, device=arrays[0].device), torch.ones(1, device=arrays[0].device)
    torch._amp_foreach_non_finite_check_and_unscale_(list(arrays), found, one)  # times 1: nothing changes
    return not found.item()
