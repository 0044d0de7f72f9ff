r"""The sawtooth: 2^n pieces from n compositions.

Claim
    The tent map f(x) = ReLU(2 ReLU(x) - 4 ReLU(x - 1/2)) composed n times has 2^n affine pieces on [0, 1].
Source
    M. Telgarsky, Representation Benefits of Deep Feedforward Networks (2015) [telgarsky2015]; Summer@ICERM 2020 [icerm-2020].
Prediction
    2^n
Measurement
    pieces of plica.construct.sawtooth(n) on [0, 1], exactly: plica.decompose
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from plica._palette import SERIES
from plica.claims import Evidence, row
from plica.construct import sawtooth
from plica.geometry import Segment, decompose

if TYPE_CHECKING:
    from matplotlib.axes import Axes

STATEMENT = "theorem"
EXPECTED = "holds"
KIND = "exact"
SEE = ("sawtooth-line", "telgarsky-2015-pieces")


def check(scale: str) -> Evidence:
    depths = range(1, 14) if scale == "full" else range(1, 11)
    unit = Segment([0.0], [1.0])
    return Evidence([row(decompose(sawtooth(n).network, unit).n_regions, "=", 2**n, n=n) for n in depths], draw=draw)


def draw(ax: Axes) -> None:
    """Compositions one to four."""
    x = np.linspace(0, 1, 257)
    for n, color in zip((1, 2, 4), SERIES[:3], strict=True):
        ax.plot(x, sawtooth(n)(x[:, None]).ravel(), color=color, linewidth=1.2, label=f"n = {n}: {2**n} pieces")
    ax.legend(frameon=False, fontsize=8, loc="lower center", ncols=3, bbox_to_anchor=(0.5, 1.0))
    ax.spines[["top", "right"]].set_visible(False)
