r"""What training the Transformer cost.

Claim
    Training took 3.3 10^18 operations for the base Transformer and 2.3 10^19 for the big one: hours of 8 P100 processors at 9.5
    10^12 operations a second. Training GPT-3 took 3.14 10^23.
Source
    A. Vaswani et al., NeurIPS 2017, Table 2 and section 5.2: 12 hours and 3.5 days [vaswani2017]; T. Brown et al., NeurIPS 2020,
    Table D.1: 175 billion parameters, 300 billion tokens [brown2020]. The lecture shows the first two under one language pair.
Prediction
    the printed numbers, rounded to two or three digits
Measurement
    hours times processors times speed; 6 N D, plica.theory.parameters.training_operations, in exact integers
"""

from __future__ import annotations

from plica.claims import Evidence, row
from plica.claims._draw import sizes
from plica.theory.parameters import gpt_parameters, training_operations

STATEMENT = "published result"
EXPECTED = "reproduced"
KIND = "exact"
SEE = ("transformer-sizes", "gpt3-table")
SPEED = 9_500_000_000_000
PROCESSORS = 8


def check(scale: str) -> Evidence:
    rows = []
    for model, hours, printed in (("base", 12, 33 * 10**17), ("big", 84, 23 * 10**18)):
        rows.append(
            row(hours * 3600 * PROCESSORS * SPEED, "=", printed, tolerance=0.015, model=f"Transformer, {model}", hours=hours)
        )
    operations = training_operations(gpt_parameters(96, 12288), 300 * 10**9)
    rows.append(row(operations, "=", 314 * 10**21, tolerance=0.005, model="GPT-3", hours="-"))
    counted = {str(r.parameters["model"]): float(r.measured) for r in rows}
    claimed = {str(r.parameters["model"]): float(r.predicted) for r in rows}
    return Evidence(rows, draw=sizes(counted, claimed, x="operations"))
