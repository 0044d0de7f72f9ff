"""Greedy, sampled and beam search over a model with a cache."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Protocol, runtime_checkable

import torch
from torch import Tensor

from plica.errors import InvalidInput
from plica.models.attention import Cache


@runtime_checkable
class Decodable(Protocol):
    """A model that continues sequences: its configuration has ``end`` and ``max_length``.

    A model with ``is_endless`` writes on when its context is full; others write at most ``max_length`` tokens.
    """

    config: Any

    def begin(self, source: Tensor) -> tuple[Tensor, Any]:
        """First tokens (B,) and the state before them."""

    def advance(self, tokens: Tensor, state: Any) -> tuple[Tensor, Any]:
        """Logits (B, V) after the tokens, and the new state."""


@dataclass(frozen=True)
class Decoded:
    """Sequences that a model wrote.

    Attributes
    ----------
    tokens
        For each source the tokens up to the end token, which is left out.
    log_probabilities
        For each source the logarithm of the probability of what was written, the end token included.
    finished
        Whether the end token was reached within the length allowed.
    """

    tokens: tuple[tuple[int, ...], ...]
    log_probabilities: tuple[float, ...]
    finished: tuple[bool, ...]


def greedy(model: Decodable, source: Tensor, *, max_length: int) -> Decoded:
    """The most likely token, one after the other.

    Examples
    --------
    >>> from plica.models.recurrent import Seq2Seq, Seq2SeqConfig
    >>> _ = torch.manual_seed(0)
    >>> model = Seq2Seq(Seq2SeqConfig(10, 10, d_embedding=8, d_hidden=8)).eval()
    >>> len(greedy(model, torch.tensor([[4, 5, 6]]), max_length=5).tokens[0]) <= 5
    True
    """
    return _roll(model, source, max_length, lambda logits: logits.argmax(-1))


def sample(
    model: Decodable,
    source: Tensor,
    *,
    max_length: int,
    seed: int,
    temperature: float = 1.0,
    top_k: int | None = None,
    top_p: float | None = None,
) -> Decoded:
    """Tokens at random, from the ``top_k`` most likely or from the smallest set with probability ``top_p``."""
    if not temperature > 0:
        raise InvalidInput(f"temperature is {temperature}.", hint="it must be positive; greedy() is its limit at 0")
    if top_k is not None and top_k < 1:
        raise InvalidInput(f"top_k is {top_k}.", hint="keep at least one token")
    if top_p is not None and not 0 < top_p <= 1:
        raise InvalidInput(f"top_p is {top_p}.", hint="it must lie in (0, 1]")
    generator = torch.Generator(source.device).manual_seed(seed)

    def choose(logits: Tensor) -> Tensor:
        kept = _likely(logits.double() / temperature, top_k, top_p)
        return torch.multinomial(torch.softmax(kept, -1), 1, generator=generator)[:, 0]

    return _roll(model, source, max_length, choose)


def beam(model: Decodable, source: Tensor, *, max_length: int, width: int = 4, length_penalty: float = 0.6) -> Decoded:
    r"""The best of ``width`` sequences kept at every step, compared by log-probability over ``((5 + length) / 6)^penalty``.

    With ``width=1`` it is greedy search. The penalty is that of [wu2016]_; 0 compares probabilities.
    """
    if width < 1:
        raise InvalidInput(f"the beam's width is {width}.", hint="it must be at least 1")
    end, steps = _limits(model, max_length)
    with torch.no_grad():
        tokens, state = model.begin(source)
        n = len(tokens)
        logits, state = model.advance(tokens, state)
        best, ids = torch.log_softmax(logits, -1).topk(min(width, logits.shape[-1]), -1)
        missing = (0, width - ids.shape[1])  # a beam wider than the vocabulary fills up in later steps
        best, ids = torch.nn.functional.pad(best, missing, value=float("-inf")), torch.nn.functional.pad(ids, missing)
        state = select(state, torch.arange(n, device=ids.device).repeat_interleave(width))
        written, scores = ids[:, :, None], best
        done: list[list[tuple[float, float, list[int]]]] = [[] for _ in range(n)]
        for _ in range(steps):
            running = _collect(written, scores, end, width, length_penalty, done)
            if written.shape[-1] == steps or not bool(running.isfinite().any()):
                break
            logits, state = model.advance(written[:, :, -1].reshape(-1), state)
            total = running[:, :, None] + torch.log_softmax(logits, -1).reshape(n, width, -1)
            scores, flat = total.reshape(n, -1).topk(width, -1)
            parent, token = flat // total.shape[-1], flat % total.shape[-1]
            state = select(state, (torch.arange(n, device=parent.device)[:, None] * width + parent).reshape(-1))
            written = torch.cat([written.gather(1, parent[:, :, None].expand_as(written)), token[:, :, None]], -1)
    return _best(done, written, scores)


def select(state: Any, index: Tensor) -> Any:
    """The rows of a state: tensors by their first dimension, through tuples, lists and dicts; other values as they are."""
    if isinstance(state, Tensor):
        return state[index]
    if isinstance(state, Cache):
        state.select(index)
        return state
    if isinstance(state, tuple):
        parts = [select(part, index) for part in state]
        return type(state)(*parts) if hasattr(state, "_fields") else tuple(parts)
    if isinstance(state, list):
        return [select(part, index) for part in state]
    if isinstance(state, dict):
        return {name: select(part, index) for name, part in state.items()}
    return state


def _roll(model: Decodable, source: Tensor, max_length: int, choose: Callable[[Tensor], Tensor]) -> Decoded:
    end, steps = _limits(model, max_length)
    with torch.no_grad():
        tokens, state = model.begin(source)
        running = torch.ones_like(tokens, dtype=torch.bool)
        total = torch.zeros_like(tokens, dtype=torch.float64)
        written = []
        for _ in range(steps):
            logits, state = model.advance(tokens, state)
            tokens = choose(logits)
            gained = torch.log_softmax(logits.double(), -1).gather(1, tokens[:, None])[:, 0]
            total += torch.where(running, gained, torch.zeros_like(gained))
            written.append(torch.where(running, tokens, torch.full_like(tokens, -1)))
            if end is not None:
                running &= tokens != end
            if not bool(running.any()):
                break
    rows = torch.stack(written, 1).tolist()
    texts = tuple(tuple(t for t in line if t not in (-1, end)) for line in rows)
    return Decoded(texts, tuple(total.tolist()), tuple((~running).tolist()))


def _limits(model: Decodable, max_length: int) -> tuple[int | None, int]:
    """The end token and the steps allowed."""
    limit = None if getattr(model, "is_endless", False) else model.config.max_length
    if max_length < 1 or (limit is not None and max_length > limit):
        raise InvalidInput(f"max_length is {max_length}.", hint=f"this model writes 1 to {limit or 'any number of'} tokens")
    return getattr(model.config, "end", None), max_length


def _likely(logits: Tensor, top_k: int | None, top_p: float | None) -> Tensor:
    """Logits with the unlikely tokens at minus infinity."""
    if top_k is not None and top_k < logits.shape[-1]:
        logits = logits.masked_fill(logits < logits.topk(top_k, -1).values[:, -1:], float("-inf"))
    if top_p is not None:
        order = logits.argsort(-1, descending=True)
        probability = torch.softmax(logits, -1).gather(1, order)
        before = probability.cumsum(-1) - probability
        logits = logits.masked_fill((before >= top_p).gather(1, order.argsort(-1)), float("-inf"))
    return logits


def _normalized(score: float, length: int, penalty: float) -> float:
    return float(score / ((5 + length) / 6) ** penalty)


def _collect(
    written: Tensor, scores: Tensor, end: int | None, width: int, penalty: float, done: list[list[tuple[float, float, list[int]]]]
) -> Tensor:
    """Put the sequences that ended into ``done``; the scores of those still running, minus infinity for the others.

    The search for a source ends when ``width`` of its sequences have ended, whatever the other sources of the batch do.
    """
    length = written.shape[-1]
    last, values = written[:, :, -1].tolist(), scores.tolist()
    for i, (tokens, found) in enumerate(zip(last, values, strict=True)):
        for k, (token, score) in enumerate(zip(tokens, found, strict=True)):
            if token == end and score > float("-inf"):
                done[i].append((_normalized(score, length, penalty), score, written[i, k, :-1].tolist()))
    full = torch.tensor([len(ended) >= width for ended in done], device=scores.device)[:, None]
    return scores.masked_fill((written[:, :, -1] == (-1 if end is None else end)) | full, float("-inf"))


def _best(done: list[list[tuple[float, float, list[int]]]], written: Tensor, scores: Tensor) -> Decoded:
    tokens, values, finished = [], [], []
    for i, ended in enumerate(done):
        if ended:
            _, score, line = max(ended, key=lambda entry: entry[0])
        else:
            k = int(scores[i].argmax())
            score, line = float(scores[i, k]), written[i, k].tolist()
        tokens.append(tuple(line))
        values.append(float(score))
        finished.append(bool(ended))
    return Decoded(tuple(tokens), tuple(values), tuple(finished))
