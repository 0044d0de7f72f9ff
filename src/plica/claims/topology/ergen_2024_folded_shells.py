r"""Ergen and Grillo: holes multiply with depth.

Claim
    Betti numbers of decision regions of ReLU networks grow exponentially with depth: where k layers fold each of d coordinates in
    two, a shell around a point becomes 2^(k d) shells, at d units a layer.
Source
    E. Ergen, M. Grillo, Topological Expressivity of ReLU Neural Networks, COLT 2024 [ergen2024].
Prediction
    2^(k d) components, and 2^(k d) holes of dimension d - 1, all other Betti numbers 0
Measurement
    plica.measure.level_topology of the folded shell over [0, 1]^d
Remark
    Units are counted as absolute values. One hidden layer of as many units has fewer cells than this has components.
"""

from __future__ import annotations

import numpy as np

from plica.claims import Evidence, control, row
from plica.claims.regions._cube import unit_cube
from plica.measure import level_topology
from plica.network import Linear, Network, Op, Rectifier
from plica.theory.regions import zaslavsky

STATEMENT = "theorem"
EXPECTED = "holds"
KIND = "exact"
SEE = ("telgarsky-2015-pieces", "grigsby-lindsey-2022-bounded")


def folded_shell(d: int, k: int) -> Network:
    """| |y - 1/2|_1 - 1/4 | of the point y to which k folds x -> |2 x - 1| bring x."""
    fold: Op = Rectifier(np.array(-1.0))
    ops: list[Op] = [Linear(2 * np.eye(d), -np.ones(d)), fold] * k
    around: list[Op] = [Linear(np.eye(d), np.full(d, -0.5)), fold, Linear(np.ones((1, d)), np.array([-0.25])), fold]
    return Network.sequential(d, [*ops, *around])


def check(scale: str) -> Evidence:
    rows = []
    cases = [(1, 3), (2, 0), (2, 1), (2, 2), (2, 3), (3, 1), (3, 2), (4, 1)]
    cases += [(2, 5), (3, 3), (4, 2)] if scale == "full" else []
    for d, k in cases:
        found = level_topology(folded_shell(d, k), unit_cube(d), 0.125).betti
        predicted = [0] * (d + 1)
        predicted[0] += 2 ** (k * d)
        predicted[d - 1] += 2 ** (k * d)  # in one dimension a shell is two intervals
        for i, (measured, expected) in enumerate(zip(found, predicted, strict=True)):
            rows.append(row(measured, "=", expected, what=f"Betti number {i}", d=d, folds=k))
    units = 2 * 3 + 2 + 1
    rows.append(control(2 ** (3 * 2), ">", zaslavsky(units, 2), what=f"cells of {units} units in one layer", d=2, folds=3))
    return Evidence(rows)
