r"""The sweep: one more line adds one region more than there were lines.

Claim
    In the plane, r(n + 1) = r(n) + n + 1: a line in general position meets the n others in n points and so cuts n + 1 regions.
Source
    R. Pascanu, G. Montúfar, Y. Bengio, ICLR 2014, Figure 2 [pascanu2014].
Prediction
    regions added by line n + 1: n + 1
Measurement
    exact counts of random integer lines, inserted one at a time, in a box with all vertices (plica.decompose)
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from plica._palette import MEASUREMENT
from plica.claims import Evidence, row
from plica.claims.regions._arrangement import integer_arrangement, whole_complex

if TYPE_CHECKING:
    from matplotlib.axes import Axes

STATEMENT = "theorem"
EXPECTED = "holds"
KIND = "exact"
SEE = ("zaslavsky-1975",)
SEED = 2


def check(scale: str) -> Evidence:
    n_lines = 30 if scale == "full" else 12
    W, b = integer_arrangement(n_lines, 2, seed=SEED)
    counts = [1] + [whole_complex(W[:n], b[:n]).n_cells for n in range(1, n_lines + 1)]
    rows = [row(counts[n + 1] - counts[n], "=", n + 1, line=n + 1) for n in range(n_lines)]
    return Evidence(rows, draw=draw, seed=SEED)


def draw(ax: Axes) -> None:
    """The regions as lines come in."""
    n = list(range(13))
    ax.step(n, [1 + k + k * (k - 1) // 2 for k in n], where="mid", color=MEASUREMENT)
    ax.set_xlabel("lines")
    ax.set_ylabel("regions")
    ax.spines[["top", "right"]].set_visible(False)
