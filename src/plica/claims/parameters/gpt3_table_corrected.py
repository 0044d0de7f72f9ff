r"""GPT-3's table with 16 heads in XL and width 5120 in 13B.

Claim
    With 16 heads in GPT-3 XL and width 5120 in GPT-3 13B every row is consistent and keeps its printed size; taken literally,
    24 heads would give XL 1.52 billion parameters, not 1.3.
Source
    The two contradictions of Table 2.1 of T. Brown et al., NeurIPS 2020 [brown2020].
Prediction
    the printed sizes within 2 percent; for the literal XL more than 15 percent beyond it
Measurement
    plica.theory.parameters.gpt_parameters with the corrected entries, and with an attention of width 3072 for the literal XL
"""

from __future__ import annotations

from plica.claims import Evidence, row
from plica.claims._draw import sizes
from plica.theory.parameters import gpt_parameters

STATEMENT = "theorem"
EXPECTED = "holds"
KIND = "exact"
SEE = ("gpt3-table", "gpt3-table-heads")


def check(scale: str) -> Evidence:
    corrected = {"XL, 16 heads": (24, 2048, 16, 128, 1_300_000_000), "13B, width 5120": (40, 5120, 40, 128, 13_000_000_000)}
    rows = []
    for name, (layers, width, heads, d_head, printed) in corrected.items():
        rows.append(row(heads * d_head, "=", width, model=name, what="heads together"))
        rows.append(row(gpt_parameters(layers, width), "=", printed, tolerance=0.02, model=name, what="parameters"))
    literal = gpt_parameters(24, 2048, d_attention=24 * 128)
    rows.append(row(literal, ">", 1_300_000_000 * 115 // 100, model="XL, 24 heads as printed", what="parameters"))
    drawn = {"XL, 16 heads": gpt_parameters(24, 2048), "XL, 24 heads": literal, "13B, 5120": gpt_parameters(40, 5120)}
    claimed = {"XL, 16 heads": 1.3e9, "XL, 24 heads": 1.3e9, "13B, 5120": 13e9}
    return Evidence(rows, draw=sizes(drawn, claimed, x="parameters", wrong=["XL, 24 heads"]))
