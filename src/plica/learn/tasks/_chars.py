"""Continuing a text, character by character: a small GPT on windows of it."""

from __future__ import annotations

from collections.abc import Callable
from math import sqrt
from typing import Any

import numpy as np
import torch
from torch import Tensor

from plica._types import Array
from plica.errors import InvalidInput

ONES = (
    "zero one two three four five six seven eight nine ten "
    "eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen"
).split()
TENS = "twenty thirty forty fifty sixty seventy eighty ninety".split()


def windows(text: Array, *, n_batch: int, n_context: int, seed: int) -> Callable[[int], Tensor]:
    """A function from a step to ``n_batch`` random windows of ``n_context`` characters and the one after them."""
    codes = torch.from_numpy(text)
    if len(codes) <= n_context + 1:
        raise InvalidInput(f"a text of {len(codes)} characters is too short.", hint=f"windows have {n_context}")

    def draw(step: int) -> Tensor:
        starts = torch.randint(0, len(codes) - n_context, (n_batch,), generator=torch.Generator().manual_seed(seed + step))
        return codes[starts[:, None] + torch.arange(n_context + 1)]

    return draw


def next_character_loss(model: Any, batch: Tensor) -> Tensor:
    """The model's own loss on windows."""
    loss: Tensor = model.loss(batch)
    return loss


def held_out_loss(model: Any, text: Array, n_context: int, *, against: Array | None = None) -> tuple[float, float]:
    """Mean loss over all whole windows of a text, and its standard error over windows; above that of a chain, if given."""
    n = (len(text) - 1) // n_context
    if n < 2:
        raise InvalidInput(f"{len(text)} characters do not make two windows of {n_context}.", hint="give a longer text")
    size = min(8, n // 2)
    codes = torch.from_numpy(text)
    rows = codes[torch.arange(n)[:, None] * n_context + torch.arange(n_context + 1)]
    with torch.no_grad():
        losses = torch.tensor([float(model.loss(part)) for part in rows.split(size)], dtype=torch.float64)
    if against is not None:
        log_p = torch.from_numpy(np.log(against))
        losses += torch.tensor([float(log_p[part[:, :-1], part[:, 1:]].mean()) for part in rows.split(size)])
    return float(losses.mean()), float(losses.std()) / sqrt(len(losses))


def english(number: int) -> str:
    """A number below 10,000 in words.

    Examples
    --------
    >>> english(342), english(7015)
    ('three hundred forty-two', 'seven thousand fifteen')
    """
    if number < 20:
        return ONES[number]
    if number < 100:
        return TENS[number // 10 - 2] + (f"-{ONES[number % 10]}" if number % 10 else "")
    size, name = (100, "hundred") if number < 1000 else (1000, "thousand")
    rest = f" {english(number % size)}" if number % size else ""
    return f"{english(number // size)} {name}{rest}"


def tables(seed: int, *, n_lines: int = 4000) -> str:
    """A text of true sentences about products and sums: what a small model can learn in a minute."""
    rng = np.random.default_rng(seed)
    lines = []
    for a, b, times in zip(*rng.integers(2, 13, (2, n_lines)), rng.random(n_lines) < 0.5, strict=True):
        name, result = ("times", a * b) if times else ("plus", a + b)
        lines.append(f"{english(int(a))} {name} {english(int(b))} is {english(int(result))}.")
    return "\n".join(lines) + "\n"
