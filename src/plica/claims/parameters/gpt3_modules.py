r"""The eight GPT-3 models, counted as modules.

Claim
    The eight models of GPT-3, built as modules with consistent heads (16 in XL, width 5120 in 13B), have the numbers of
    parameters that the formula (V + T) d + L (12 d^2 + 13 d) + 2 d gives, and the printed ones within 2 percent.
Source
    T. Brown et al., NeurIPS 2020, Table 2.1 [brown2020].
Prediction
    plica.theory.parameters.gpt_parameters, exactly, and the printed sizes
Measurement
    parameters of plica.models.transformer.GPT for each preset, built without memory
"""

from __future__ import annotations

from plica.claims import Evidence, row
from plica.claims._draw import shares
from plica.models.transformer import GPT
from plica.theory.parameters import GPT3_TABLE, GPT3Row, gpt_parameters

STATEMENT = "published result"
EXPECTED = "reproduced"
KIND = "exact"
SEE = ("gpt3-table", "gpt3-table-corrected")


def check(scale: str) -> Evidence:
    rows = []
    for entry in GPT3_TABLE:
        counted = GPT.count_parameters(f"gpt3-{entry.name.lower()}")
        width = 5120 if entry.name == "13B" else entry.d_model
        rows.append(row(counted, "=", gpt_parameters(entry.n_layers, width), model=entry.name, against="formula"))
        rows.append(row(counted, "=", round(entry.printed), tolerance=0.02, model=entry.name, against="printed"))
    return Evidence(rows, draw=shares({entry.name: parts(entry) for entry in GPT3_TABLE}, x="percent of the parameters"))


def parts(entry: GPT3Row) -> dict[str, float]:
    """Where the parameters are; the rest are vectors."""
    d = entry.d_model
    return {"embeddings": (50257 + 2048) * d, "attention": 4 * d * d * entry.n_layers, "feed-forward": 8 * d * d * entry.n_layers}
