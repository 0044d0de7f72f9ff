r"""Gradients reach the first word through attention as they do not through time.

Claim
    In a recurrent encoder-decoder the derivative of what is written first by the first word of the source falls exponentially
    with the source's length; with attention it falls like one over the length, the first word's share of the average.
Source
    University of Washington lecture, "helps vanishing gradient" [washington-lecture]; D. Bahdanau, K. Cho, Y. Bengio, ICLR
    2015 [bahdanau2015]; S. Hochreiter, J. Schmidhuber, 1997, on products of derivatives [hochreiter1997].
Prediction
    without attention at most 3^(-n/2) from a length to one larger by n: weights uniform on [-d^(-1/2), d^(-1/2)] have
    variance 1 / (3 d), and the derivative of tanh is at most 1; with attention 1 / 2 when the length doubles
Measurement
    root mean square over first weights, as torch draws them, of the derivative by the first word's embedding of
    plica.models.recurrent.Seq2Seq with tanh cells, by automatic differentiation
Remark
    Before training the weights of attention are almost equal. A trained model may look at the first word alone: then the
    derivative does not fall at all.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
import torch

from plica._palette import PREDICTION, SERIES
from plica._types import Array
from plica.claims import Evidence, control, row
from plica.models import build
from plica.models.recurrent import Seq2Seq, Seq2SeqConfig

if TYPE_CHECKING:
    from matplotlib.axes import Axes

STATEMENT = "theorem"
EXPECTED = "holds"
KIND = "estimated"
SEE = ("bahdanau-2015", "fixed-context-bottleneck", "lstm-equations")
SEED, D = 13, 48
LENGTHS = (8, 16, 32)


def gradients(context: str, lengths: tuple[int, ...], seed: int) -> Array:
    """The size of the derivative for each length, of one model; the first word is in no other place."""
    config = Seq2SeqConfig(12, 12, cell="rnn", context=context, d_embedding=D, d_hidden=D, bidirectional=False)
    model = build(Seq2Seq, config, seed=seed).double()
    generator = torch.Generator().manual_seed(seed)
    words = torch.randint(4, 12, (1, max(lengths)), generator=generator)
    words[0, 0] = 3
    aim = torch.randn(12, generator=generator).double()
    found = []
    for n in lengths:
        (by,) = torch.autograd.grad(
            model(words[:, :n], torch.ones(1, 1, dtype=torch.long))[0, 0] @ aim, model.source_embedding.weight
        )
        found.append(float(by[3].norm()))
    return np.array(found)


def check(scale: str) -> Evidence:
    seeds = range(SEED, SEED + (100 if scale == "full" else 24))
    rows, shown = [], {}
    for context in ("none", "additive"):
        squares = np.array([gradients(context, LENGTHS, seed) for seed in seeds]) ** 2
        shown[context] = np.sqrt(squares.mean(0))
        for i, (short, long) in enumerate(((8, 16), (16, 32))):
            ratio, error = _ratio(squares[:, i + 1], squares[:, i])
            about: dict[str, Any] = {"kind": "estimated", "standard_error": error, "from_length": short, "to_length": long}
            if context == "none":
                rows.append(row(ratio, "<", 3.0 ** (-(long - short) / 2), model="through time", **about))
            else:
                rows.append(row(ratio, "=", 0.5, tolerance=0.05, model="with attention", **about))
    gain = float(shown["additive"][-1] / shown["none"][-1])
    rows.append(control(gain, ">", 1e5, kind="estimated", standard_error=1e3, model="with attention over without", to_length=32))
    return Evidence(rows, draw=partial(draw, shown), seed=SEED)


def _ratio(above: Array, below: Array) -> tuple[float, float]:
    """The root of a ratio of means, and its standard error over models."""
    value = float(np.sqrt(above.mean() / below.mean()))
    leave = np.array([np.sqrt(np.delete(above, i).mean() / np.delete(below, i).mean()) for i in range(len(above))])
    return value, float(np.sqrt((len(leave) - 1) * ((leave - leave.mean()) ** 2).mean()))


def draw(shown: dict[str, Array], ax: Axes) -> None:
    """The derivative by the first word against the length, and what was predicted from the shortest on."""
    n = np.array(LENGTHS)
    for color, (context, found) in zip(SERIES, shown.items(), strict=False):
        name = "through time" if context == "none" else "with attention"
        ax.plot(n, found, "o-", color=color, label=name)
    ax.plot(n, shown["none"][0] * 3.0 ** (-(n - 8) / 2), "--", color=PREDICTION, linewidth=1, label="at most, through time")
    ax.plot(n, shown["additive"][0] * 8 / n, ":", color=PREDICTION, linewidth=1, label="one over the length")
    ax.set(yscale="log", xlabel="words of the source", ylabel="derivative by the first word")
    ax.legend(frameon=False, fontsize=8)
    ax.spines[["top", "right"]].set_visible(False)
