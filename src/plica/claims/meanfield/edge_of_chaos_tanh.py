r"""The edge of chaos of tanh networks, to six digits.

Claim
    chi_1 = 1 for tanh at sigma_w^2 = 1.18919, 1.42421, 1.76095 and 2.50513 for sigma_b^2 = 0.001, 0.01, 0.05 and 0.3.
Source
    The curve of B. Poole et al., NeurIPS 2016 [poole2016], and S. S. Schoenholz et al., ICLR 2017 [schoenholz2017]; the
    digits are computed here.
Prediction
    plica.theory.meanfield.edge_of_chaos, by Gauss-Hermite quadrature along the curve's own parameter q*
Measurement
    adaptive quadrature, the fixed point of the length map, and bisection on sigma_w: a path that shares no code with the first
"""

from __future__ import annotations

from functools import partial
from math import tanh

from plica.claims import Evidence
from plica.claims.meanfield._edge import draw_edge, edge_rows

STATEMENT = "theorem"
EXPECTED = "holds"
KIND = "estimated"
SEE = ("edge-of-chaos-erf", "poole-2016-phases")
PRINTED = {0.001: 1.18919, 0.01: 1.42421, 0.05: 1.76095, 0.3: 2.50513}


def check(scale: str) -> Evidence:
    rows = edge_rows("tanh", lambda x: tanh(x) ** 2, lambda x: (1 - tanh(x) ** 2) ** 2, PRINTED)
    return Evidence(rows, draw=partial(draw_edge, "tanh"))
