r"""Regions are unions of cells.

Claim
    The number of linear regions of a ReLU network is at most the number of its activation patterns, with equality for one
    hidden layer whose hyperplanes are distinct and whose output weights are not zero.
Source
    B. Hanin, D. Rolnick, NeurIPS 2019, where the two are defined apart [hanin2019b].
Prediction
    n_regions <= n_cells, and equality for one layer
Measurement
    n_cells and n_regions of the exact complex of random networks (plica.decompose), and the cells united across their borders
    where their maps are the same, in fractions
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from plica._palette import REFERENCE, SERIES
from plica.claims import Evidence, Row, control, row
from plica.claims.regions._united import united
from plica.geometry import Box, decompose
from plica.network import random_network

if TYPE_CHECKING:
    from matplotlib.axes import Axes

STATEMENT = "theorem"
EXPECTED = "holds"
KIND = "exact"
SEE = ("cells-are-regions",)
SEED = 30


def check(scale: str) -> Evidence:
    square = Box([-4.0, -4.0], [4.0, 4.0])
    rows = []
    for widths in ((2, 8, 1), (2, 6, 3, 2, 1), (2, 8, 8, 1), (2, 5, 5, 5, 1)):
        for seed in range(SEED, SEED + (20 if scale == "full" else 3)):
            cx = decompose(random_network(widths, seed=seed, weights="he-normal", bias_std=0.5), square)
            relation = "=" if len(widths) == 3 else "<="
            rows.append(row(cx.n_regions, relation, cx.n_cells, widths=widths, seed=seed))
            if len(widths) > 3:
                rows.append(control(cx.n_regions, "=", united(cx), widths=widths, seed=seed, what="by maps in fractions"))
    return Evidence(rows, draw=partial(draw, rows), seed=SEED)


def draw(rows: list[Row], ax: Axes) -> None:
    """Regions against cells, by architecture."""
    rows = [r for r in rows if r.role == "prediction"]
    names = list(dict.fromkeys(r.parameters["widths"] for r in rows))
    for widths, color in zip(names, SERIES, strict=False):
        chosen = [r for r in rows if r.parameters["widths"] == widths]
        label = "-".join(map(str, widths))
        ax.plot([r.predicted for r in chosen], [r.measured for r in chosen], "o", color=color, label=label)
    most = max(r.predicted for r in rows)
    ax.plot([0, most], [0, most], color=REFERENCE, linewidth=0.8, linestyle=":")
    ax.set_xlabel("cells")
    ax.set_ylabel("regions")
    ax.legend(frameon=False, fontsize=8)
    ax.spines[["top", "right"]].set_visible(False)
