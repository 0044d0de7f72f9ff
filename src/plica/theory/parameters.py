r"""Parameter and operation counts of published architectures, from their dimensions alone.

The tables are data as printed in the papers, contradictions included; the functions are the arithmetic they should obey.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from plica.errors import InvalidInput

__all__ = [
    "GPT3_TABLE",
    "RESNETS",
    "GPT3Row",
    "gpt_parameters",
    "lenet5_parameters",
    "mlp_parameters",
    "resnet_multiply_adds",
    "resnet_parameters",
    "swin_parameters",
    "t5_parameters",
    "training_operations",
    "transformer_layer_multiply_adds",
    "transformer_parameters",
    "vit_parameters",
]


@dataclass(frozen=True)
class GPT3Row:
    """One row of Table 2.1 of the GPT-3 paper, as printed [brown2020]_; ``printed`` is the column of parameters."""

    name: str
    printed: float
    n_layers: int
    d_model: int
    n_heads: int
    d_head: int


#: Table 2.1 of [brown2020]_, as printed.
GPT3_TABLE: tuple[GPT3Row, ...] = (
    GPT3Row("Small", 125e6, 12, 768, 12, 64),
    GPT3Row("Medium", 350e6, 24, 1024, 16, 64),
    GPT3Row("Large", 760e6, 24, 1536, 16, 96),
    GPT3Row("XL", 1.3e9, 24, 2048, 24, 128),
    GPT3Row("2.7B", 2.7e9, 32, 2560, 32, 80),
    GPT3Row("6.7B", 6.7e9, 32, 4096, 32, 128),
    GPT3Row("13B", 13.0e9, 40, 5140, 40, 128),
    GPT3Row("175B", 175.0e9, 96, 12288, 96, 128),
)


def gpt_parameters(
    n_layers: int, d_model: int, *, d_attention: int | None = None, vocabulary: int = 50257, context: int = 2048
) -> int:
    r"""Parameters of a GPT with tied embeddings, learned positions, biases and a feed-forward layer of width 4d [brown2020]_.

    .. math:: (V + T)\,d + L\,(4 d a + 3a + d + 8d^2 + 5d + 4d) + 2d, \qquad a = n_{heads} d_{head}

    which is :math:`(V+T)d + L(12d^2 + 13d) + 2d` when a = d.

    Examples
    --------
    >>> gpt_parameters(12, 768), gpt_parameters(96, 12288)
    (125226240, 174604259328)
    """
    d, a = d_model, d_model if d_attention is None else d_attention
    block = (3 * d * a + 3 * a) + (a * d + d) + (8 * d * d + 5 * d) + 4 * d
    return (vocabulary + context) * d + n_layers * block + 2 * d


def transformer_parameters(n_layers: int, d_model: int, d_ff: int, *, vocabulary: int) -> int:
    r"""Parameters of an encoder-decoder transformer with shared embeddings and n layers on each side [vaswani2017]_.

    Examples
    --------
    >>> transformer_parameters(6, 512, 2048, vocabulary=37000)
    63082496
    """
    d = d_model
    attention = 4 * (d * d + d)
    feed_forward = 2 * d * d_ff + d_ff + d
    encoder = attention + feed_forward + 2 * 2 * d
    decoder = 2 * attention + feed_forward + 3 * 2 * d
    return vocabulary * d + n_layers * (encoder + decoder)


def t5_parameters(
    n_layers: int, d_model: int, d_ff: int, *, n_heads: int, d_head: int, n_experts: int = 1, vocabulary: int = 32128
) -> int:
    r"""Parameters of a T5 with n layers on each side, no biases, tied embeddings, 32 relative-position buckets [raffel2020]_.

    With ``n_experts`` > 1 every feed-forward layer is a mixture of experts with its router, as in [fedus2022]_.

    Examples
    --------
    T5-11B, the largest T5, and Switch-C, the model with 1.6 trillion:

    >>> t5_parameters(24, 1024, 65536, n_heads=128, d_head=128)
    11307321344
    >>> t5_parameters(15, 2080, 6144, n_heads=32, d_head=64, n_experts=2048) // 10**9
    1571
    """
    d, inner = d_model, n_heads * d_head
    attention = 4 * d * inner
    router = d * n_experts if n_experts > 1 else 0
    feed_forward = n_experts * 2 * d * d_ff + router
    encoder = attention + feed_forward + 2 * d
    decoder = 2 * attention + feed_forward + 3 * d
    return vocabulary * d + n_layers * (encoder + decoder) + 2 * d + 2 * 32 * n_heads


def mlp_parameters(widths: Sequence[int]) -> int:
    """Weights and biases of a fully connected network.

    Examples
    --------
    >>> mlp_parameters([784, 128, 10])
    101770
    """
    return sum((n + 1) * m for n, m in pairwise(widths))


#: Blocks per stage, and whether a block is a bottleneck, of the ResNets of [he2016]_.
RESNETS: dict[int, tuple[tuple[int, int, int, int], bool]] = {
    18: ((2, 2, 2, 2), False),
    34: ((3, 4, 6, 3), False),
    50: ((3, 4, 6, 3), True),
    101: ((3, 4, 23, 3), True),
    152: ((3, 8, 36, 3), True),
}


def _resnet_convolutions(depth: int, *, projection: bool) -> list[tuple[int, int, int, int]]:
    """(inputs, outputs, kernel, side of the output) of every convolution for a 224 x 224 image."""
    if depth not in RESNETS:
        raise InvalidInput(f"depth {depth} is not one of the paper's.", hint=f"choose from {sorted(RESNETS)}")
    stages, bottleneck = RESNETS[depth]
    layers = [(3, 64, 7, 112)]
    n, side = 64, 56
    for stage, blocks in enumerate(stages):
        width = 64 * 2**stage
        for block in range(blocks):
            before, out = side, width * (4 if bottleneck else 1)
            side = side // 2 if stage and not block else side
            if bottleneck:  # the stride is in the 3 x 3 convolution
                layers += [(n, width, 1, before), (width, width, 3, side), (width, out, 1, side)]
            else:
                layers += [(n, width, 3, side), (width, width, 3, side)]
            if projection and n != out:
                layers.append((n, out, 1, side))
            n = out
    return layers


def resnet_parameters(depth: int, *, n_classes: int = 1000) -> int:
    """Parameters of a ResNet with projection shortcuts and batch norm, without biases in the convolutions [he2016]_.

    Examples
    --------
    >>> resnet_parameters(101)
    44549160
    """
    layers = _resnet_convolutions(depth, projection=True)
    last = 2048 if RESNETS[depth][1] else 512
    return sum(i * o * k * k + 2 * o for i, o, k, _ in layers) + (last + 1) * n_classes


def resnet_multiply_adds(depth: int, *, projection: bool = False, n_classes: int = 1000) -> int:
    """Multiply-adds of a ResNet on one 224 x 224 image, which [he2016]_ prints as FLOPs.

    Without ``projection`` the shortcuts are identities padded with zeros (option A), so the plain network has the same count.

    Examples
    --------
    >>> round(resnet_multiply_adds(34) / 1e9, 2)
    3.64
    """
    layers = _resnet_convolutions(depth, projection=projection)
    last = 2048 if RESNETS[depth][1] else 512
    return sum(i * o * k * k * s * s for i, o, k, s in layers) + last * n_classes


def vit_parameters(
    n_layers: int, d_model: int, d_ff: int, *, patch: int, image: int = 224, n_classes: int = 1000, channels: int = 3
) -> int:
    r"""Parameters of a Vision Transformer with a class token, learned positions and a linear head [dosovitskiy2021]_.

    Examples
    --------
    >>> vit_parameters(12, 768, 3072, patch=16), vit_parameters(32, 1280, 5120, patch=14)
    (86567656, 632045800)
    """
    if image % patch:
        raise InvalidInput(f"patches of side {patch} do not tile an image of side {image}.")
    d, tokens = d_model, (image // patch) ** 2 + 1
    embedding = channels * patch * patch * d + d + d + tokens * d
    block = 4 * (d * d + d) + (2 * d * d_ff + d_ff + d) + 4 * d
    return embedding + n_layers * block + 2 * d + (d + 1) * n_classes


def swin_parameters(
    width: int, depths: Sequence[int], heads: Sequence[int], *, window: int = 7, patch: int = 4, n_classes: int = 1000
) -> int:
    r"""Parameters of a Swin Transformer with relative position biases [liu2021]_.

    Examples
    --------
    >>> swin_parameters(96, (2, 2, 6, 2), (3, 6, 12, 24))
    28288354
    """
    if len(depths) != len(heads) or not depths:
        raise InvalidInput(f"{len(depths)} stages with {len(heads)} numbers of heads.")
    total, c = 3 * patch * patch * width + 3 * width, width
    for stage, (depth, n_heads) in enumerate(zip(depths, heads, strict=True)):
        if stage:  # four neighbors become one token of twice the width
            total += 8 * c * c + 8 * c
            c *= 2
        block = 4 * (c * c + c) + (8 * c * c + 5 * c) + 4 * c + (2 * window - 1) ** 2 * n_heads
        total += depth * block
    return total + 2 * c + (c + 1) * n_classes


def lenet5_parameters(*, original: bool = True) -> int:
    """Parameters of LeNet-5: the original with partly connected maps, trained pooling and fixed outputs, or the modern one.

    Examples
    --------
    >>> lenet5_parameters(), lenet5_parameters(original=False)
    (60000, 61706)
    """
    first, c5, f6 = 6 * (25 + 1), 120 * (16 * 25 + 1), 84 * (120 + 1)
    if not original:
        return first + 16 * (6 * 25 + 1) + c5 + f6 + 10 * (84 + 1)
    partly = 6 * (3 * 25 + 1) + 9 * (4 * 25 + 1) + (6 * 25 + 1)  # maps that see 3, 4 or all 6 of the maps below
    pooling = 2 * 6 + 2 * 16
    return first + partly + pooling + c5 + f6


def training_operations(n_parameters: int, n_tokens: int) -> int:
    """6 N D: operations to train a transformer with N parameters on D tokens, two thirds of them for gradients [brown2020]_.

    Examples
    --------
    >>> f"{training_operations(175 * 10**9, 300 * 10**9):.3g}"
    '3.15e+23'
    """
    return 6 * n_parameters * n_tokens


def transformer_layer_multiply_adds(length: int, d_model: int, *, d_ff: int | None = None) -> tuple[int, int]:
    r"""Multiply-adds of one layer on T tokens: (linear part :math:`4Td^2 + 2Td\,d_{ff}`, quadratic part :math:`2T^2d`).

    With :math:`d_{ff} = 4d` the quadratic part is the larger one for T > 6d.

    Examples
    --------
    >>> transformer_layer_multiply_adds(6 * 64, 64)
    (18874368, 18874368)
    """
    d = d_model
    return 4 * length * d * d + 2 * length * d * (4 * d if d_ff is None else d_ff), 2 * length * length * d
