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
    "mlp_parameters",
    "resnet_multiply_adds",
    "resnet_parameters",
    "t5_parameters",
    "transformer_parameters",
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
