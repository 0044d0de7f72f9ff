r"""T5's largest model has 11 billion parameters, Switch-C has 1.6 trillion.

Claim
    T5's largest model has 11 billion parameters; Switch-C, 15 + 15 layers with 2048 experts each, has 1.6 trillion (1571
    billion).
Source
    C. Raffel et al., JMLR 2020 [raffel2020]; W. Fedus, B. Zoph, N. Shazeer, JMLR 2022, Table 9 [fedus2022]; dimensions from
    memory of the papers.
Prediction
    the printed sizes, 11 billion and 1571 billion
Measurement
    plica.theory.parameters.t5_parameters from the dimensions of the models, in exact integers, within 3 percent
"""

from __future__ import annotations

from plica.claims import Evidence, row
from plica.theory.parameters import t5_parameters

STATEMENT = "theorem"
EXPECTED = "holds"
KIND = "exact"
SEE = ("slide-t5-xxl",)


def check(scale: str) -> Evidence:
    largest = t5_parameters(24, 1024, 65536, n_heads=128, d_head=128)
    switch = t5_parameters(15, 2080, 6144, n_heads=32, d_head=64, n_experts=2048)
    return Evidence(
        [
            row(largest, "=", 11_000_000_000, tolerance=0.03, model="T5, largest"),
            row(switch, "=", 1_571_000_000_000, tolerance=0.001, model="Switch-C"),
        ]
    )
