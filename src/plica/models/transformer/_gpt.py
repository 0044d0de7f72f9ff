"""GPT: a stack of causal blocks that continues sequences."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

import torch
from torch import Tensor, nn

from plica.models._config import Config, divides, one_of, positive, share
from plica.models._model import Model
from plica.models._tokens import check_tokens
from plica.models.attention import NORM_KINDS, Block, Buckets, Cache, Rotary, token_norm
from plica.models.transformer._deepnet import deepnet_scales
from plica.models.transformer._parts import (
    SCORES,
    VARIANTS,
    Tokens,
    apply_deepnet,
    attention_choices,
    attention_position,
    block_norm,
    common_problems,
    initialize,
)

#: What is wrong in the lectures' block, which the preset ``lecture`` builds as printed.
LECTURE = (
    "the outer ReLU makes X + ReLU(W_1 ReLU(W_2 H)) at least X: no entry of the stream can ever fall (claim slide-block)",
    "attention has no residual sum of its own: H enters only through the two matrices",
    "queries and keys of unit length and the factor d^-1/2 make the weights nearly uniform, their ratio at most exp(2 d^-1/2)",
    "positions are added to queries, keys and values, not to the tokens, so that values of equal tokens differ",
    "the sinusoids start with the exponent 2/d, so that the frequency 1 is missing",
    "W_O H should be H W_O for tokens in rows, which is what is built",
)


def _gpt3(n_layers: int, d_model: int, n_heads: int) -> dict[str, Any]:
    return {"vocabulary": 50257, "max_length": 2048, "n_layers": n_layers, "d_model": d_model, "n_heads": n_heads}


def _gpt2(n_layers: int, d_model: int, n_heads: int) -> dict[str, Any]:
    return _gpt3(n_layers, d_model, n_heads) | {"max_length": 1024}


@dataclass(frozen=True)
class GPTConfig(Config):
    """Sizes and choices of a decoder.

    Parameters
    ----------
    vocabulary, max_length
        Numbers of tokens and of positions.
    d_model, n_layers, n_heads, d_head, d_ff
        Widths; ``d_head`` and ``d_ff`` of 0 stand for d_model / n_heads and 4 d_model.
    norm
        ``pre``, ``post``, ``none``, or ``deepnet``: post-norm with the scales of :func:`plica.models.transformer.deepnet_scales`.
    norm_kind, epsilon
        ``layer`` or ``rms``, and what is added under its root.
    n_kv_heads
        Heads of keys and values, each shared by several heads of queries; 0 for as many as ``n_heads``.
    rotary_base, rotary_pairs
        Of :class:`plica.models.attention.Rotary`.
    residual, phi_2
        Of :class:`plica.models.attention.Block`.
    score, variant, position
        Of the attention; a ``window`` looks ``reach`` tokens back, blocks of ``big-bird`` have ``reach`` tokens, a ``performer``
        has ``n_features``.
    """

    vocabulary: int
    d_model: int
    n_layers: int
    n_heads: int
    max_length: int = 1024
    d_head: int = 0
    n_kv_heads: int = 0
    d_ff: int = 0
    position: str = "learned"
    rotary_base: float = 10000.0
    rotary_pairs: str = "neighbors"
    norm: str = "pre"
    norm_kind: str = "layer"
    epsilon: float = 1e-5
    residual: str = "both"
    phi_2: str = "identity"
    activation: str = "gelu"
    score: str = "scaled"
    variant: str = "full"
    reach: int = 64
    n_features: int = 256
    bias: bool = True
    tied: bool = True
    dropout: float = 0.0

    PRESETS: ClassVar[Mapping[str, Mapping[str, Any]]] = {
        "gpt3-small": _gpt3(12, 768, 12),
        "gpt3-medium": _gpt3(24, 1024, 16),
        "gpt3-large": _gpt3(24, 1536, 16),
        "gpt3-xl": _gpt3(24, 2048, 16),  # printed: 24 heads of 128, which are 3072 (claim gpt3-table-heads)
        "gpt3-2.7b": _gpt3(32, 2560, 32),
        "gpt3-6.7b": _gpt3(32, 4096, 32),
        "gpt3-13b": _gpt3(40, 5120, 40),  # printed: width 5140 with 40 heads of 128
        "gpt3-175b": _gpt3(96, 12288, 96),
        "gpt2-small": _gpt2(12, 768, 12),
        "gpt2-medium": _gpt2(24, 1024, 16),
        "gpt2-large": _gpt2(36, 1280, 20),
        "gpt2-xl": _gpt2(48, 1600, 25),
        "chars": {"vocabulary": 65, "d_model": 128, "n_layers": 4, "n_heads": 4, "max_length": 64, "bias": False},
        "lecture": {
            "vocabulary": 65, "d_model": 128, "n_layers": 4, "n_heads": 4, "max_length": 64, "position": "lecture",
            "norm": "none", "residual": "lecture", "activation": "relu", "phi_2": "identity", "score": "cosine", "d_ff": 128,
            "tied": False,
        },
    }  # fmt: skip

    def problems(self) -> list[tuple[str, str]]:
        found = [
            *positive(vocabulary=self.vocabulary, d_model=self.d_model, n_layers=self.n_layers, max_length=self.max_length),
            *([] if self.d_head else divides(n_heads=(self.n_heads, self.d_model))),
            *common_problems(self.position, self.norm),
            *one_of("norm_kind", self.norm_kind, NORM_KINDS),
            *one_of("rotary_pairs", self.rotary_pairs, ("neighbors", "halves")),
            *positive(epsilon=self.epsilon, rotary_base=self.rotary_base),
            *(divides(n_kv_heads=(self.n_kv_heads, self.n_heads)) if self.n_kv_heads else []),
            *one_of("score", self.score, SCORES),
            *one_of("variant", self.variant, VARIANTS),
            *one_of("residual", self.residual, ("both", "lecture")),
            *share(dropout=self.dropout),
        ]
        if self.variant == "linformer":
            found.append(("a Linformer mixes all tokens, so it cannot be causal.", "use 'performer', 'window' or 'big-bird'"))
        return found

    @property
    def width_of_head(self) -> int:
        return self.d_head or self.d_model // self.n_heads

    @property
    def end(self) -> int | None:
        """Texts have no end token."""
        return None


class GPTState(NamedTuple):
    """The tokens that the model sees (B, t), and their keys and values for each block."""

    caches: tuple[Cache, ...]
    tokens: Tensor


class GPT(Model[GPTConfig]):
    """Causal transformer [radford2019]_ [brown2020]_.

    Examples
    --------
    >>> import torch
    >>> model = GPT(GPTConfig.preset("chars"))
    >>> model(torch.tensor([[5, 6, 7]])).shape
    torch.Size([1, 3, 65])
    >>> GPT.count_parameters("gpt3-small")
    125226240
    """

    Config = GPTConfig
    is_endless = True  # the context slides

    def __init__(self, config: GPTConfig) -> None:
        super().__init__(config)
        c = config
        self.tokens = Tokens(
            c.vocabulary, c.d_model, position=c.position, max_length=c.max_length, dropout=c.dropout,
            std=c.d_model**-0.5 if c.position == "sinusoidal" else 0.02,
        )  # fmt: skip
        self.blocks = nn.ModuleList(self._block(seed) for seed in range(c.n_layers))
        last = token_norm(c.d_model, kind=c.norm_kind, epsilon=c.epsilon, bias=c.bias)
        self.norm = last if c.norm == "pre" else nn.Identity()
        self.output = nn.Linear(c.d_model, c.vocabulary, bias=False)
        initialize(self.blocks, 0.02)
        for block in self.blocks:  # the sum over layers keeps its size
            assert isinstance(block, Block)
            nn.init.normal_(block.attention.out_proj.weight, std=0.02 * (2 * c.n_layers) ** -0.5)
            nn.init.normal_(block.feed_forward.outer.weight, std=0.02 * (2 * c.n_layers) ** -0.5)
        if c.norm == "deepnet":
            apply_deepnet(self.blocks, deepnet_scales(c.n_layers))
        if c.tied:
            self.output.weight = self.tokens.embedding.weight
        else:
            nn.init.normal_(self.output.weight, std=0.02)

    def _block(self, seed: int) -> Block:
        c = self.config
        choices = attention_choices(
            c.variant, d_head=c.width_of_head, max_length=c.max_length, is_causal=True, reach=c.reach, n_features=c.n_features,
            seed=seed,
        )  # fmt: skip
        choices |= {
            "position": attention_position(c.position, c.width_of_head * c.n_heads),
            "score": c.score,
            "d_head": c.d_head or None,
            "n_kv_heads": c.n_kv_heads or None,
        }
        if c.position == "rotary":
            choices["position"] = Rotary(c.width_of_head, base=c.rotary_base, pairs=c.rotary_pairs)
        if c.position == "buckets":
            choices["position"] = Buckets(c.n_heads, causal=True)
        if c.variant in ("performer", "linear"):
            choices["dropout"] = 0.0
        return Block(
            c.d_model, c.n_heads, d_ff=c.d_ff or None, norm=block_norm(c.norm), norm_kind=c.norm_kind, epsilon=c.epsilon,
            activation=c.activation, phi_2=c.phi_2, residual=c.residual, attention=choices, dropout=c.dropout, bias=c.bias,
        )  # fmt: skip

    def forward(self, tokens: Tensor) -> Tensor:
        """Logits (B, T, V) of the token after each of ``tokens`` (B, T)."""
        check_tokens(tokens, self.config.vocabulary, self.config.max_length, "tokens")
        return self._read(tokens, [None] * len(self.blocks), 0)

    def _read(self, tokens: Tensor, caches: list[Cache | None], offset: int) -> Tensor:
        x = self.tokens(tokens, offset=offset)
        for block, cache in zip(self.blocks, caches, strict=True):
            x = block(x, cache=cache)
        logits: Tensor = self.output(self.norm(x))
        return logits

    def loss(self, tokens: Tensor) -> Tensor:
        """Mean cross-entropy, in nats, of every token but the first given those before it."""
        logits = self(tokens[:, :-1])
        return nn.functional.cross_entropy(logits.flatten(0, 1), tokens[:, 1:].flatten())

    def begin(self, prompt: Tensor) -> tuple[Tensor, GPTState]:
        """The last tokens of the prompts (B, T), all of one length, and the state before; of a long prompt its end is read."""
        check_tokens(prompt, self.config.vocabulary, prompt.shape[-1], "prompt")
        seen = prompt[:, -self.config.max_length : -1]
        caches = tuple(Cache() for _ in self.blocks)
        if seen.shape[1]:
            self._read(seen, list(caches), 0)
        return prompt[:, -1], GPTState(caches, seen)

    def advance(self, tokens: Tensor, state: GPTState) -> tuple[Tensor, GPTState]:
        """Logits (B, V) after the tokens (B,); the caches of the state grow.

        Where the context is full, the window moves on by one token. All positions move with it, so it is read anew.
        """
        seen = torch.cat([state.tokens, tokens[:, None]], 1)
        new, caches = tokens[:, None], state.caches
        if seen.shape[1] > self.config.max_length:
            new = seen = seen[:, 1:]
            caches = tuple(Cache() for _ in self.blocks)
        logits = self._read(new, list(caches), seen.shape[1] - new.shape[1])
        return logits[:, -1], GPTState(caches, seen)
