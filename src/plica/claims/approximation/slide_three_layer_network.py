r"""Boxes and ramps, as printed: within eps.

Claim
    If a function on [0, 1]^d changes by at most eps over distances delta, the network with two hidden layers that puts a bump
    with the value in its corner on each of ceil(1/delta)^d boxes has L1 distance at most eps from it.
Source
    University of Washington lecture, multivariate approximation by a three-layer network [washington-lecture].
Prediction
    eps
Measurement
    the integral of the absolute difference, exactly (plica.construct.approximation_error), for a function that is low at the
    corners of the boxes and high elsewhere, and the network of plica.construct.box_network
Remark
    The step function already takes eps, and the ramps of the bumps cost a second one: the error is at most 2 eps. The
    condition is on the modulus of continuity, not Lipschitz continuity; the number of units is O(d / delta + 1 / delta^d). The
    corrected form is the claim three-layer-network.
"""

from __future__ import annotations

from fractions import Fraction

from plica.claims import Evidence, row
from plica.claims.approximation._ledges import measured

EXPECTED = "refuted"
KIND = "exact"
SEE = ("three-layer-network",)


def check(scale: str) -> Evidence:
    rows = []
    for n, d in ((4, 1), (16, 1), (2, 2)) + (((64, 1), (4, 2)) if scale == "full" else ()):
        for eps in (Fraction(1, 4), Fraction(1, 16)):
            error, _ = measured(n, d, eps)
            rows.append(row(error, "<=", eps, d=d, boxes=n**d))
    return Evidence(rows)
