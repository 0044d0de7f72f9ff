"""A torch module in eval mode for a while."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from torch import nn


@contextmanager
def evaluated(model: nn.Module) -> Iterator[None]:
    """In here dropout rests and batch norm uses what it has learnt; afterwards the model is in the mode in which it was."""
    mode = model.training
    model.eval()
    try:
        yield
    finally:
        model.train(mode)
