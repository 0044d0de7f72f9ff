r"""The heads in GPT-3's table: two rows contradict themselves.

Claim
    In every row of Table 2.1 the heads together are as wide as the model: n_heads d_head = d_model.
Source
    T. Brown et al., NeurIPS 2020, Table 2.1, whose text defines d_head = d_model / n_heads [brown2020]; copied in Theories of
    Deep Learning, lectures 4 and 15 [oxford-lecture-4].
Prediction
    d_model
Measurement
    n_heads d_head for every row of plica.theory.parameters.GPT3_TABLE
Remark
    GPT-3 XL: 24 heads of 128 make 3072, not 2048; with 16 heads the row is consistent. GPT-3 13B: 40 heads of 128 make 5120,
    printed is 5140. The corrected rows are the claim gpt3-table-corrected.
"""

from __future__ import annotations

from typing import Any

from plica.claims import Evidence, counterexample, row
from plica.claims._draw import pairs_on_diagonal
from plica.theory.parameters import GPT3_TABLE

STATEMENT = "misprint (text)"
EXPECTED = "refuted"
KIND = "exact"
TOGETHER = {"XL": 3072, "13B": 5120}  #: as wide as the heads of these two rows are together
SEE = ("gpt3-table", "gpt3-table-corrected")


def check(scale: str) -> Evidence:
    rows = []
    for r in GPT3_TABLE:
        about: dict[str, Any] = {"model": r.name, "heads": r.n_heads, "d_head": r.d_head}
        together = r.n_heads * r.d_head
        truth = TOGETHER.get(r.name)
        rows.append(
            row(together, "=", r.d_model, **about)
            if truth is None
            else counterexample(together, "=", r.d_model, truth=truth, **about)
        )
    return Evidence(rows, draw=pairs_on_diagonal(rows, "model", x="width of the model", y="heads together"))
