"""The encoder-decoder transformer."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

import torch
from torch import Tensor, nn

from plica.models._config import Config, divides, one_of, positive, share, special_tokens
from plica.models._model import Model
from plica.models._tokens import check_tokens, has_values
from plica.models.attention import Block, Cache, Mask, causal, explicit, record
from plica.models.transformer._deepnet import deepnet_scales
from plica.models.transformer._parts import (
    Tokens,
    apply_deepnet,
    attention_position,
    block_norm,
    common_problems,
    initialize,
)


@dataclass(frozen=True)
class TransformerConfig(Config):
    """Sizes and choices of an encoder-decoder.

    Parameters
    ----------
    source_vocabulary, target_vocabulary, max_length
        Numbers of tokens, and the longest sequence that is read or written.
    d_model, n_heads, d_ff, n_encoder_layers, n_decoder_layers
        Widths and depths.
    norm
        ``post`` as in the paper, ``pre``, ``none`` or ``deepnet``.
    tied
        ``all``: one table for source, target and output; ``output``: target and output share theirs; ``none``.
    padding, start, end
        The tokens with these meanings, in both vocabularies.
    """

    source_vocabulary: int
    target_vocabulary: int
    d_model: int = 512
    n_heads: int = 8
    d_ff: int = 2048
    n_encoder_layers: int = 6
    n_decoder_layers: int = 6
    norm: str = "post"
    position: str = "sinusoidal"
    activation: str = "relu"
    tied: str = "all"
    dropout: float = 0.1
    max_length: int = 1024
    padding: int = 0
    start: int = 1
    end: int = 2

    PRESETS: ClassVar[Mapping[str, Mapping[str, Any]]] = {
        "transformer-base": {"source_vocabulary": 37000, "target_vocabulary": 37000},
        "transformer-big": {
            "source_vocabulary": 37000, "target_vocabulary": 37000, "d_model": 1024, "n_heads": 16, "d_ff": 4096, "dropout": 0.3,
        },
    }  # fmt: skip

    def problems(self) -> list[tuple[str, str]]:
        vocabularies = {"source_vocabulary": self.source_vocabulary, "target_vocabulary": self.target_vocabulary}
        found = [
            *special_tokens(self.padding, self.start, self.end, **vocabularies),
            *positive(d_model=self.d_model, d_ff=self.d_ff, max_length=self.max_length),
            *positive(n_encoder_layers=self.n_encoder_layers, n_decoder_layers=self.n_decoder_layers),
            *divides(n_heads=(self.n_heads, self.d_model)),
            *common_problems(self.position, self.norm),
            *one_of("tied", self.tied, ("all", "output", "none")),
            *share(dropout=self.dropout),
        ]
        if self.tied == "all" and self.source_vocabulary != self.target_vocabulary:
            found.append(("one table for two vocabularies.", "use one vocabulary or tied='output'"))
        return found


class TransformerState(NamedTuple):
    """What the decoder keeps: its own keys and values, those of the source, and which source tokens are there."""

    caches: tuple[Cache, ...]
    memories: tuple[Cache, ...]
    memory: Tensor
    visible: Tensor


class Transformer(Model[TransformerConfig]):
    """Attention Is All You Need [vaswani2017]_.

    Examples
    --------
    >>> model = Transformer(TransformerConfig(20, 20, d_model=16, n_heads=2, d_ff=32, n_encoder_layers=1, n_decoder_layers=1))
    >>> model(torch.tensor([[3, 4, 5], [6, 7, 0]]), torch.tensor([[1, 5], [1, 6]])).shape
    torch.Size([2, 2, 20])
    >>> Transformer.count_parameters("transformer-base")
    63082496
    """

    Config = TransformerConfig

    def __init__(self, config: TransformerConfig) -> None:
        super().__init__(config)
        c = config
        std = c.d_model**-0.5 if c.position == "sinusoidal" else 0.02

        def tokens(vocabulary: int) -> Tokens:
            return Tokens(vocabulary, c.d_model, position=c.position, max_length=c.max_length, dropout=c.dropout, std=std)

        self.source, self.target = tokens(c.source_vocabulary), tokens(c.target_vocabulary)
        self.encoder = nn.ModuleList(self._block(decoder=False) for _ in range(c.n_encoder_layers))
        self.decoder = nn.ModuleList(self._block(decoder=True) for _ in range(c.n_decoder_layers))
        last = c.norm == "pre"
        self.encoder_norm: nn.Module = nn.LayerNorm(c.d_model) if last else nn.Identity()
        self.decoder_norm: nn.Module = nn.LayerNorm(c.d_model) if last else nn.Identity()
        self.output = nn.Linear(c.d_model, c.target_vocabulary, bias=False)
        for stack in (self.encoder, self.decoder):
            initialize(stack, None)
        if c.norm == "deepnet":
            n, m = c.n_encoder_layers, c.n_decoder_layers
            apply_deepnet(self.encoder, deepnet_scales(n, n_other=m, side="encoder"))
            apply_deepnet(self.decoder, deepnet_scales(m, side="decoder"))
        if c.tied != "none":
            self.output.weight = self.target.embedding.weight
        if c.tied == "all":
            self.source.embedding.weight = self.target.embedding.weight
            if c.position == "learned":
                self.source.position = self.target.position

    def _block(self, *, decoder: bool) -> Block:
        c = self.config
        choices: dict[str, Any] = {"position": attention_position(c.position, c.d_model)}
        if decoder:
            choices["mask"] = causal()
        return Block(
            c.d_model, c.n_heads, d_ff=c.d_ff, norm=block_norm(c.norm), activation=c.activation, cross=decoder, attention=choices,
            dropout=c.dropout,
        )  # fmt: skip

    def encode(self, source: Tensor) -> tuple[Tensor, Tensor]:
        """The memory (B, S, d) of a source (B, S), and which of its tokens are there."""
        c = self.config
        check_tokens(source, c.source_vocabulary, c.max_length, "source", padding=c.padding)
        visible = source != c.padding
        mask = _keys(visible)
        x = self.source(source)
        for block in self.encoder:
            x = block(x, mask=mask)
        return self.encoder_norm(x), visible

    def forward(self, source: Tensor, target: Tensor) -> Tensor:
        """Logits (B, T, V) of the token after each of ``target``, which begins with the start token."""
        memory, visible = self.encode(source)
        return self._write(target, memory, visible, None, 0)

    def begin(self, source: Tensor) -> tuple[Tensor, TransformerState]:
        """The start tokens (B,) and the state before them."""
        memory, visible = self.encode(source)
        caches = tuple(Cache() for _ in self.decoder)
        memories = tuple(Cache(fixed=True) for _ in self.decoder)
        start = torch.full((len(source),), self.config.start, device=source.device)
        return start, TransformerState(caches, memories, memory, visible)

    def advance(self, tokens: Tensor, state: TransformerState) -> tuple[Tensor, TransformerState]:
        """Logits (B, V) after the tokens (B,); the caches of the state grow."""
        logits = self._write(tokens[:, None], state.memory, state.visible, state, len(state.caches[0]))
        return logits[:, 0], state

    def alignment(self, source: Tensor, target: Tensor) -> Tensor:
        """Weights (B, T, S) of the decoder on the source, averaged over heads and layers."""
        with record(self.decoder) as seen:
            self(source, target)
        return torch.stack([seen[f"{i}.cross"].weights.mean(1) for i in range(len(self.decoder))]).mean(0)

    def _write(self, target: Tensor, memory: Tensor, visible: Tensor, state: TransformerState | None, offset: int) -> Tensor:
        c = self.config
        check_tokens(target, c.target_vocabulary, c.max_length - offset, "target")
        mask = _keys(visible)
        x = self.target(target, offset=offset)
        for i, block in enumerate(self.decoder):
            own, other = (None, None) if state is None else (state.caches[i], state.memories[i])
            x = block(x, memory, context_mask=mask, cache=own, context_cache=other)
        logits: Tensor = self.output(self.decoder_norm(x))
        return logits


def _keys(visible: Tensor) -> Mask | None:
    """Hide padding from every query; nothing to hide is no mask, which is faster."""
    return None if has_values(visible) and bool(visible.all()) else explicit(visible[:, None, None])
