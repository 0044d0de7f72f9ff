r"""On a pattern s the second layer is (w * s)(W x + b) + c.

Claim
    Where the first layer has the activation pattern s, w ReLU(W x + b) + c = w' (W x + b) + c with w' = w * s, entry by entry.
Source
    The definition of ReLU; corrects a formula of Summer@ICERM 2020, final presentation, on anti-regularization [icerm-2020].
Prediction
    equality
Measurement
    the output of random integer networks (plica.network) at points, their pattern there, and the affine map that belongs to the
    pattern, exactly
"""

from __future__ import annotations

from plica.claims import Evidence, row
from plica.claims._draw import pairs_on_diagonal
from plica.claims.learning._patterns import cases

STATEMENT = "theorem"
EXPECTED = "holds"
KIND = "exact"
SEE = ("slide-activation-pattern", "anti-regularization")


def check(scale: str) -> Evidence:
    rows = []
    for case in cases(200 if scale == "full" else 20):
        right = case.masked @ case.first + case.c
        rows.append(row(case.value, "=", int(right), inputs=case.n_inputs, units=case.n_units))
        rows.append(row(case.linearized, "=", int(right), inputs=case.n_inputs, units=case.n_units, what="map of the pattern"))
    drawn = pairs_on_diagonal(
        [r for r in rows if "what" not in r.parameters], "units", x="(w * s) (W x + b) + c", y="output of the network", log=False
    )
    return Evidence(rows, draw=drawn, seed=0)
