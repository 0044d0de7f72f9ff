r"""The table of translations: every cost is days times processors times speed.

Claim
    Of ten systems that translate English to German and to French, the table gives BLEU and the operations that training took;
    each number of operations is the product of the time, of how many processors were used, and of an estimate of their speed;
    an ensemble of eight models has eight times the printed cost of one. The base Transformer translates to German better than
    all before it, ensembles included, for a small part of the cost.
Source
    A. Vaswani et al., NeurIPS 2017, Table 2 and the footnote of section 6.1 on 2.8, 3.7, 6.0 and 9.5 10^12 operations a
    second [vaswani2017]; University of Washington lecture, slide with the table [washington-lecture]. Times and processors
    are those of the papers that the table cites: for GNMT and MoE Tables 2 and 3 of N. Shazeer et al., ICLR 2017 (6 days and 1
    day, on 96 K80 and on 64 K40), for ConvS2S section 5.1 of J. Gehring et al., ICML 2017 (18.5 days on one processor, 37 on
    eight; that these were M40 fits the printed cost, and is not said there), for Deep-Att from memory, since no copy of that line
    was found.
Prediction
    plica.theory.costs.TRANSLATION_TABLE: the numbers as printed, to the half of their last digit
Measurement
    plica.theory.costs.training_cost of every cell that has a cost: 16 of 16; the order of BLEU and of costs, read from the
    table
Remark
    BLEU is not recomputed: it belongs to weights that were not published. The lecture shows the Transformer's cost under
    French alone; the paper prints it once for both. Its BLEU of 41.8 is that of later versions; the first printed 41.0.
"""

from __future__ import annotations

from functools import partial
from math import floor, log10
from typing import TYPE_CHECKING, Any

from plica._palette import MEASUREMENT, REFERENCE
from plica.claims import Evidence, control, row
from plica.theory.costs import TRANSLATION_TABLE, Cost, training_cost

if TYPE_CHECKING:
    from matplotlib.axes import Axes

STATEMENT = "published result"
EXPECTED = "reproduced"
KIND = "exact"
SEE = ("vaswani-2017-training-cost", "transformer-sizes", "bahdanau-2015")


def rounding(printed: float) -> float:
    """Half a unit of the second digit, relative to a number with two digits."""
    return 0.5 * 10 ** (floor(log10(printed)) - 1) / printed


def check(scale: str) -> Evidence:
    rows, points = [], []
    for line in TRANSLATION_TABLE:
        for language, bleu, cost in (
            ("German", line.bleu_german, line.cost_german),
            ("French", line.bleu_french, line.cost_french),
        ):
            if cost is not None:
                about: dict[str, Any] = {"system": line.name, "to": language}
                rows.append(row(training_cost(cost), "=", cost.printed, tolerance=1.01 * rounding(cost.printed), **about))
                if language == "German" and bleu is not None:
                    points.append((line.name, cost.printed, bleu))
    rows.append(control(len(rows), "=", 16, what="cells with a cost"))
    base, big = TRANSLATION_TABLE[-2:]
    before = [line for line in TRANSLATION_TABLE[:-2] if line.bleu_german is not None]
    best = max(before, key=lambda line: line.bleu_german or 0.0)
    rows.append(
        row(base.bleu_german, ">", best.bleu_german, what="BLEU of the base Transformer, above the best before", to="German")
    )
    cheapest = min(_cost(line.cost_german) for line in before if line.cost_german)
    rows.append(row(_cost(base.cost_german), "<", cheapest, what="cost of the base Transformer, below the cheapest", to="German"))
    french = max(line.bleu_french or 0.0 for line in TRANSLATION_TABLE[:-2])
    rows.append(row(big.bleu_french, ">", french, what="BLEU of the big Transformer, above the best before", to="French"))
    return Evidence(rows, draw=partial(draw, points))


def _cost(cost: Cost | None) -> float:
    assert cost is not None
    return training_cost(cost)


def draw(points: list[tuple[str, float, float]], ax: Axes) -> None:
    """BLEU against operations, to German: up and to the left is better."""
    for name, cost, bleu in points:
        ours = name.startswith("Transformer")
        ax.plot(cost, bleu, "o" if ours else "s", color=MEASUREMENT if ours else REFERENCE)
        below = name.startswith("GNMT + RL, e")
        ax.annotate(name, (cost, bleu), (4, -11 if below else 5), textcoords="offset points", fontsize=7)
    ax.set(xscale="log", xlabel="operations of training", ylabel="BLEU, English to German", xlim=(2e18, 3e21))
    ax.set_ylim(24, 29)
    ax.spines[["top", "right"]].set_visible(False)
