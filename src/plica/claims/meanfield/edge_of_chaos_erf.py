r"""The edge of chaos of erf networks, in closed form and to six digits.

Claim
    chi_1 = 1 for erf at sigma_w^2 = 1.11428, 1.37584 and 1.96307 for sigma_b^2 = 0.01, 0.05 and 0.3, and at pi / 4 without
    biases; along the curve sigma_w^2 = pi sqrt(1 + 4 q*) / 4.
Source
    The curve of S. S. Schoenholz et al., ICLR 2017 [schoenholz2017], with the averages of C. K. I. Williams [williams1997]; the
    digits are computed here.
Prediction
    plica.theory.meanfield.edge_of_chaos, from closed forms
Measurement
    adaptive quadrature, the fixed point of the length map, and bisection on sigma_w: a path that shares no code with the first
"""

from __future__ import annotations

from functools import partial
from math import erf, exp, pi, sqrt
from typing import Any

from plica.claims import Evidence, row
from plica.claims.meanfield._edge import draw_edge, edge_rows
from plica.theory.meanfield import edge_of_chaos

STATEMENT = "theorem"
EXPECTED = "holds"
KIND = "estimated"
SEE = ("edge-of-chaos-tanh",)
PRINTED = {0.01: 1.11428, 0.05: 1.37584, 0.3: 1.96307}


def check(scale: str) -> Evidence:
    rows = edge_rows("erf", lambda x: erf(x) ** 2, lambda x: 4 / pi * exp(-2 * x * x), PRINTED)
    for variance in (0.0, *PRINTED):
        edge = edge_of_chaos("erf", bias_std=sqrt(variance))
        curve = pi * sqrt(1 + 4 * edge.length) / 4
        about: dict[str, Any] = {"sigma_b^2": variance}
        rows.append(row(edge.weight_std**2, "=", curve, tolerance=1e-12, quantity="sigma_w^2 along the curve", **about))
    return Evidence(rows, draw=partial(draw_edge, "erf"))
