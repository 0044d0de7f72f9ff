r"""A fixed context is a bottleneck: reversing a sequence needs attention as it grows.

Claim
    An encoder-decoder that passes one vector of fixed width from the encoder to the decoder reverses long sequences worse than
    short ones; with attention the length costs little, and the weights lie on the antidiagonal.
Source
    K. Cho, B. van Merriënboer, D. Bahdanau, Y. Bengio, On the Properties of Neural Machine Translation, SSST-8 2014 [cho2014b];
    D. Bahdanau, K. Cho, Y. Bengio, ICLR 2015 [bahdanau2015].
Prediction
    with attention more than 0.9 of the tokens right (quick: 0.8), and a gap to the model without that grows with the length;
    random tokens would be right once in ten
Measurement
    share of tokens of new random sequences that plica.models.recurrent.Seq2Seq predicts after the same number of steps, GRU of 64
    units (quick: 32), given the tokens before; share of the attention's largest weights within one place of the antidiagonal
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from plica.claims import Evidence, row

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from torch import Tensor

EXPECTED = "reproduced"
KIND = "estimated"
SEE = ("bahdanau-2015",)
SEED = 2014


def check(scale: str) -> Evidence:
    import torch

    from plica.claims.architectures._transduction import batch, token_accuracy

    lengths, n_steps, d, share = ((10, 20, 30), 700, 64, 0.9) if scale == "full" else ((4, 9), 150, 32, 0.8)
    n_batch, rate = (64, 5e-3) if scale == "full" else (32, 1e-2)
    rows, gaps, weights = [], [], None
    for length in lengths:
        settings: dict[str, Any] = {"task": "reverse", "n_steps": n_steps, "seed": SEED, "d": d, "n_batch": n_batch, "rate": rate}
        plain, _ = token_accuracy("none", length, **settings)
        attending, model = token_accuracy("additive", length, **settings)
        source, read, _ = batch(100, length, 10, torch.Generator().manual_seed(SEED), "reverse")
        weights = model.alignment(source, read)[:, :length].detach()
        # a state also knows the symbol before, so that looking one place further is as good
        near = (weights.argmax(-1) - torch.arange(length - 1, -1, -1)).abs() <= 1
        error = 0.5 / (500 * length) ** 0.5
        gaps.append(attending - plain)
        for what, measured, least in (
            ("with attention", attending, share),
            ("gap", gaps[-1], 0.0),
            ("peaks within one place of the antidiagonal", float(near.double().mean()), 0.7),
        ):
            rows.append(row(measured, ">", least, kind="estimated", standard_error=error, length=length, what=what))
    assert weights is not None
    growth = gaps[-1] - gaps[0]
    rows.append(row(growth, ">", 0.05, kind="estimated", standard_error=0.01, length=lengths[-1], what="growth of the gap"))
    return Evidence(rows, draw=figure(weights[0]), seed=SEED, reproduction=True)


def figure(weights: Tensor) -> Callable[[Axes], None]:
    """Where each step of the decoder looked, for one sequence."""

    def draw(ax: Axes) -> None:
        ax.imshow(weights.numpy(), cmap="cividis", vmin=0, vmax=1)
        ax.set_xlabel("position in the source")
        ax.set_ylabel("step of the decoder")

    return draw
