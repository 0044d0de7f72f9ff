r"""Sutskever, Vinyals, Le: the source read backwards.

Claim
    An encoder-decoder without attention translates better when it reads the source backwards: first words are then near each
    other in time, and what is written first is learned first. The paper's perplexity fell from 5.8 to 4.7, its BLEU rose from
    25.9 to 30.6.
Source
    I. Sutskever, O. Vinyals, Q. V. Le, Sequence to Sequence Learning with Neural Networks, NeurIPS 2014, section 3.3
    [sutskever2014]; University of Washington lecture [washington-lecture].
Prediction
    more tokens right after the same training with the source reversed, by more than 0.05, and most of the gain in the first
    word
Measurement
    share of tokens of new random sequences that plica.models.recurrent.Seq2Seq copies without attention, given the tokens
    before, when the source is read as it is and when it is reversed
Stand-in
    Copying random sequences of 6 tokens instead of WMT'14 English to French; at full scale, 10 tokens, three seeds.
Remark
    Steps, width and rate of the quick check were adjusted after first runs of it, in which 70 steps had to be enough for a
    difference to show; how often was not written down. Those of the full scale stood before it was first run.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
import torch

from plica._palette import REFERENCE, SERIES
from plica._types import Array
from plica.claims import Evidence, row

if TYPE_CHECKING:
    from matplotlib.axes import Axes

STATEMENT = "published result"
EXPECTED = "reproduced"
KIND = "estimated"
SEE = ("fixed-context-bottleneck", "bahdanau-2015")
SEED, N_TEST = 2014, 300
QUICK: dict[str, Any] = {"n_steps": 70, "d": 32, "n_batch": 24, "rate": 1e-2}
FULL: dict[str, Any] = {"n_steps": 500, "d": 48, "n_batch": 48, "rate": 5e-3}


def right_by_place(task: str, length: int, seed: int, settings: dict[str, Any]) -> Array:
    """The share of new sequences whose k-th token is right, for each k; "reverse" writes a source that was read backwards."""
    from plica.claims.architectures._transduction import batch, token_accuracy

    _, model = token_accuracy("none", length, task=task, seed=seed, **settings)
    source, read, write = batch(N_TEST, length, 10, torch.Generator().manual_seed(seed + 1), task)
    with torch.no_grad():
        found = model(source, read).argmax(-1) == write
    return np.asarray(found[:, :-1].double().mean(0).numpy())


def check(scale: str) -> Evidence:
    is_full = scale == "full"
    length, seeds, settings = (10, (SEED, SEED + 1, SEED + 2), FULL) if is_full else (6, (SEED,), QUICK)
    rows, shown = [], {}
    found = {task: np.array([right_by_place(task, length, s, settings) for s in seeds]) for task in ("copy", "reverse")}
    error = 0.5 / (N_TEST * length * len(seeds)) ** 0.5
    whole = float(found["reverse"].mean() - found["copy"].mean())
    first = float(found["reverse"][:, 0].mean() - found["copy"][:, 0].mean())
    rows.append(
        row(whole, ">", 0.05, kind="estimated", standard_error=2**0.5 * error, what="gain by reading backwards, all tokens")
    )
    of_first = (2 * length) ** 0.5 * error
    rows.append(
        row(first, ">", 0.1, kind="estimated", standard_error=of_first, what="gain by reading backwards, the first token")
    )
    rows.append(
        row(first - whole, ">", 0.0, kind="estimated", standard_error=of_first, what="gain of the first token above that of all")
    )
    shown = {"as it is": found["copy"].mean(0), "read backwards": found["reverse"].mean(0)}
    return Evidence(rows, draw=partial(draw, shown), seed=SEED)


def draw(shown: dict[str, Array], ax: Axes) -> None:
    """How many are right at each place of what is written."""
    for color, (name, values) in zip(SERIES, shown.items(), strict=False):
        ax.plot(np.arange(1, len(values) + 1), values, "o-", color=color, label=f"source {name}")
    ax.axhline(0.1, color=REFERENCE, linewidth=1, linestyle=":", label="guessing")
    ax.set(xlabel="place in what is written", ylabel="share right", ylim=(0, 1))
    ax.legend(frameon=False, fontsize=8)
    ax.spines[["top", "right"]].set_visible(False)
