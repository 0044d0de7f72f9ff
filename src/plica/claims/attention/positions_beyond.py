r"""Beyond the lengths it was trained on: learned positions know nothing there.

Claim
    Learned positions do not work at all beyond the longest text of training: where there is no row a longer text is refused,
    and where there is one that was never trained the model guesses. Sinusoids, which exist for every length, generalize
    poorly too; relative positions lose least.
Source
    University of Washington lecture, slides on positions ("generalizes poorly") [washington-lecture]; O. Press, N. Smith, M.
    Lewis, Train Short, Test Long, ICLR 2022 [press2022].
Prediction
    more than 0.95 of the tokens right inside the trained length and at most 0.25 beyond it, where guessing among 8 gives
    0.125; 1 refused. At full scale: sinusoids lose more than rotary positions
Measurement
    plica.models.transformer.GPT that learned to repeat the token before, on texts of 12 tokens, tested on 30
Stand-in
    Learned positions alone; at full scale also sinusoidal, rotary and ALiBi.
Remark
    Steps and rate of the quick check were adjusted after first runs of it, until the tokens inside the trained length were
    right; how often was not written down. Those of the full scale stood before it was first run.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
import torch
from torch import Tensor, nn

from plica._palette import REFERENCE, SERIES
from plica._types import Array
from plica.claims import Evidence, row
from plica.errors import InvalidInput

if TYPE_CHECKING:
    from matplotlib.axes import Axes

STATEMENT = "published result"
EXPECTED = "reproduced"
KIND = "estimated"
SEE = ("sinusoid-positions", "rotary-positions", "positions-concatenated")
SEED, SYMBOLS, TRAINED, TESTED, N_TEST = 15, 8, 12, 30, 200


def right_by_place(position: str, n_steps: int) -> Array:
    """The share right at each place from the second on, of a model trained on short texts."""
    from plica.learn.tasks import Recipe, train
    from plica.models import build
    from plica.models.transformer import GPT, GPTConfig

    config = GPTConfig(
        vocabulary=SYMBOLS, max_length=TESTED, d_model=16, n_layers=1, n_heads=2, d_ff=32, position=position, dropout=0.0
    )
    model = build(GPT, config, seed=SEED)

    def text(n: int, length: int, seed: int) -> Tensor:
        return torch.randint(0, SYMBOLS, (n, length), generator=torch.Generator().manual_seed(seed))

    def objective(model: nn.Module, tokens: Tensor) -> Tensor:
        return nn.functional.cross_entropy(model(tokens)[:, 1:].flatten(0, 1), tokens[:, :-1].flatten())

    recipe = Recipe(n_steps, rate=2e-2, n_warmup=10, seed=SEED)
    train(model, lambda step: text(32, TRAINED, SEED * 1_000_003 + step), objective, recipe)
    tokens = text(N_TEST, TESTED, 5)
    with torch.no_grad():
        return np.asarray((model(tokens)[:, 1:].argmax(-1) == tokens[:, :-1]).double().mean(0).numpy())


def is_refused() -> bool:
    """Whether a text longer than the table of positions is an error that says so."""
    from plica.models.attention import Learned

    try:
        Learned(TRAINED, 4)(torch.zeros(1, TRAINED + 1, 4))
    except InvalidInput as error:
        return str(TRAINED) in str(error)
    return False


def check(scale: str) -> Evidence:
    is_full = scale == "full"
    kinds = ("learned", "sinusoidal", "rotary", "alibi") if is_full else ("learned",)
    shown = {kind: right_by_place(kind, 600 if is_full else 90) for kind in kinds}
    inside = {kind: float(found[: TRAINED - 1].mean()) for kind, found in shown.items()}
    beyond = {kind: float(found[TRAINED - 1 :].mean()) for kind, found in shown.items()}
    error = 0.5 / (N_TEST * (TRAINED - 1)) ** 0.5
    about: dict[str, Any] = {"kind": "estimated", "standard_error": error}
    rows = [
        row(inside["learned"], ">", 0.95, kind="estimated", standard_error=error / 10, positions="learned", where="inside"),
        row(beyond["learned"], "<", 0.25, positions="learned", where="beyond", **about),
        row(int(is_refused()), "=", 1, positions="learned", where="beyond the table: refused"),
    ]
    if is_full:
        lost = {kind: inside[kind] - beyond[kind] for kind in kinds}
        rows.append(row(lost["sinusoidal"], ">", lost["rotary"], what="lost, sinusoidal above rotary", **about))
        rows.append(row(lost["learned"], ">", lost["rotary"], what="lost, learned above rotary", **about))
    return Evidence(rows, draw=partial(draw, shown), seed=SEED)


def draw(shown: dict[str, Array], ax: Axes) -> None:
    """Right at each place of a long text; the line is where the texts of training ended."""
    for color, (kind, found) in zip(SERIES, shown.items(), strict=False):
        ax.plot(np.arange(2, len(found) + 2), found, ".-", color=color, label=kind)
    ax.axvline(TRAINED + 0.5, color=REFERENCE, linewidth=1, linestyle=":", label="end of training texts")
    ax.axhline(1 / SYMBOLS, color=REFERENCE, linewidth=1, label="guessing")
    ax.set(xlabel="place in the text", ylabel="share right", ylim=(0, 1.03))
    ax.legend(frameon=False, fontsize=8)
    ax.spines[["top", "right"]].set_visible(False)
