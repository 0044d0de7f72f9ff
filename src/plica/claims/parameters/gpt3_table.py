r"""The sizes in GPT-3's table.

Claim
    The numbers of parameters printed in Table 2.1 follow from the numbers of layers and the widths printed next to them.
Source
    T. Brown et al., Language Models are Few-Shot Learners, NeurIPS 2020, Table 2.1 [brown2020].
Prediction
    the printed sizes, 125M to 175B, which are rounded to two or three digits
Measurement
    plica.theory.parameters.gpt_parameters for every row of plica.theory.parameters.GPT3_TABLE, with an attention as wide as the
    model: exact integers, within 2 percent of the printed ones
"""

from __future__ import annotations

from plica.claims import Evidence, row
from plica.claims._draw import deviations
from plica.theory.parameters import GPT3_TABLE, gpt_parameters

STATEMENT = "published result"
EXPECTED = "reproduced"
KIND = "exact"
SEE = ("gpt3-table-heads", "gpt3-table-corrected")


def check(scale: str) -> Evidence:
    rows = []
    for entry in GPT3_TABLE:
        measured = gpt_parameters(entry.n_layers, entry.d_model)
        rows.append(
            row(measured, "=", round(entry.printed), tolerance=0.02, model=entry.name, layers=entry.n_layers, width=entry.d_model)
        )
    return Evidence(rows, draw=deviations(rows, "model"))
