r"""The sawtooth on the whole line: two pieces more.

Claim
    On all of R the tent map composed n times has 2^n + 2 affine pieces: its outer ReLU makes it zero outside [0, 1].
Source
    The tent map of M. Telgarsky (2015) [telgarsky2015]; the count on the line is a remark of this catalog.
Prediction
    2^n + 2
Measurement
    pieces of plica.construct.sawtooth(n) on [-1, 2], exactly (plica.decompose): outside, the first unit or the outer
    ReLU is inactive, so nothing folds
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from plica._palette import MEASUREMENT, REFERENCE
from plica.claims import Evidence, row
from plica.construct import sawtooth
from plica.geometry import Segment, decompose

if TYPE_CHECKING:
    from matplotlib.axes import Axes

STATEMENT = "theorem"
EXPECTED = "holds"
KIND = "exact"
SEE = ("sawtooth-unit-interval",)


def check(scale: str) -> Evidence:
    depths = range(1, 14) if scale == "full" else range(1, 11)
    wide = Segment([-1.0], [2.0])
    return Evidence([row(decompose(sawtooth(n).network, wide).n_regions, "=", 2**n + 2, n=n) for n in depths], draw=draw)


def draw(ax: Axes) -> None:
    """Three compositions on [-1, 2]: eight pieces inside, one on each side."""
    x = np.linspace(-1, 2, 1201)
    ax.plot(x, sawtooth(3)(x[:, None]).ravel(), color=MEASUREMENT)
    for end in (0.0, 1.0):
        ax.axvline(end, color=REFERENCE, linewidth=0.8, linestyle=":")
    for place, text in ((-0.5, "1 piece"), (0.5, "8 pieces"), (1.5, "1 piece")):
        ax.text(place, 1.06, text, ha="center", fontsize=8)
    ax.set_ylim(-0.05, 1.2)
    ax.spines[["top", "right"]].set_visible(False)
