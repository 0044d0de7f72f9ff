r"""Is the second layer on a pattern w' ((W x + b) + c)?

Claim
    Where the first layer has the activation pattern s, w ReLU(W x + b) + c = w' ((W x + b) + c) with w' = w * s.
Source
    Summer@ICERM 2020, final presentation, on anti-regularization [icerm-2020].
Prediction
    equality
Measurement
    both sides for random integer networks and points, exactly
Remark
    The parenthesis is misplaced: the bias c of the second layer is added once, after the product. See claim
    activation-pattern-form.
"""

from __future__ import annotations

from plica.claims import Evidence, row
from plica.claims.learning._patterns import cases

EXPECTED = "refuted"
KIND = "exact"
SEE = ("activation-pattern-form",)


def check(scale: str) -> Evidence:
    rows = []
    for case in cases(200 if scale == "full" else 20):
        right = case.masked @ (case.first + case.c)
        rows.append(row(case.value, "=", int(right), inputs=case.n_inputs, units=case.n_units, c=case.c))
    return Evidence(rows, seed=0)
