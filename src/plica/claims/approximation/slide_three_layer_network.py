r"""Boxes and ramps, as printed: within eps.

Claim
    If a function on [0, 1]^d changes by at most eps over distances delta, some network with two hidden layers that puts a bump on
    each of ceil(1/delta)^d boxes has L1 distance at most eps from it.
Source
    University of Washington lecture, multivariate approximation by a three-layer network [washington-lecture].
Prediction
    eps: half of it for a step in the middle of the function's values on each box, half for the ramps
Measurement
    the integral of the absolute difference, exactly (plica.construct.approximation_error), for a function that is low at the
    corners of the boxes and high elsewhere, and the network of plica.construct.box_network with the middle value and ramps of
    eps / 16 of a box; beside it the network with the value in the corner, as the proof takes it
Remark
    Which value a bump has is left open by the slide. With the value in the corner and ramps that cost another eps the bound is
    2 eps, and more than eps is needed: the claim three-layer-network. The condition is on the modulus of continuity, not
    Lipschitz continuity; the number of units is O(d / delta + 1 / delta^d).
"""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np

from plica._palette import BOUND, INK, MEASUREMENT
from plica.claims import Evidence, control, row
from plica.claims.approximation._ledges import corner_boxes, ledges, measured, measured_middle, middle_boxes

if TYPE_CHECKING:
    from matplotlib.axes import Axes

STATEMENT = "theorem"
EXPECTED = "holds"
KIND = "exact"
SEE = ("three-layer-network",)


def check(scale: str) -> Evidence:
    rows = []
    for n, d in ((4, 1), (16, 1), (2, 2)) + (((64, 1), (4, 2)) if scale == "full" else ()):
        for eps in (Fraction(1, 4), Fraction(1, 16)):
            error = measured_middle(n, d, eps)
            rows.append(row(error, "<=", eps, d=d, boxes=n**d, eps=eps, value="middle"))
            # no step is nearer than eps / 2 to a function that takes both values; here on 1/32 of each box it is the low one
            rows.append(row(error, ">=", eps / 2 * Fraction(31, 32), d=d, boxes=n**d, eps=eps, value="middle"))
            rows.append(control(measured(n, d, eps)[0], ">", eps, d=d, boxes=n**d, eps=eps, value="corner"))
    return Evidence(rows, draw=draw)


def draw(ax: Axes) -> None:
    """The function on four boxes, the bumps with the value in the corner, and those with the middle value."""
    eps, n = Fraction(1, 4), 4
    x = np.linspace(0, 1, 2049)[:, None]
    ax.plot(x, ledges(n, 1, eps, Fraction(1, 64 * n))(x), color=INK, linewidth=2.5, label="the function")
    ax.plot(x, corner_boxes(n, 1, eps)(x), color=BOUND, linewidth=1.2, label="value in the corner")
    ax.plot(x, middle_boxes(n, 1, eps)(x), color=MEASUREMENT, linewidth=1.2, label="middle value, narrow ramps")
    ax.set(xlabel="x", ylim=(0.3, 1.35))
    ax.legend(frameon=False, fontsize=8, loc="lower center")
    ax.spines[["top", "right"]].set_visible(False)
