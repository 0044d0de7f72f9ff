"""DeepNet: residual sums and first weights scaled so that a thousand layers can be trained."""

from __future__ import annotations

from dataclasses import dataclass

from torch import nn

from plica.errors import InvalidInput
from plica.models.attention import Block


@dataclass(frozen=True)
class DeepNetScales:
    """LN(alpha x + F(x)), and the first weights of F times beta."""

    alpha: float
    beta: float


def deepnet_scales(n_layers: int, *, n_other: int = 0, side: str = "only") -> DeepNetScales:
    r"""The constants of [wang2022]_, Figure 2.

    Parameters
    ----------
    n_layers
        Layers of the stack that is scaled.
    n_other
        Layers of the other side of an encoder-decoder.
    side
        ``only`` (encoder-only or decoder-only): :math:`(2N)^{1/4}, (8N)^{-1/4}`; ``encoder``:
        :math:`0.81 (N^4 M)^{1/16}, 0.87 (N^4 M)^{-1/16}`; ``decoder``: :math:`(3M)^{1/4}, (12M)^{-1/4}`.

    Examples
    --------
    >>> deepnet_scales(8)
    DeepNetScales(alpha=2.0, beta=0.3535533905932738)
    """
    if n_layers < 1:
        raise InvalidInput(f"{n_layers} layers.", hint="give a positive number")
    if side == "only":
        return DeepNetScales((2 * n_layers) ** 0.25, (8 * n_layers) ** -0.25)
    if side == "decoder":
        return DeepNetScales((3 * n_layers) ** 0.25, (12 * n_layers) ** -0.25)
    if side != "encoder" or n_other < 1:
        raise InvalidInput(f"side {side!r} with {n_other} layers on the other.", hint="'only', 'encoder' or 'decoder'")
    size = n_layers**4 * n_other
    return DeepNetScales(0.81 * size**0.0625, 0.87 * size**-0.0625)


def scale_first_weights(block: Block, beta: float) -> None:
    """Xavier's weights; those of values, outputs and feed-forward times beta."""
    for attention in (block.attention, block.cross):
        if attention is not None:
            for layer, gain in (
                (attention.q_proj, 1.0),
                (attention.k_proj, 1.0),
                (attention.v_proj, beta),
                (attention.out_proj, beta),
            ):
                _xavier(layer, gain)
    _xavier(block.feed_forward.inner, beta)
    _xavier(block.feed_forward.outer, beta)


def _xavier(layer: nn.Linear, gain: float) -> None:
    nn.init.xavier_normal_(layer.weight, gain=gain)
    if layer.bias is not None:
        nn.init.zeros_(layer.bias)
