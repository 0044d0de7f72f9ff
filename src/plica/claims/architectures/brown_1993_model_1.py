r"""IBM model 1: which words translate which, and what it cannot say of "Les pauvres sont démunis".

Claim
    Summing over all alignments of model 1 is a product of sums; expectation and maximization never lower the likelihood and
    end in the same place from any start. Each French word comes from one English word or from none, so "sont démunis" for
    "don't have any money", words to words, takes both directions together.
Source
    P. F. Brown, S. A. Della Pietra, V. J. Della Pietra, R. L. Mercer, The Mathematics of Statistical Machine Translation,
    Computational Linguistics 19 (1993), sections 4.1 and 2 (Figure 3 for the sentence) [brown1993]; University of Washington
    lecture, slide on alignment [washington-lecture].
Prediction
    the sum over all (l + 1)^m alignments; a likelihood that rises; the pairs Les - The and pauvres - poor, and links between
    sont démunis and words of don't have any money, more of them than one direction can make
Measurement
    plica.models.text.AlignmentModel fitted to 14 pairs of sentences of our own (the slide's is one of them), in both
    directions
Remark
    The maximum is one point for the likelihood, not for the table: words that are always seen together share their counts. Of
    the slide's four English words model 1 links don't and any; have and money, which are ont and argent elsewhere in our
    pairs, it takes to come from nothing. The slide links all four.
"""

from __future__ import annotations

from functools import partial
from itertools import product
from math import log
from typing import TYPE_CHECKING, Any

import numpy as np

from plica._palette import INK, MAGNITUDES, PAPER
from plica._types import Array
from plica.claims import Evidence, control, row
from plica.models.text import AlignmentModel

if TYPE_CHECKING:
    from matplotlib.axes import Axes

STATEMENT = "theorem"
EXPECTED = "holds"
KIND = "estimated"
SEE = ("bahdanau-2015", "fixed-context-bottleneck")
SEED, ROUNDING = 1993, 1e-12

#: English and French, ours but for the first.
SENTENCES = (
    ("the poor don't have any money", "les pauvres sont démunis"),
    ("the poor", "les pauvres"),
    ("the rich have money", "les riches ont argent"),
    ("the rich", "les riches"),
    ("have money", "ont argent"),
    ("have", "ont"),
    ("we don't have any money", "nous sommes démunis"),
    ("they don't have any", "ils sont démunis"),
    ("we sing", "nous chantons"),
    ("they sing", "ils chantent"),
    ("the book", "les livre"),
    ("poor book", "pauvres livre"),
    ("rich book", "riches livre"),
    ("don't sing any", "sont chantent démunis"),
)
PAIRS = [(e.split(), f.split()) for e, f in SENTENCES]


def by_enumeration(model: AlignmentModel, source: list[str], target: list[str]) -> float:
    """log P(target | source) as it is defined: a sum over every alignment of every word."""
    words = ["", *source]
    rows, columns = [model.sources.index(w) for w in words], [model.targets.index(w) for w in target]
    total = 0.0
    for alignment in product(rows, repeat=len(target)):
        chance = 1.0
        for i, j in zip(alignment, columns, strict=True):
            chance *= model.table[i, j]
        total += chance
    return log(total) - len(target) * log(len(words))


def check(scale: str) -> Evidence:
    n_steps = 200 if scale == "full" else 60
    forward = AlignmentModel.fit(PAIRS, n_steps=n_steps)
    backward = AlignmentModel.fit([(f, e) for e, f in PAIRS], n_steps=n_steps)
    near: dict[str, Any] = {"kind": "estimated", "standard_error": ROUNDING}
    rows = [
        row(
            forward.log_likelihood(e, f), "=", by_enumeration(forward, e, f), **near, what="sum over alignments", pair=" ".join(f)
        )
        for e, f in PAIRS[:5]
    ]
    gains = np.diff(forward.history)
    rows.append(row(float(gains.min()), ">=", -1e-9, **near, what="smallest gain of a step"))
    rows.append(control(float(gains[0]), ">", 1.0, **near, what="gain of the first step"))
    rng = np.random.default_rng(SEED)
    for start in range(2):
        table = np.asarray(rng.uniform(0.5, 1.5, forward.table.shape))
        other = AlignmentModel.fit(PAIRS, n_steps=4 * n_steps if scale == "full" else n_steps, start=table)
        rows.append(
            row(
                other.history[-1], "=", forward.history[-1], kind="estimated", standard_error=0.01, what="likelihood", start=start
            )
        )
    english, french = PAIRS[0]
    one, two = forward.align(english, french), backward.align(french, english)
    rows.append(row(" ".join(english[i - 1] for i in one[:2]), "=", "the poor", what="les pauvres comes from"))
    rows.append(row(" ".join(french[i - 1] for i in two[:2]), "=", "les pauvres", what="the poor comes from"))
    links = {(i, j + 1) for j, i in enumerate(one) if i} | {(i + 1, j) for i, j in enumerate(two) if j}
    rows.append(
        row(max(sum(1 for i, j in links if j == k) for k in (3, 4)), ">=", 2, what="English words of one French word, both")
    )
    outside = {(i, j) for i, j in links if (i <= 2) != (j <= 2)}
    rows.append(row(len(outside), "=", 0, what="links between the two blocks"))
    inside = sum(1 for _, j in links if j > 2)
    rows.append(row(inside, ">", max(len(french), len(english)) - 4, what="links of sont démunis: more than words in it"))
    return Evidence(rows, draw=partial(draw, english, french, forward.posterior(english, french), links), seed=SEED)


def draw(english: list[str], french: list[str], posterior: Array, links: set[tuple[int, int]], ax: Axes) -> None:
    """How likely each French word comes from each English one; rings are the links of both directions."""
    ax.imshow(posterior[:, 1:], cmap=MAGNITUDES, vmin=0, vmax=1)
    for i, j in sorted(links):
        ax.plot(i - 1, j - 1, "o", markersize=14, markerfacecolor="none", markeredgecolor=PAPER, markeredgewidth=3)
        ax.plot(i - 1, j - 1, "o", markersize=14, markerfacecolor="none", markeredgecolor=INK, markeredgewidth=1)
    ax.set_xticks(range(len(english)), english, rotation=30, ha="right")
    ax.set_yticks(range(len(french)), french)
