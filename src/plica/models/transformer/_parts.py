"""What the transformers share: tokens with positions, stacks of blocks, first weights."""

from __future__ import annotations

from typing import Any

from torch import Tensor, nn

from plica.models._config import one_of
from plica.models.attention import Block, Learned, Linformer, Mask, Performer, Sinusoidal, big_bird, causal, full, window
from plica.models.transformer._deepnet import DeepNetScales, scale_first_weights

POSITIONS = ("none", "sinusoidal", "learned", "rotary", "alibi", "buckets", "relative", "lecture")
NORMS = ("pre", "post", "none", "deepnet")
VARIANTS = ("full", "window", "big-bird", "linformer", "performer", "linear")
SCORES = ("scaled", "dot", "cosine", "multiplicative", "additive", "distance")


def common_problems(position: str, norm: str) -> list[tuple[str, str]]:
    return [*one_of("position", position, POSITIONS), *one_of("norm", norm, NORMS)]


class Tokens(nn.Module):
    """Embeddings, times sqrt(d) if they are small, with absolute positions and dropout."""

    def __init__(self, vocabulary: int, d: int, *, position: str, max_length: int, dropout: float, std: float) -> None:
        super().__init__()
        self.embedding = nn.Embedding(vocabulary, d)
        nn.init.normal_(self.embedding.weight, std=std)
        self.scale = d**0.5 if position == "sinusoidal" else 1.0
        self.position = absolute_position(position, d, max_length)
        self.dropout = nn.Dropout(dropout)

    def forward(self, tokens: Tensor, *, offset: int = 0) -> Tensor:
        x = self.embedding(tokens) * self.scale
        if self.position is not None:
            x = self.position(x, offset=offset)
        out: Tensor = self.dropout(x)
        return out


def absolute_position(position: str, d: int, max_length: int) -> Learned | Sinusoidal | None:
    """What joins the tokens before the first block; other positions act in every attention."""
    if position == "learned":
        return Learned(max_length, d)
    return Sinusoidal(d) if position == "sinusoidal" else None


def attention_position(position: str, d_inner: int) -> Any:
    """What acts in every attention; the lectures' positions join queries, keys and values, with their own indexing."""
    if position == "lecture":
        return Sinusoidal(d_inner, indexing="lecture", into="projections")
    return position if position in ("rotary", "alibi", "buckets", "relative") else None


def attention_choices(
    variant: str, *, d_head: int, max_length: int, is_causal: bool, reach: int, n_features: int, seed: int = 0
) -> dict[str, Any]:
    """Mask and normalizer of an efficient variant, fresh for each block."""
    mask: Mask = causal() if is_causal else full()
    if variant == "window":
        mask = window(reach, causal=is_causal)
    if variant == "big-bird":
        mask = big_bird(reach, seed=seed) & mask
    normalizer: Any = None
    if variant == "linformer":
        normalizer = Linformer(max_length, n_features)
    if variant == "performer":
        normalizer = Performer(d_head, n_features, seed=seed)
    if variant == "linear":
        normalizer = "linear"
    return {"mask": mask, "normalizer": normalizer}


def initialize(module: nn.Module, std: float | None) -> None:
    """Normal weights of one size, or Xavier's uniform ones; biases are zero."""
    for part in module.modules():
        if isinstance(part, nn.Linear):
            if std is None:
                nn.init.xavier_uniform_(part.weight)
            else:
                nn.init.normal_(part.weight, std=std)
            if part.bias is not None:
                nn.init.zeros_(part.bias)


def block_norm(norm: str) -> str:
    """DeepNet is a post-norm."""
    return "post" if norm == "deepnet" else norm


def apply_deepnet(blocks: nn.ModuleList, scales: DeepNetScales) -> None:
    """Set the residual factor and the first weights of every block."""
    for block in blocks:
        assert isinstance(block, Block)
        block.residual_scale = scales.alpha
        scale_first_weights(block, scales.beta)
