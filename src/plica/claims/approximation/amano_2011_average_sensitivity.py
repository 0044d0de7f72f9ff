r"""Narrow circuits are hardly sensitive, and hardly correlated with parity.

Claim
    A conjunctive normal form with at most w literals a clause has an average sensitivity of at most w, which parity of w bits
    attains; parity of n bits has n. Therefore its correlation with parity of n bits is at most (w/n)^{1/2}, and below one for
    every w < n.
Source
    K. Amano, Tight Bounds on the Average Sensitivity of k-CNF, Theory of Computing 7 (2011) [amano2011]; correlation with parity
    as J. Håstad, On the Correlation of Parity and Small-Depth Circuits, SIAM J. Comput. 43 (2014) [hastad2014].
Prediction
    w, the largest average sensitivity; at most (w/n)^{1/2}, the largest correlation, because sum_S |S| f(S)^2 is the sensitivity
Measurement
    every normal form of width w on n = 2, 3, 4 bits (up to 43,146 functions): its average sensitivity by flipping bits, and its
    correlation with the network plica.construct.parity at the corners of the cube, by counting; the same for every OR of two
    forms of width 2 on 3 bits
"""

from __future__ import annotations

from functools import partial
from math import sqrt
from typing import TYPE_CHECKING

import numpy as np

from plica._palette import BOUND, MEASUREMENT
from plica.claims import Evidence, row
from plica.claims.approximation._normal_forms import functions
from plica.construct import parity

if TYPE_CHECKING:
    from matplotlib.axes import Axes

STATEMENT = "theorem"
EXPECTED = "holds"
KIND = "exact"
SEE = ("paturi-1999-parity-depth-3", "hastad-1986-parity")
CASES = ((2, 1), (2, 2), (3, 1), (3, 2), (3, 3), (4, 1), (4, 2), (4, 3))
#: Where the best function is known: parity itself, and a single literal of two.
EXACT = {(2, 2): 1.0, (3, 3): 1.0, (2, 1): 0.5}


def sensitivity(tables: np.ndarray) -> np.ndarray:
    """The mean number of bits whose flip changes the value."""
    n = tables.shape[1].bit_length() - 1
    flips = [np.arange(2**n) ^ (1 << j) for j in range(n)]
    return np.asarray(sum((tables != tables[:, f]).mean(1) for f in flips))


def correlation(tables: np.ndarray) -> np.ndarray:
    """|E (-1)^f (-1)^parity|: the network gives 0 and 1 at corners."""
    n = tables.shape[1].bit_length() - 1
    corners = (np.arange(2**n)[:, None] >> np.arange(n)) & 1
    odd = parity(n).network(corners.astype(float))[:, 0]
    return np.asarray(np.abs(((tables != odd).mean(1)) * 2 - 1))


def check(scale: str) -> Evidence:
    rows, seen = [], {}
    for n, width in CASES:
        tables = functions(n, width)
        largest = float(correlation(tables).max())
        seen[n, width] = largest
        rows.append(row(float(sensitivity(tables).max()), "=", float(width), n=n, w=width, what="average sensitivity"))
        rows.append(row(largest, "<=", sqrt(width / n), n=n, w=width, what="correlation with parity"))
        if (n, width) in EXACT:
            rows.append(row(largest, "=", EXACT[n, width], n=n, w=width, what="correlation with parity"))
    tables = functions(3, 2)
    pairs = (tables[:, None] | tables).reshape(-1, 8)
    rows.append(row(float(correlation(pairs).max()), "=", 1.0, n=3, w=2, what="correlation, OR of two forms"))
    return Evidence(rows, draw=partial(draw, seen))


def draw(seen: dict[tuple[int, int], float], ax: Axes) -> None:
    """Largest correlation of all forms of width w, and its bound."""
    names = [f"n = {n}, w = {w}" for n, w in seen]
    ax.bar(range(len(seen)), list(seen.values()), color=MEASUREMENT, width=0.6, label="best of all forms")
    ax.plot(range(len(seen)), [sqrt(w / n) for n, w in seen], "_", color=BOUND, markersize=18, label="bound")
    ax.set_xticks(range(len(seen)), names, rotation=45, ha="right", fontsize=7)
    ax.set(ylabel="correlation with parity", ylim=(0, 1.1))
    ax.legend(frameon=False, fontsize=8)
    ax.spines[["top", "right"]].set_visible(False)
