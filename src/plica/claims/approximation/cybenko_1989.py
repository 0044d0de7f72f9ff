r"""Cybenko: one hidden layer of sigmoids comes near every continuous function.

Claim
    Networks with one hidden layer of a continuous sigmoidal activation are dense in the continuous functions on [0, 1]^n: a
    function of one variable with Lipschitz constant rho is within eps of rho / eps sigmoids, and a product x y, a difference of
    two functions of one variable each, within the sum of their errors.
Source
    G. Cybenko, Mathematics of Control, Signals and Systems 2 (1989) [cybenko1989]; Summer@ICERM 2020, final presentation
    [icerm-2020]. The construction and its constant are ours.
Prediction
    eps, with n = ceil(rho / eps) units: a steep sigmoid stands for each step between the values at the middles of equal parts;
    the error is about half of what the function changes over a part, rho / (2 (n + 1)) for many units, and 3 / (2 (n + 1)) for x
    y
Measurement
    the largest deviation of such networks (plica.construct.Perceptron) from zigzags with slopes rho and -rho and, in two
    variables, from x y, on fine grids, with what the slopes of both allow between the points added
"""

from __future__ import annotations

from fractions import Fraction
from functools import partial
from math import ceil
from typing import TYPE_CHECKING, Any

import numpy as np

from plica._palette import MEASUREMENT, PREDICTION, REFERENCE
from plica._types import Array
from plica.claims import Evidence, row
from plica.construct import Perceptron

if TYPE_CHECKING:
    from matplotlib.axes import Axes

STATEMENT = "theorem"
EXPECTED = "holds"
KIND = "certified"
SEE = ("threshold-network", "hornik-1991", "leshno-1993-polynomial-activation")
STEEP = 8.0  # of a sigmoid, over one part
POINTS = 50_001
HALF = "half of the change over a part"


def zigzag(rho: int) -> tuple[Array, Array]:
    """Knots and values of a function with slopes rho and -rho."""
    knots = np.array([0, 19, 37, 51, 64]) / 64
    return knots, np.concatenate([[0.0], np.cumsum(np.diff(knots) * rho * np.array([1, -1, 1, -1]))])


def middles(n: int, start: float, stop: float) -> Array:
    """The middles of n + 1 equal parts of an interval, between which n sigmoids stand."""
    return start + (stop - start) * (np.arange(n + 1) + 0.5) / (n + 1)


def sigmoids(values: Array, start: float, stop: float) -> Perceptron:
    """The network that moves from value to value at the ends of the parts."""
    n = len(values) - 1
    part = (stop - start) / (n + 1)
    weight = np.full((n, 1), STEEP / part)
    bias = -weight[:, 0] * (start + part * np.arange(1, n + 1))
    return Perceptron.shallow(weight, bias, np.diff(values), activation="sigmoid", constant=float(values[0]))


def deviation(net: Perceptron, f: Any, slope: float, start: float, stop: float) -> float:
    """A bound of the largest deviation on an interval: on a grid, and what the slopes allow between its points.

    The sum of shifted sigmoids s(t - k STEEP) has a derivative of at most 1 / STEEP + 1 / 4.
    """
    x = np.linspace(start, stop, POINTS)
    seen = float(np.abs(net(x[:, None])[:, 0] - f(x)).max())
    (weight, _), out = net.hidden[0], net.output[0][0, 1:]
    steepest = float(np.abs(out).max() * weight.max() * (1 / STEEP + 1 / 4)) if len(out) else 0.0
    return seen + (steepest + slope) * (stop - start) / (POINTS - 1) / 2


def check(scale: str) -> Evidence:
    rows = []
    for rho in (2, 8):
        knots, values = zigzag(rho)
        f = partial(np.interp, xp=knots, fp=values)
        for eps in (Fraction(1, 2), Fraction(1, 8), Fraction(1, 32)) + ((Fraction(1, 128),) if scale == "full" else ()):
            n = ceil(rho / eps)
            found = deviation(sigmoids(np.asarray(f(middles(n, 0.0, 1.0))), 0.0, 1.0), f, rho, 0.0, 1.0)
            about: dict[str, Any] = {"rho": rho, "eps": eps, "units": n, "variables": 1}
            rows.append(row(found, "<=", float(eps), kind="certified", **about))
            if 64 <= n <= 256:  # with more the grid is too coarse for a bound as sharp as this
                rows.append(row(found, "=", rho / (2 * (n + 1)), tolerance=0.04, what=HALF, kind="certified", **about))
    for n in (16, 64, 256):  # x y = (x + y)^2 / 4 - (x - y)^2 / 4, of slopes at most 1 and 1/2
        total, allowed = 0.0, 0.0
        for start, stop, slope in ((0.0, 2.0, 1.0), (-1.0, 1.0, 0.5)):
            net = sigmoids(middles(n, start, stop) ** 2 / 4, start, stop)
            total += deviation(net, lambda t: t**2 / 4, slope, start, stop)
            allowed += slope * (stop - start) / n
        rows.append(row(total, "<=", allowed, kind="certified", units=2 * n, variables=2, what="x y"))
        if n >= 64:
            half: dict[str, Any] = {"tolerance": 0.04, "kind": "certified", "units": 2 * n, "variables": 2}
            rows.append(row(total, "=", 3 / (2 * (n + 1)), what=f"x y, {HALF}", **half))
    return Evidence(rows, draw=draw)


def draw(ax: Axes) -> None:
    """A zigzag, 4 and 16 sigmoids."""
    knots, values = zigzag(2)
    x = np.linspace(0, 1, 1001)
    ax.plot(knots, values, color=PREDICTION, linewidth=1.0, label="slopes 2 and -2")
    for n, color in ((4, REFERENCE), (16, MEASUREMENT)):
        net = sigmoids(np.interp(middles(n, 0.0, 1.0), knots, values), 0.0, 1.0)
        ax.plot(x, net(x[:, None])[:, 0], color=color, linewidth=1.4, label=f"{n} sigmoids")
    ax.legend(frameon=False, fontsize=8)
    ax.spines[["top", "right"]].set_visible(False)
