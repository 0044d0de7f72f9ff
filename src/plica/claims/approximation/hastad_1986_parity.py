r"""Parity at depth two: exponentially many terms; linearly many ReLUs, logarithmically many with depth.

Claim
    The parity of n bits has no disjunctive normal form with fewer than 2^{n-1} terms; a ReLU network computes it with n units in
    one hidden layer, with 2(n - 1) units as a tree of exclusive ors, and with 2 ceil(log2(n + 1)) units by folding.
Source
    J. Håstad, Almost Optimal Lower Bounds for Small Depth Circuits, STOC 1986 [hastad1986].
Prediction
    2^{n-1}; n, 2(n - 1) and 2 ceil(log2(n + 1)) units
Measurement
    the smallest normal form by Quine and McCluskey (plica.construct.parity_terms), and the networks of plica.construct.parity at
    all 2^n vertices of the cube, or at random ones
"""

from __future__ import annotations

from itertools import product
from math import ceil, log2
from typing import TYPE_CHECKING

import numpy as np

from plica._palette import BOUND, SERIES
from plica.claims import Evidence, row
from plica.construct import parity, parity_terms

if TYPE_CHECKING:
    from matplotlib.axes import Axes

STATEMENT = "theorem"
EXPECTED = "holds"
KIND = "exact"
SEE = ("paturi-1999-parity-depth-3", "delalleau-bengio-2011", "rolnick-tegmark-2018")
SEED = 1986


def check(scale: str) -> Evidence:
    rows = []
    for n in range(1, 13 if scale == "full" else 10):
        rows.append(row(parity_terms(n), "=", 2 ** (n - 1), n=n, what="terms of the smallest normal form"))
    rng = np.random.default_rng(SEED)
    for n in (2, 3, 5, 8, 10, 64) + ((300,) if scale == "full" else ()):
        bits = np.array(list(product([0.0, 1.0], repeat=n))) if n <= 10 else rng.integers(0, 2, (500, n)).astype(float)
        for form, units in (("shallow", n), ("tree", 2 * (n - 1)), ("folded", 2 * ceil(log2(n + 1)))):
            net = parity(n, form=form)
            rows.append(row(net.n_units, "=", units, n=n, form=form, what="units"))
            wrong = int((net(bits)[:, 0] != bits.sum(1) % 2).sum())
            rows.append(row(wrong, "=", 0, n=n, form=form, what="points where it is wrong"))
    return Evidence(rows, draw=draw, seed=SEED)


def draw(ax: Axes) -> None:
    """Sizes against the number of bits."""
    n = np.arange(1, 17)
    ax.semilogy(n, 2.0 ** (n - 1), "o-", color=BOUND, markersize=4, label="terms of a normal form")
    for form, color in zip(("shallow", "tree", "folded"), SERIES, strict=False):
        ax.semilogy(
            n[1:], [parity(int(k), form=form).n_units for k in n[1:]], "o-", color=color, markersize=4, label=f"ReLUs, {form}"
        )
    ax.set_xlabel("bits")
    ax.legend(frameon=False)
    ax.spines[["top", "right"]].set_visible(False)
