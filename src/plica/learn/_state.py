"""The state of a model as tensors: copied, compared with infinity, put back."""

from __future__ import annotations

from math import isfinite
from typing import TYPE_CHECKING, Any

import numpy as np

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
    return all(all_finite(t) for t in model.state_dict().values() if t.is_floating_point())


def all_finite(array: Any) -> bool:
    """Whether no entry is NaN or infinite: a finite sum shows it at once, one that is not may only have overflowed.

    >>> import numpy as np
    >>> [all_finite(np.array(entries)) for entries in ([1e308, 1e308], [np.inf, -np.inf], [np.nan], [0.0])]
    [True, False, False, True]
    """
    with np.errstate(over="ignore", invalid="ignore"):
        return isfinite(array.sum()) or bool((array - array == 0).all())
