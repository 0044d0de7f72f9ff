r"""The sizes of the Transformer, base and big.

Claim
    The base Transformer has 65 million parameters, the big one 213 million.
Source
    A. Vaswani et al., NeurIPS 2017, Table 3 [vaswani2017].
Prediction
    the printed sizes, within 3 percent: the vocabulary of about 37,000 shared tokens is printed rounded
Measurement
    parameters of plica.models.transformer.Transformer, counted on the module built without memory, and of
    plica.theory.parameters.transformer_parameters, in exact integers
"""

from __future__ import annotations

from plica.claims import Evidence, row
from plica.claims._draw import deviations
from plica.models.transformer import Transformer
from plica.theory.parameters import transformer_parameters

STATEMENT = "published result"
EXPECTED = "reproduced"
KIND = "exact"
SEE = ("gpt3-table", "vaswani-2017-training-cost")


def check(scale: str) -> Evidence:
    rows = []
    for name, printed, d, d_ff in (("base", 65_000_000, 512, 2048), ("big", 213_000_000, 1024, 4096)):
        counted = Transformer.count_parameters(f"transformer-{name}")
        rows.append(row(counted, "=", printed, tolerance=0.03, model=name, against="printed"))
        rows.append(row(counted, "=", transformer_parameters(6, d, d_ff, vocabulary=37000), model=name, against="formula"))
    return Evidence(rows, draw=deviations(rows, "model", only={"against": "printed"}))
