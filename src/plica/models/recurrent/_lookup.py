"""Attention of one query at a time over a memory whose keys are projected once."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from plica.models.attention import Explanation

SCORES = ("additive", "multiplicative", "dot")


class Lookup(nn.Module):
    r"""Scores of queries against a memory, with what depends on the memory alone computed once.

    =============== ============================ ==================
    score           formula                      parameters
    =============== ============================ ==================
    additive        u^T tanh(W_1 m + W_2 q + b)  d (d_m + d_q + 2)
    multiplicative  q^T W m                      d_q d_m
    dot             q^T m, for equal widths      0
    =============== ============================ ==================

    It is the attention of :mod:`plica.models.attention` with the same score; a recurrent decoder asks one query after the
    other, so the keys are kept.
    """

    def __init__(self, score: str, d_query: int, d_memory: int, d_score: int) -> None:
        super().__init__()
        self.score = score
        if score == "additive":
            self.of_memory = nn.Linear(d_memory, d_score, bias=False)
            self.of_query = nn.Linear(d_query, d_score)
            self.direction = nn.Parameter(torch.empty(d_score))
            nn.init.uniform_(self.direction, -(d_score**-0.5), d_score**-0.5)
        elif score == "multiplicative":
            self.of_memory = nn.Linear(d_memory, d_query, bias=False)

    def keys(self, memory: Tensor) -> Tensor:
        """What the scores need of the memory (B, S, d_memory)."""
        return memory if self.score == "dot" else self.of_memory(memory)

    def scores(self, query: Tensor, keys: Tensor) -> Tensor:
        """(B, T, S) for queries (B, T, d_query)."""
        if self.score == "additive":
            mixed = torch.tanh(self.of_query(query)[:, :, None] + keys[:, None])
            return mixed @ self.direction
        return query @ keys.transpose(1, 2)

    def forward(self, query: Tensor, keys: Tensor, visible: Tensor) -> Tensor:
        """Scores (B, T, S), minus infinity where the memory is not visible: (B, S) or (B, T, S)."""
        return self.scores(query, keys).masked_fill(~(visible[:, None] if visible.dim() == 2 else visible), float("-inf"))

    def weights(self, query: Tensor, keys: Tensor, visible: Tensor) -> Tensor:
        """Softmax over the visible entries of the memory; a row that sees nothing is zero."""
        return _softmax(self(query, keys, visible))

    def explain_call(self, output: Tensor, *_: Tensor) -> Explanation:
        """What :func:`plica.record` keeps of a call that gave ``output``: one head."""
        return Explanation.of_weights(output, _softmax(output)[:, None], output[:, None])


def _softmax(scores: Tensor) -> Tensor:
    weights = torch.softmax(scores, -1)
    return torch.where(scores.isneginf().all(-1, keepdim=True), torch.zeros_like(weights), weights)
