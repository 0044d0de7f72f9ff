r"""Boxes and ramps: two hidden layers are within 2 eps in the mean.

Claim
    If a function on [0, 1]^d changes by at most eps over distances delta in the largest coordinate, a ReLU network with two
    hidden layers of 4 d ceil(1/delta) and ceil(1/delta)^d units has L1 distance at most 2 eps from it.
Source
    University of Washington lecture [washington-lecture]; M. Telgarsky, Deep Learning Theory Lecture Notes (2021), Theorem 2.1
    [telgarsky2021].
Prediction
    2 eps: one eps for the step function on the boxes, one for the ramps between them; for ledges from eps to 2 eps, where ramps
    may be as wide as boxes and bumps become pyramids, (2 - 1/64 - 1/(d + 1)!) eps: nine tenths of the bound in the plane, and
    nearer to it in every further dimension
Measurement
    the integral of the absolute difference, exactly (plica.construct.approximation_error) for functions that are low at the
    corners of the boxes and high elsewhere, and enclosed for smooth functions of one and two variables, with the networks of
    plica.construct.box_network
"""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np

from plica._palette import MEASUREMENT, PREDICTION, REFERENCE
from plica.claims import Evidence, row
from plica.claims.approximation._ledges import ledges, measured, measured_pyramids, pyramid_error
from plica.construct import box_network, sin, variables

if TYPE_CHECKING:
    from matplotlib.axes import Axes

STATEMENT = "theorem"
EXPECTED = "holds"
KIND = "certified"
SEE = ("slide-three-layer-network", "threshold-network")


def check(scale: str) -> Evidence:
    rows = []
    (x,), (u, v) = variables(1), variables(2)
    full = scale == "full"
    for n, d in ((4, 1), (16, 1), (2, 2)) + (((64, 1), (4, 2)) if full else ()):
        for eps in (Fraction(1, 4), Fraction(1, 16)):
            error, net = measured(n, d, eps)
            rows.append(row(error, "<=", 2 * eps, d=d, boxes=n**d, target="low at the corners"))
            rows.append(row(net.n_units, "<=", 4 * d * n + n**d, d=d, boxes=n**d, target="units"))
    for n, d in ((1, 1), (4, 1), (1, 2), (2, 2)) + (((4, 2),) if full else ()):
        eps = Fraction(1, 4)
        error, net = measured_pyramids(n, d, eps)
        rows.append(row(error, "<=", 2 * eps, d=d, boxes=n**d, target="low at the corners, ramps as wide as boxes"))
        predicted = float(pyramid_error(d, eps))
        rows.append(row(float(error), "=", predicted, kind="certified", tolerance=1e-10, d=d, boxes=n**d, target="pyramids"))
    for eps in (Fraction(1, 2), Fraction(1, 8), Fraction(1, 32)) if full else (Fraction(1, 2),):
        net = box_network(sin(5 * x), error=float(eps), lipschitz=5, value="corner")
        assert net.certificate is not None
        found = net.certificate.true_error.high
        rows.append(row(float(found), "<=", float(2 * eps), kind="certified", d=1, boxes=net.parameters["n"], target="sin 5x"))
    for eps in (Fraction(1, 2), Fraction(1, 4)) if full else ():
        net = box_network(u * v, error=float(eps), lipschitz=2, value="corner")
        assert net.certificate is not None
        found = net.certificate.true_error.high
        rows.append(row(float(found), "<=", float(2 * eps), kind="certified", d=2, boxes=net.parameters["n"] ** 2, target="xy"))
    return Evidence(rows, draw=draw)


def draw(ax: Axes) -> None:
    """The function that is low at the corners, and its network."""
    eps = Fraction(1, 4)
    _, net = measured(4, 1, eps)
    x = np.linspace(0, 1, 4097)[:, None]
    ax.plot(x, ledges(4, 1, eps, Fraction(1, 256))(x), color=PREDICTION, linewidth=1.0, label="function")
    ax.plot(x, net(x), color=MEASUREMENT, linewidth=1.2, label="network")
    ax.axhline(1.0, color=REFERENCE, linewidth=0.8, linestyle=":")
    ax.set_ylim(0, 1.6)
    ax.legend(frameon=False)
    ax.spines[["top", "right"]].set_visible(False)
