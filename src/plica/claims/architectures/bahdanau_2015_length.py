r"""Bahdanau, Cho, Bengio: with attention, quality does not fall with the length of the sentence.

Claim
    A model with one context vector gets worse as sentences get longer; a model with attention, trained on the same sentences,
    does not. In the paper BLEU of the one falls beyond 30 words, that of the other stays to 50 and more.
Source
    D. Bahdanau, K. Cho, Y. Bengio, ICLR 2015, Figure 2 [bahdanau2015]; University of Washington lecture [washington-lecture].
Prediction
    from the shortest to the longest a loss of more than 0.15 of the tokens without attention, more than with it; at the
    longest more tokens right with attention than without, by more than 0.15
Measurement
    share of tokens right, by length, of two models plica.models.recurrent.Seq2Seq that were trained on reversing sequences of
    all lengths up to the longest
Stand-in
    Reversing random sequences of 2 to 8 tokens in place of WMT'14; at full scale, up to 20 tokens.
Remark
    Steps, width and longest sequence of the quick check were adjusted after first runs of it; how often was not written down.
    Those of the full scale stood before it was first run.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

import torch
from torch import Tensor, nn

from plica._palette import SERIES
from plica.claims import Evidence, row

if TYPE_CHECKING:
    from matplotlib.axes import Axes

STATEMENT = "published result"
EXPECTED = "reproduced"
KIND = "estimated"
SEE = ("bahdanau-2015", "fixed-context-bottleneck", "gradients-through-attention")
SEED, N_TEST, SYMBOLS = 50, 200, 10


def right_by_length(context: str, longest: int, lengths: tuple[int, ...], *, n_steps: int, d: int) -> dict[int, float]:
    """Train on lengths drawn from 2 ... longest, a batch of one length at a time; test at some."""
    from plica.claims.architectures._transduction import N_SPECIAL, batch
    from plica.learn.tasks import Recipe, train
    from plica.models import build
    from plica.models.recurrent import Seq2Seq, Seq2SeqConfig

    config = Seq2SeqConfig(
        N_SPECIAL + SYMBOLS, N_SPECIAL + SYMBOLS, context=context, d_embedding=d, d_hidden=d, bidirectional=False
    )
    model = build(Seq2Seq, config, seed=SEED)

    def draw_batch(step: int) -> tuple[Tensor, Tensor, Tensor]:
        generator = torch.Generator().manual_seed(SEED * 1_000_003 + step)
        length = int(torch.randint(2, longest + 1, (1,), generator=generator))
        return batch(32, length, SYMBOLS, generator, "reverse")

    def objective(model: nn.Module, drawn: tuple[Tensor, Tensor, Tensor]) -> Tensor:
        source, read, write = drawn
        return nn.functional.cross_entropy(model(source, read).flatten(0, 1), write.flatten())

    train(model, draw_batch, objective, Recipe(n_steps, rate=1e-2, n_warmup=20, seed=SEED))
    found = {}
    for length in lengths:
        source, read, write = batch(N_TEST, length, SYMBOLS, torch.Generator().manual_seed(SEED + length), "reverse")
        with torch.no_grad():
            right = model(source, read).argmax(-1) == write
        found[length] = float(right[:, :-1].double().mean())
    return found


def check(scale: str) -> Evidence:
    lengths: tuple[int, ...] = (2, 5, 10, 15, 20) if scale == "full" else (2, 5, 8)
    longest, settings = lengths[-1], {"n_steps": 900, "d": 48} if scale == "full" else {"n_steps": 110, "d": 32}
    shown = {c: right_by_length(c, longest, lengths, **settings) for c in ("none", "additive")}
    lost = {c: found[lengths[0]] - found[lengths[-1]] for c, found in shown.items()}
    error = (0.25 / (N_TEST * lengths[0]) + 0.25 / (N_TEST * lengths[-1])) ** 0.5
    about: dict[str, Any] = {"kind": "estimated", "from_length": lengths[0], "to_length": longest}
    at_end = shown["additive"][longest] - shown["none"][longest]
    rows = [
        row(lost["none"], ">", 0.15, standard_error=error, what="lost by length, one context vector", **about),
        row(
            lost["none"] - lost["additive"],
            ">",
            0.0,
            standard_error=2**0.5 * error,
            what="lost more than with attention",
            **about,
        ),
        row(
            at_end, ">", 0.15, standard_error=(0.5 / (N_TEST * longest)) ** 0.5, what="gain by attention at the longest", **about
        ),
    ]
    return Evidence(rows, draw=partial(draw, shown), seed=SEED)


def draw(shown: dict[str, dict[int, float]], ax: Axes) -> None:
    """Tokens right against the length of the sentence."""
    names = {"none": "one context vector", "additive": "attention"}
    for color, (context, found) in zip(SERIES, shown.items(), strict=False):
        ax.plot(list(found), list(found.values()), "o-", color=color, label=names[context])
    ax.set(xlabel="length of the sequence", ylabel="share of tokens right", ylim=(0, 1.03))
    ax.legend(frameon=False)
    ax.spines[["top", "right"]].set_visible(False)
