"""An encoder reads a sequence, a decoder writes another; what passes between them is the choice."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

import torch
from torch import Tensor, nn

from plica.errors import InvalidInput
from plica.models._config import Config, one_of, positive, share, special_tokens
from plica.models._model import Model
from plica.models._tokens import check_tokens
from plica.models.recurrent._lookup import SCORES, Lookup

CELLS: dict[str, Callable[..., nn.RNNBase]] = {"rnn": nn.RNN, "gru": nn.GRU, "lstm": nn.LSTM}


@dataclass(frozen=True)
class Seq2SeqConfig(Config):
    """Sizes and choices of a recurrent encoder-decoder.

    Parameters
    ----------
    source_vocabulary, target_vocabulary
        Numbers of tokens.
    cell
        ``rnn``, ``gru`` or ``lstm``.
    context
        What the decoder sees of the source: ``none`` but its first state [sutskever2014]_, the ``fixed`` last state of the
        encoder at every step [cho2014]_, or an average of all states weighted by attention: ``additive`` [bahdanau2015]_,
        ``multiplicative`` or ``dot`` [luong2015]_.
    d_embedding, d_hidden, n_layers
        Widths and depth of both sides; a bidirectional encoder has half of ``d_hidden`` in each direction.
    padding, start, end
        The tokens with these meanings, in both vocabularies.

    The preset ``sutskever2014`` has the sizes of the 384 million parameters of the paper; the linear maps after the encoder and
    before the output, 3 million, are ours.
    """

    source_vocabulary: int
    target_vocabulary: int
    cell: str = "gru"
    context: str = "additive"
    d_embedding: int = 256
    d_hidden: int = 256
    n_layers: int = 1
    bidirectional: bool = True
    dropout: float = 0.0
    max_length: int = 1024
    padding: int = 0
    start: int = 1
    end: int = 2

    PRESETS: ClassVar[Mapping[str, Mapping[str, Any]]] = {
        "sutskever2014": {
            "source_vocabulary": 160_000, "target_vocabulary": 80_000, "cell": "lstm", "context": "none", "d_embedding": 1000,
            "d_hidden": 1000, "n_layers": 4, "bidirectional": False,
        },
    }  # fmt: skip

    def problems(self) -> list[tuple[str, str]]:
        vocabularies = {"source_vocabulary": self.source_vocabulary, "target_vocabulary": self.target_vocabulary}
        odd = [("d_hidden is odd.", "each direction has half of it")] if self.bidirectional and self.d_hidden % 2 else []
        return [
            *one_of("cell", self.cell, tuple(CELLS)),
            *one_of("context", self.context, ("none", "fixed", *SCORES)),
            *special_tokens(self.padding, self.start, self.end, **vocabularies),
            *positive(d_embedding=self.d_embedding, d_hidden=self.d_hidden, n_layers=self.n_layers, max_length=self.max_length),
            *share(dropout=self.dropout),
            *odd,
        ]

    @property
    def attends(self) -> bool:
        """Whether the decoder looks at all states of the encoder."""
        return self.context in SCORES


class Seq2SeqState(NamedTuple):
    """What the decoder carries from token to token; every tensor has the batch first."""

    hidden: Tensor
    memory: Tensor
    keys: Tensor
    visible: Tensor


class Seq2Seq(Model[Seq2SeqConfig]):
    """A recurrent encoder-decoder.

    Examples
    --------
    >>> config = Seq2SeqConfig(10, 12, d_embedding=8, d_hidden=8)
    >>> model = Seq2Seq(config)
    >>> source, target = torch.tensor([[3, 4, 5], [6, 7, 0]]), torch.tensor([[1, 5], [1, 6]])
    >>> model(source, target).shape
    torch.Size([2, 2, 12])
    """

    Config = Seq2SeqConfig

    def __init__(self, config: Seq2SeqConfig) -> None:
        super().__init__(config)
        c = config
        cell = CELLS[c.cell]
        inner = c.dropout if c.n_layers > 1 else 0.0
        sides = 2 if c.bidirectional else 1
        self.source_embedding = nn.Embedding(c.source_vocabulary, c.d_embedding)
        self.target_embedding = nn.Embedding(c.target_vocabulary, c.d_embedding)
        self.encoder = cell(
            c.d_embedding, c.d_hidden // sides, c.n_layers, batch_first=True, bidirectional=c.bidirectional, dropout=inner
        )
        self.bridge = nn.Linear(c.d_hidden, c.d_hidden)
        d_context = 0 if c.context == "none" else c.d_hidden
        self.decoder = cell(c.d_embedding + d_context, c.d_hidden, c.n_layers, batch_first=True, dropout=inner)
        self.lookup = Lookup(c.context, c.d_hidden, c.d_hidden, c.d_hidden) if c.attends else None
        self.readout = nn.Linear(c.d_hidden + d_context + c.d_embedding, c.d_embedding)
        self.output = nn.Linear(c.d_embedding, c.target_vocabulary)
        self.dropout = nn.Dropout(c.dropout)

    @property
    def n_hidden_tensors(self) -> int:
        """Two for an LSTM (hidden and cell), else one."""
        return 2 if self.config.cell == "lstm" else 1

    def encode(self, source: Tensor) -> Seq2SeqState:
        """Read the source (B, S); padding is at the ends of rows."""
        c = self.config
        check_tokens(source, c.source_vocabulary, c.max_length, "source", padding=c.padding)
        visible = source != c.padding
        lengths = visible.sum(1).clamp(min=1)
        embedded = self.dropout(self.source_embedding(source))
        packed = nn.utils.rnn.pack_padded_sequence(embedded, lengths.cpu(), batch_first=True, enforce_sorted=False)
        outputs, last = self.encoder(packed)
        memory, _ = nn.utils.rnn.pad_packed_sequence(outputs, batch_first=True, total_length=source.shape[1])
        final = last[0] if isinstance(last, tuple) else last  # (layers * sides, B, d)
        final = final.reshape(c.n_layers, -1, len(source), final.shape[-1]).permute(2, 0, 1, 3).flatten(2)  # (B, layers, d)
        hidden = torch.tanh(self.bridge(final))
        if self.n_hidden_tensors == 2:
            hidden = torch.cat([hidden, torch.zeros_like(hidden)], -1)
        keys = self.lookup.keys(memory) if self.lookup is not None else final[:, -1:]
        return Seq2SeqState(hidden, memory, keys, visible)

    def forward(self, source: Tensor, target: Tensor) -> Tensor:
        """Logits (B, T, V) of the token after each of ``target``, which begins with the start token."""
        return self.decode(target, self.encode(source))[0]

    def decode(self, target: Tensor, state: Seq2SeqState) -> tuple[Tensor, Seq2SeqState]:
        """Logits after each token of ``target``, and the state after the last."""
        logits, state, _ = self._decode(target, state)
        return logits, state

    def alignment(self, source: Tensor, target: Tensor) -> Tensor:
        """The weights (B, T, S) with which each step of the decoder looked at the source."""
        weights = self._decode(target, self.encode(source))[2]
        if weights is None:
            raise InvalidInput(
                f"a model with context {self.config.context!r} does not attend.", hint=f"use one of {', '.join(SCORES)}"
            )
        return weights

    def begin(self, source: Tensor) -> tuple[Tensor, Seq2SeqState]:
        """The start tokens (B,) and the state before them."""
        return torch.full((len(source),), self.config.start, device=source.device), self.encode(source)

    def advance(self, tokens: Tensor, state: Seq2SeqState) -> tuple[Tensor, Seq2SeqState]:
        """Logits (B, V) after the tokens (B,), and the new state."""
        logits, state = self.decode(tokens[:, None], state)
        return logits[:, 0], state

    def _decode(self, target: Tensor, state: Seq2SeqState) -> tuple[Tensor, Seq2SeqState, Tensor | None]:
        c = self.config
        check_tokens(target, c.target_vocabulary, c.max_length, "target")
        embedded = self.dropout(self.target_embedding(target))
        weights: Tensor | None = None
        if self.lookup is not None:
            steps, contexts, seen = [], [], []
            for t in range(target.shape[1]):  # the context enters the recurrence, so one step waits for the other
                query = self._top(state.hidden)
                w = self.lookup.weights(query, state.keys, state.visible)
                context = w @ state.memory
                out, hidden = self._run(torch.cat([embedded[:, t : t + 1], context], -1), state.hidden)
                state = state._replace(hidden=hidden)
                steps.append(out)
                contexts.append(context)
                seen.append(w)
            outputs, parts = torch.cat(steps, 1), [torch.cat(contexts, 1), embedded]
            weights = torch.cat(seen, 1)
        else:
            parts = [embedded]
            if c.context == "fixed":
                parts.insert(0, state.keys.expand(-1, target.shape[1], -1))
            outputs, hidden = self._run(torch.cat(parts[::-1], -1), state.hidden)
            state = state._replace(hidden=hidden)
        read = torch.tanh(self.readout(torch.cat([outputs, *parts], -1)))
        return self.output(self.dropout(read)), state, weights

    def _top(self, hidden: Tensor) -> Tensor:
        """The last layer's hidden vector as a query (B, 1, d)."""
        return hidden[:, -1:, : self.config.d_hidden]

    def _run(self, inputs: Tensor, hidden: Tensor) -> tuple[Tensor, Tensor]:
        """The decoder's recurrence from a state with the batch first to the next."""
        parts = [part.contiguous() for part in hidden.transpose(0, 1).chunk(self.n_hidden_tensors, -1)]
        outputs, last = self.decoder(inputs, tuple(parts) if len(parts) == 2 else parts[0])
        return outputs, torch.cat(last if isinstance(last, tuple) else (last,), -1).transpose(0, 1)
