r"""The quadratic part of a transformer layer is the larger one beyond 6 d tokens.

Claim
    A layer of width d with feed-forward width 4 d spends 12 T d^2 multiply-adds on projections and 2 T^2 d on scores and
    averages: equal at T = 6 d.
Source
    A. Vaswani et al., NeurIPS 2017, Table 1, for the orders T^2 d and T d^2 [vaswani2017].
Prediction
    plica.theory.parameters.transformer_layer_multiply_adds
Measurement
    multiply-adds that torch counts in one pass of plica.models.attention.Block: all of them, and those of the linear maps alone
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from plica._palette import REFERENCE, SERIES
from plica.claims import Evidence, row
from plica.theory.parameters import transformer_layer_multiply_adds

if TYPE_CHECKING:
    from matplotlib.axes import Axes

STATEMENT = "theorem"
EXPECTED = "holds"
KIND = "exact"
SEE = ("transformer-sizes",)


def counted(length: int, d: int) -> tuple[int, int]:
    """(linear maps, scores and averages) of a block without softmax, whose products torch counts one by one."""
    import torch
    from torch.utils.flop_counter import FlopCounterMode

    from plica.models.attention import Block, Pointwise

    counter = FlopCounterMode(display=False)
    with torch.device("meta"):
        block, x = Block(d, 2, attention={"normalizer": Pointwise("relu")}), torch.empty(1, length, d)
        with counter:
            block(x)
    by_operation = {str(operation): count // 2 for operation, count in counter.get_flop_counts()["Global"].items()}
    quadratic = by_operation.get("aten.bmm", 0) + by_operation.get("aten.baddbmm", 0)
    return sum(by_operation.values()) - quadratic, quadratic


def check(scale: str) -> Evidence:
    rows = []
    for d in (16, 64) + ((512,) if scale == "full" else ()):
        for length in (d, 6 * d, 36 * d):
            for what, measured, predicted in zip(
                ("linear", "quadratic"), counted(length, d), transformer_layer_multiply_adds(length, d), strict=True
            ):
                rows.append(row(measured, "=", predicted, part=what, tokens=length, d=d))
    return Evidence(rows, draw=draw)


def draw(ax: Axes) -> None:
    """Both parts of a layer against the number of tokens, in units of its width."""
    d = 64
    lengths = [d * k / 4 for k in range(1, 49)]
    both = [transformer_layer_multiply_adds(round(length), d) for length in lengths]
    for part, color, label in zip(
        zip(*both, strict=True), SERIES, ("projections, 12 T d²", "scores and averages, 2 T² d"), strict=False
    ):
        ax.plot([length / d for length in lengths], part, color=color, label=label)
    ax.axvline(6, color=REFERENCE, linewidth=1, linestyle=":")
    ax.set(xlabel="tokens T / width d", ylabel="multiply-adds of a layer, d = 64")
    ax.legend(frameon=False)
    ax.spines[["top", "right"]].set_visible(False)
