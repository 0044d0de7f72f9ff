"""Copying, reversing and reordering random sequences: nothing but memory is needed."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from plica.learn.tasks import Recipe, train
from plica.models import build
from plica.models.recurrent import Seq2Seq, Seq2SeqConfig

N_SPECIAL = 3  # padding, start, end


def answer(source: Tensor, task: str) -> Tensor:
    """What should be written: the same, the reverse, or with the last symbol (the verb) moved to the second place.

    Examples
    --------
    >>> answer(torch.tensor([[4, 5, 6, 7]]), "verb").tolist()
    [[4, 7, 5, 6]]
    """
    if task == "reverse":
        return source.flip(1)
    return source if task == "copy" else torch.cat([source[:, :1], source[:, -1:], source[:, 1:-1]], 1)


def batch(n: int, length: int, n_symbols: int, generator: torch.Generator, task: str) -> tuple[Tensor, Tensor, Tensor]:
    """Source, what the decoder reads (with the start), what it should write (with the end)."""
    source = torch.randint(N_SPECIAL, N_SPECIAL + n_symbols, (n, length), generator=generator)
    written = answer(source, task)
    start, end = torch.ones(n, 1, dtype=torch.long), torch.full((n, 1), 2)
    return source, torch.cat([start, written], 1), torch.cat([written, end], 1)


def token_accuracy(
    context: str,
    length: int,
    *,
    task: str,
    n_steps: int,
    seed: int,
    n_symbols: int = 10,
    d: int = 64,
    n_batch: int = 64,
    rate: float = 5e-3,
) -> tuple[float, Seq2Seq]:
    """Share of tokens predicted right on new sequences, given those before them, and the trained model."""
    config = Seq2SeqConfig(
        N_SPECIAL + n_symbols, N_SPECIAL + n_symbols, context=context, d_embedding=d, d_hidden=d, bidirectional=False
    )
    model = build(Seq2Seq, config, seed=seed)

    def draw(step: int) -> tuple[Tensor, Tensor, Tensor]:
        return batch(n_batch, length, n_symbols, torch.Generator().manual_seed(seed * 1_000_003 + step), task)

    def objective(model: nn.Module, drawn: tuple[Tensor, Tensor, Tensor]) -> Tensor:
        source, read, write = drawn
        return nn.functional.cross_entropy(model(source, read).flatten(0, 1), write.flatten())

    train(model, draw, objective, Recipe(n_steps, rate=rate, n_warmup=20, seed=seed))
    with torch.no_grad():
        source, read, write = batch(500, length, n_symbols, torch.Generator().manual_seed(seed + 77), task)
        predicted = model(source, read).argmax(-1)
    return float((predicted[:, :-1] == write[:, :-1]).double().mean()), model
