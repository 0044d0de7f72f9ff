r"""The mean error is at most the largest one, for a probability.

Claim
    For a probability measure mu on X, int_X |f - g| dmu <= sup |f - g|, with equality where |f - g| is constant; for a measure of
    mass M the mean may be M times the largest error.
Source
    University of Washington lecture, on norms for approximation [washington-lecture].
Prediction
    for a network that interpolates x^2 on [0, 1], two thirds: the area of a parabola under its top; for a network that is 1/8
    too high everywhere equality, and on [0, 2] twice the largest error
Measurement
    both errors of plica.construct.squaring and of a shifted line, enclosed (plica.construct.approximation_error)
"""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np

from plica._palette import MEASUREMENT, REFERENCE
from plica.claims import Evidence, row
from plica.construct import Polynomial, approximation_error, interpolant, squaring
from plica.geometry import Segment
from plica.network import Network

if TYPE_CHECKING:
    from matplotlib.axes import Axes

STATEMENT = "theorem"
EXPECTED = "holds"
KIND = "certified"
SEE = ("yarotsky-2017-square", "excess-risk", "three-layer-network")


def errors(net: Network, target: Polynomial, stop: float) -> tuple[float, float]:
    """The integral of the absolute difference on [0, stop], and its largest value: the upper ends of enclosures."""
    domain = Segment([0.0], [stop])
    mean, largest = (approximation_error(net, target, domain, norm=norm) for norm in ("L1", "sup"))
    assert mean.high - mean.low <= 1e-3 * mean.high
    return float(mean.high), float(largest.high)


def check(scale: str) -> Evidence:
    rows = []
    for m in range(1, 7 if scale == "full" else 5):
        mean, largest = errors(squaring(m).network, Polynomial([0, 0, 1]), 1.0)
        rows.append(row(mean, "<=", largest, kind="certified", network=f"squares, m = {m}", domain="[0, 1]"))
        share = mean / largest
        rows.append(row(share, "=", 2 / 3, tolerance=2e-3, kind="certified", network=f"squares, m = {m}", domain="[0, 1]"))
    shifted = interpolant([0.0, 2.0], [0.125, 2.125]).network
    for stop, mass in ((1.0, 1), (2.0, 2)):
        mean, largest = errors(shifted, Polynomial([0, 1]), stop)
        rows.append(row(largest, "=", Fraction(1, 8), network="x + 1/8", domain=f"[0, {stop:g}]", what="largest"))
        rows.append(row(mean, "=", mass * largest, network="x + 1/8", domain=f"[0, {stop:g}]", what=f"mass {mass}"))
    return Evidence(rows, draw=draw)


def draw(ax: Axes) -> None:
    """The error of the second network of squares, its mean and its top."""
    x = np.linspace(0, 1, 513)
    gap = squaring(2)(x[:, None])[:, 0] - x**2
    ax.fill_between(x, gap, color=MEASUREMENT, alpha=0.3, linewidth=0)
    ax.plot(x, gap, color=MEASUREMENT)
    for level, name in ((1 / 64, "largest"), (1 / 96, "mean")):
        ax.axhline(level, color=REFERENCE, linewidth=0.8, linestyle=":")
        ax.text(1.0, level, name, fontsize=8, va="bottom", ha="right")
    ax.set_ylabel("network - x²")
    ax.spines[["top", "right"]].set_visible(False)
