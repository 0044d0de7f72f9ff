"""Limits of token sequences, checked where they enter a model."""

from __future__ import annotations

import torch
from torch import Tensor

from plica.errors import InvalidInput


def has_values(tokens: Tensor) -> bool:
    """Whether a program may depend on the values: not on the meta device, nor while a graph is exported or compiled."""
    return tokens.device.type != "meta" and not torch.compiler.is_compiling() and not torch.jit.is_tracing()


def check_tokens(tokens: Tensor, vocabulary: int, max_length: int, name: str, *, padding: int | None = None) -> None:
    """Refuse tokens that are not integers (B, T) of the vocabulary, longer than a model reads, or padded in the middle."""
    if tokens.dim() != 2 or tokens.is_floating_point() or tokens.dtype == torch.bool:
        raise InvalidInput(
            f"{name} has shape {tuple(tokens.shape)} and type {tokens.dtype}.", hint="give integers of shape (batch, length)"
        )
    if tokens.numel() == 0:
        raise InvalidInput(f"{name} is empty, of shape {tuple(tokens.shape)}.", hint="give at least one sequence of one token")
    if tokens.shape[1] > max_length:
        raise InvalidInput(
            f"{name} has {tokens.shape[1]} tokens, the model reads at most {max_length}.",
            hint="shorten it or build the model with a larger max_length",
        )
    if not has_values(tokens):
        return
    low, high = int(tokens.min()), int(tokens.max())
    if low < 0 or high >= vocabulary:
        raise InvalidInput(
            f"{name} holds token {low if low < 0 else high}, the vocabulary has {vocabulary}.",
            hint=f"tokens are numbers from 0 to {vocabulary - 1}",
        )
    if padding is not None:
        real = tokens != padding
        if bool((real[:, 1:] & ~real[:, :-1]).any()) or not bool(real[:, 0].all()):
            raise InvalidInput(f"{name} has padding before or between its tokens.", hint="pad at the end of rows only")
