r"""A step for every change by eps: threshold networks on the unit interval.

Claim
    A function on [0, 1] with Lipschitz constant rho is approximated within eps by ceil(rho / eps) threshold units, and by
    ceil(rho / (2 eps)) units that take the value in the middle of each step; a function that rises by rho needs no less of an
    error.
Source
    University of Washington lecture [washington-lecture]; M. Telgarsky, Deep Learning Theory Lecture Notes (2021),
    Proposition 2.1 [telgarsky2021].
Prediction
    eps, and not less, with plica.theory.approximation.threshold_units(rho, eps) units
Measurement
    the largest deviation of the networks of plica.construct.threshold from piecewise-linear functions with slopes rho and
    -rho, in exact rationals of the stored weights: it is attained at a knot of the function or next to a threshold
"""

from __future__ import annotations

from fractions import Fraction
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from plica._palette import PREDICTION, SERIES
from plica.claims import Evidence, row
from plica.construct import Perceptron, PiecewisePolynomial, Polynomial, threshold
from plica.theory.approximation import threshold_units

if TYPE_CHECKING:
    from matplotlib.axes import Axes

STATEMENT = "theorem"
EXPECTED = "holds"
KIND = "exact"
SEE = ("effective-dimension", "three-layer-network")


def zigzag(rho: int, knots: list[Fraction]) -> PiecewisePolynomial:
    """Slopes rho and -rho in turn, from zero."""
    pieces, value = [], Fraction(0)
    for k, (a, b) in enumerate(pairwise(knots)):
        slope = rho * (-1) ** k
        pieces.append(Polynomial([value - slope * a, slope]))
        value += slope * (b - a)
    return PiecewisePolynomial(knots, pieces)


def largest_error(network: Perceptron, g: PiecewisePolynomial) -> Fraction:
    """sup |g - steps| on [0, 1]; between two thresholds the steps have the value at the left one."""
    thresholds = [Fraction(float(-b)) for b in network.hidden[0][1]] + [Fraction(1)]
    worst, level = Fraction(0), Fraction(0)
    for (left, right), jump in zip(pairwise(thresholds), network.output[0][0, 1:], strict=True):
        level += Fraction(float(jump))
        inside = [left, right, *(k for k in g.knots if left < k < right)]
        worst = max(worst, *(abs(g.exact([x]) - level) for x in inside))
    return worst


CASES = ((1, (0, 64)), (4, (0, 19, 37, 64)), (8, (0, 3, 10, 11, 31, 47, 64)), (32, (0, 1, 5, 6, 20, 33, 39, 60, 64)))


def check(scale: str) -> Evidence:
    rows = []
    for rho, places in CASES if scale == "full" else CASES[:3]:
        g = zigzag(rho, [Fraction(k, 64) for k in places])
        for eps in (Fraction(1, 2), Fraction(1, 8), Fraction(1, 32)):
            for midpoint in (False, True):
                net = threshold(g, error=eps, lipschitz=rho, midpoint=midpoint)
                units = threshold_units(rho, float(2 * eps if midpoint else eps))
                rows.append(row(net.n_units, "=", units, rho=rho, eps=eps, midpoint=midpoint, what="units"))
                measured = largest_error(net.network, g)
                rows.append(row(measured, "=", eps, rho=rho, eps=eps, midpoint=midpoint, what="error"))
    return Evidence(rows, draw=draw)


def draw(ax: Axes) -> None:
    """A zigzag with slopes 4 and the 8 steps that stay within 1/2 of it, and the 4 with values in the middle."""
    g = zigzag(4, [Fraction(k, 64) for k in CASES[1][1]])
    x = np.linspace(0, 1, 1025)
    ax.plot(x, g(x[:, None]), color=PREDICTION, linewidth=1.0, label="slopes 4 and -4")
    for midpoint, color in zip((False, True), SERIES, strict=False):
        net = threshold(g, error=0.5, lipschitz=4, midpoint=midpoint)
        ax.plot(x, net(x[:, None])[:, 0], color=color, linewidth=1.2, label=f"{net.n_units} steps within 1/2")
    ax.legend(frameon=False)
    ax.spines[["top", "right"]].set_visible(False)
