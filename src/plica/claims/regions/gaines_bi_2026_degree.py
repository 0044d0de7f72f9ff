r"""Gaines and Bi: how many neighbors a cell has.

Claim
    The cells of a fully connected ReLU network with d inputs have 2 d neighbors or fewer on average, whatever its width and
    depth.
Source
    B. B. Gaines and J. Bi, Characterizing the Discrete Geometry of ReLU Networks, ICLR 2026 [gaines2026].
Prediction
    at most 2 d
Measurement
    the mean degree of the dual graph (plica.measure.dual_graph) of the exact complex over all of R^d
Remark
    In one hidden layer of n units in general position each hyperplane is cut into r(n - 1, d - 1) facets by the others, so the
    mean degree is 2 n r(n - 1, d - 1) / r(n, d), with r of zaslavsky-1975.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from plica._palette import BOUND, MEASUREMENT
from plica.claims import Evidence, Row, control, row
from plica.geometry import Space, decompose
from plica.measure import dual_graph
from plica.network import random_network
from plica.theory.regions import zaslavsky

if TYPE_CHECKING:
    from matplotlib.axes import Axes

STATEMENT = "theorem"
EXPECTED = "holds"
KIND = "exact"
SEE = ("zaslavsky-1975",)
SEED = 2026


def check(scale: str) -> Evidence:
    rows = []
    cases = [(1, (8, 8)), (2, (16,)), (2, (10, 6)), (3, (7, 4)), (4, (6,))]
    cases += [(2, (32, 32, 32)), (3, (20, 16)), (4, (8, 4))] if scale == "full" else []
    for d, hidden in cases:
        for seed in range(SEED, SEED + (2 if scale == "quick" else 4)):
            net = random_network([d, *hidden, 1], seed=seed, weights="he-normal", bias_std=0.5)
            graph = dual_graph(decompose(net, Space(d)))
            about: dict[str, Any] = {"d": d, "hidden": hidden, "seed": seed, "cells": graph.n_cells}
            rows.append(row(graph.mean_degree, "<=", 2 * d, **about))
            if len(hidden) == 1:
                n = hidden[0]
                exact = 2 * n * zaslavsky(n - 1, d - 1) / zaslavsky(n, d)
                rows.append(control(graph.mean_degree, "=", exact, tolerance=1e-12, what="one layer", **about))
    return Evidence(rows, draw=partial(draw, rows), seed=SEED)


def draw(rows: list[Row], ax: Axes) -> None:
    """Mean numbers of neighbors for each dimension, under 2 d."""
    chosen = [r for r in rows if r.role == "prediction"]
    dimensions = sorted({r.parameters["d"] for r in chosen})
    for d in dimensions:
        ax.plot([d - 0.35, d + 0.35], [2 * d, 2 * d], color=BOUND, label="2 d" if d == dimensions[0] else None)
        here = [r for r in chosen if r.parameters["d"] == d]
        places = [d + 0.6 * (i / max(len(here) - 1, 1) - 0.5) for i in range(len(here))]
        ax.plot(places, [r.measured for r in here], "o", color=MEASUREMENT, label="networks" if d == dimensions[0] else None)
    ax.set_xticks(dimensions)
    ax.set(xlabel="dimension d", ylabel="neighbors of a cell, mean", ylim=(0, None))
    ax.legend(frameon=False, fontsize=8)
    ax.spines[["top", "right"]].set_visible(False)
