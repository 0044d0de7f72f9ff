r"""Do tickets fold where the data is?

Claim
    A lottery ticket folds near the data more often than elsewhere.
Source
    A question; tickets are those of J. Frankle, M. Carbin, The Lottery Ticket Hypothesis, ICLR 2019 [frankle2019].
Prediction
    if it were so, lines through images would meet more folds than lines through the same pixels in another order
Measurement
    64-100-30-10 networks on the 8 x 8 digits, with all weights, with the 3 percent of a ticket, and with the ticket's masks on
    other first values; breakpoints on lines counted exactly (plica.sparse.sparse_geometry), and the exact length of the image of
    the path through 30 images
Remark
    No: folds are as dense at images as at scrambled ones, or less. What the first values of a ticket bring is not more folds but
    length: it carries the data several times as far as the same masks with other first values.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from plica._palette import SERIES
from plica.claims import Evidence, row
from plica.claims.sparsity._lenet import digits, lenet, trained

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from plica.sparse import SparseGeometry

STATEMENT = "question"
EXPECTED = "answered"
KIND = "estimated"
SEE = ("frankle-2019-tickets", "fold-distance-training")
SEED = 2019
MERGED, ROUNDS = 4, 4  # rounds of the paper in one, and rounds


def check(scale: str) -> Evidence:
    n_seeds, n_samples = (1, 24) if scale == "quick" else (4, 60)
    runs = [geometries(SEED + s, n_samples) for s in range(n_seeds)]
    rows = []
    for name in ("all weights", "ticket"):
        near, elsewhere = (np.concatenate([getattr(run[name], side).densities for run in runs]) for side in ("near", "elsewhere"))
        mean = float(near.mean() - 1.2 * elsewhere.mean())
        error = float(np.hypot(near.std(ddof=1), 1.2 * elsewhere.std(ddof=1)) / np.sqrt(len(near)))
        what = f"{name}: folds per length at images, minus 1.2 times those elsewhere"
        rows.append(row(mean, "<", 0.0, kind="estimated", standard_error=error, what=what))
    for s, run in enumerate(runs):
        gain, other = run["ticket"].length_gain, run["other first values"].length_gain
        rows.append(
            row(gain, ">", 2 * other, seed=SEED + s, what="growth of lengths, against twice that with other first values")
        )
    return Evidence(rows, draw=partial(draw, runs), seed=SEED)


def geometries(seed: int, n_samples: int) -> dict[str, SparseGeometry]:
    """The three networks of one seed, measured around images."""
    import torch

    from plica.network import from_torch
    from plica.sparse import find_tickets, kept, reinitialized, sparse_geometry

    data = digits("quick")
    points = np.asarray(data.x[:30], dtype=np.float64).reshape(30, -1)
    how: dict[str, Any] = {"epochs": 6, "batch": 64, "rate": 5e-3, "seed": seed}
    model, seen = lenet("quick", seed), list[Any]()

    def train(m: Any) -> None:
        trained(m, data, **how)
        is_asked = len(seen) in (0, ROUNDS, ROUNDS + 1)
        seen.append(from_torch(m, example_input=torch.zeros(1, 8, 8)) if is_asked else None)

    rates = {"1.weight": 1 - 0.8**MERGED, "3.weight": 1 - 0.8**MERGED, "5.weight": 1 - 0.9**MERGED}
    tickets = find_tickets(model, train, rounds=ROUNDS, rate=rates)
    fresh = reinitialized(tickets[-1], lenet("quick", seed + 1000))
    with kept(fresh, tickets[-1].masks):
        train(fresh)
    networks = {"all weights": seen[0], "ticket": seen[ROUNDS], "other first values": seen[-1]}
    return {name: sparse_geometry(net, points, n_samples=n_samples, size=2.0, seed=seed) for name, net in networks.items()}


def draw(runs: list[dict[str, SparseGeometry]], ax: Axes) -> None:
    """Folds at images and elsewhere, one mark for each seed."""
    for color, name in zip(SERIES, runs[0], strict=False):
        for i, run in enumerate(runs):
            g = run[name]
            ax.errorbar(
                [g.elsewhere.mean],
                [g.near.mean],
                xerr=[g.elsewhere.standard_error],
                yerr=[g.near.standard_error],
                marker="o",
                color=color,
                label=name if i == 0 else None,
            )
    top = 1.1 * max(max(g.near.mean, g.elsewhere.mean) for run in runs for g in run.values())
    ax.plot([0, top], [0, top], ":", color="0.6")
    ax.set(xlabel="folds per unit length elsewhere", ylabel="at images", xlim=(0, top), ylim=(0, top))
    ax.legend(frameon=False)
