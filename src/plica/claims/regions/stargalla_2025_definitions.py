r"""Stargalla, Hertrich and Reichman: six numbers of linear regions.

Claim
    Activation regions, proper activation regions, convex regions, open connected regions, closed connected regions and affine
    regions of a ReLU network are counted by six numbers, each at most as large as the one before, and all can differ.
Source
    M. Stargalla, C. Hertrich and D. Reichman, The Computational Complexity of Counting Linear Regions in ReLU Neural Networks,
    NeurIPS 2025 [stargalla2025].
Prediction
    a decreasing sequence; a strictly decreasing one for one network; 7, 5, 4, 3, 3, 3 for the paper's max(-y, min(0, -x))
Measurement
    plica.measure.region_definitions of the exact complexes of networks with weights -1, 0 and 1, where folds often cancel
Remark
    Definitions and the numbers of the example are those of a summary of the paper. Its network is not printed there; with x, y
    and -y as first units the numbers are as printed. Convex regions are enclosed: finding the least number is hard.
    Random networks with Gaussian weights have few differences, or none. Closed regions may be connected by slices of other
    cells: a control counts 7 open and 6 closed ones where they are.
"""

from __future__ import annotations

from functools import partial
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from plica._palette import MEASUREMENT, REFERENCE
from plica.claims import Evidence, control, row
from plica.geometry import Box, decompose
from plica.measure import RegionDefinitions, region_definitions
from plica.network import Linear, Network, Rectifier

if TYPE_CHECKING:
    from matplotlib.axes import Axes

STATEMENT = "theorem"
EXPECTED = "holds"
KIND = "exact"
SEE = ("cells-are-regions", "cells-and-regions")
SEED = 0
ALL_DIFFER = 326  # a seed at which no two of the numbers are equal
PRINTED = (7, 5, 4, 3, 3, 3)
NAMES = ("activation", "proper", "convex", "open connected", "closed connected", "affine")


def sign_network(widths: tuple[int, ...], seed: int) -> Network:
    """A ReLU network with weights and biases -1, 0 and 1."""
    rng = np.random.default_rng(seed)
    ops: list[Linear | Rectifier] = []
    for i in range(len(widths) - 1):
        ops += [Rectifier()] if i else []
        weight, bias = rng.integers(-1, 2, (widths[i + 1], widths[i])), rng.integers(-1, 2, widths[i + 1])
        ops.append(Linear(weight.astype(float), bias.astype(float)))
    return Network.sequential(widths[0], ops)


def numbers(found: RegionDefinitions) -> tuple[int, ...]:
    """The six numbers, the convex one from below."""
    rest = (found.open_connected, found.closed_connected or 0, found.affine)
    return (found.activation or 0, found.proper, found.convex[0], *rest)


def corner() -> Network:
    """max(-y, min(0, -x)) as -ReLU(x) + ReLU(ReLU(x) - y)."""
    first, second = np.array([[1.0, 0.0], [0.0, 1.0], [0.0, -1.0]]), np.array([[1.0, 0.0, 0.0], [1.0, -1.0, 1.0]])
    return Network.sequential(2, [Linear(first), Rectifier(), Linear(second), Rectifier(), Linear(np.array([[-1.0, 1.0]]))])


def bridge() -> Network:
    """y cut off at t and -t, with t = ReLU(1 - |x|): 0 on both sides of a diamond, and on the line y = 0 through it."""
    fold = Rectifier(np.array(-1.0))
    keep = [Linear(np.array([[1.0, 0.0], [0.0, 1.0], [0.0, -1.0]])), Rectifier(np.array([-1.0, 0.0, 0.0]))]
    hat = [Linear(np.array([[-1.0, 0.0, 0.0], [0.0, 1.0, -1.0]]), np.array([1.0, 0.0])), Rectifier(np.array([0.0, 1.0]))]
    # (|t + y| - |t - y|) / 2
    return Network.sequential(
        2, [*keep, *hat, Linear(np.array([[1.0, 1.0], [1.0, -1.0]])), fold, Linear(np.array([[0.5, -0.5]]))]
    )


def check(scale: str) -> Evidence:
    rows, seen = [], []
    for widths, n in (((2, 4, 3, 1), 8), ((3, 3, 2, 1), 4)) if scale == "quick" else (((2, 5, 4, 1), 60), ((3, 4, 3, 1), 20)):
        for seed in range(SEED, SEED + n):
            found = region_definitions(decompose(sign_network(widths, seed), Box([-2.0] * widths[0], [2.0] * widths[0])))
            counts = numbers(found)
            seen.append(counts)
            for name, (before, after) in zip(NAMES[1:], pairwise(counts), strict=True):
                rows.append(row(after, "<=", before, what=name, widths=widths, seed=seed))
            rows.append(control(found.convex[1], "<=", found.proper, what="convex, at most", widths=widths, seed=seed))
    found = region_definitions(decompose(sign_network((2, 5, 3, 1), ALL_DIFFER), Box([-2.0, -2.0], [2.0, 2.0])))
    last = numbers(found)
    seen.append(last)
    rows.append(row(len(set(last)), "=", 6, what="different numbers", widths=(2, 5, 3, 1), seed=ALL_DIFFER))
    rows.append(control(found.convex[1], "<=", found.proper - 1, what="convex, at most", widths=(2, 5, 3, 1), seed=ALL_DIFFER))
    square = Box([-2.0, -2.0], [2.0, 2.0])
    found = region_definitions(decompose(corner(), square))
    for name, measured, printed in zip(NAMES, numbers(found), PRINTED, strict=True):
        rows.append(row(measured, "=", printed, what=name, network="max(-y, min(0, -x))"))
    rows.append(row(found.convex[1], "=", PRINTED[2], what="convex, at most", network="max(-y, min(0, -x))"))
    linked = region_definitions(decompose(bridge(), square))
    rows.append(control(linked.open_connected, "=", 7, what="open connected", network="a diamond between two sides"))
    rows.append(control(linked.closed_connected or 0, "=", 6, what="closed connected", network="a diamond between two sides"))
    return Evidence(rows, draw=partial(draw, seen), seed=SEED)


def draw(seen: list[tuple[int, ...]], ax: Axes) -> None:
    """The six numbers of every network, never rising from one to the next; one network with six different ones."""
    for counts in seen[:-1]:
        ax.plot(range(6), counts, "o-", color=REFERENCE, markersize=3, linewidth=0.8)
    ax.plot(range(6), seen[-1], "o-", color=MEASUREMENT, label="all six differ")
    for i, count in enumerate(seen[-1]):
        ax.annotate(str(count), (i, count), (0, 5), textcoords="offset points", ha="center", fontsize=8)
    ax.set_xticks(range(6), [name.replace(" ", "\n") for name in NAMES], fontsize=7)
    ax.set(ylabel="regions", ylim=(0, None))
    ax.legend(frameon=False, fontsize=8)
    ax.spines[["top", "right"]].set_visible(False)
