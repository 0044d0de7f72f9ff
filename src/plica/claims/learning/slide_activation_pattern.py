r"""Is the second layer on a pattern w' ((W x + b) + c)?

Claim
    Where the first layer has the activation pattern s, w ReLU(W x + b) + c = w' ((W x + b) + c) with w' = w * s.
Source
    Summer@ICERM 2020, final presentation, on anti-regularization [icerm-2020].
Prediction
    equality
Measurement
    the output of random integer networks (plica.network) at points, and their pattern there, exactly
Remark
    The parenthesis is misplaced: the bias c of the second layer is added once, after the product. See claim
    activation-pattern-form.
"""

from __future__ import annotations

from typing import Any

from plica.claims import Evidence, counterexample, row
from plica.claims._draw import pairs_on_diagonal
from plica.claims.learning._patterns import cases

STATEMENT = "misprint (text)"
EXPECTED = "refuted"
KIND = "exact"
SEE = ("activation-pattern-form",)


def check(scale: str) -> Evidence:
    rows = []
    for case in cases(200 if scale == "full" else 20):
        right = case.masked @ (case.first + case.c)
        about: dict[str, Any] = {"inputs": case.n_inputs, "units": case.n_units, "c": case.c}
        true = int(sum(int(w) * int(z) for w, z in zip(case.masked, case.first, strict=True))) + case.c
        is_off = case.c * (int(case.masked.sum()) - 1) != 0  # the misplaced parenthesis multiplies c by the sum of w'
        rows.append(
            counterexample(case.value, "=", int(right), truth=true, **about)
            if is_off
            else row(case.value, "=", int(right), **about)
        )
    drawn = pairs_on_diagonal(rows, "units", x="w' ((W x + b) + c), as printed", y="output of the network", log=False)
    return Evidence(rows, draw=drawn, seed=0)
