r"""T5-XXL, as printed: 1.6 trillion parameters.

Claim
    T5-XXL has 1.6 trillion parameters.
Source
    Theories of Deep Learning, lecture 15, list of model sizes [oxford-lecture-15].
Prediction
    1.6 10^12
Measurement
    plica.theory.parameters.t5_parameters for the dimensions of T5's largest model: 24 + 24 layers, width 1024, feed-forward
    width 65536, 128 heads of 128 (the T5 paper calls it 11B; later papers call this size XXL)
Remark
    T5-XXL has 11 billion. The 1.6 trillion belong to Switch-C, a sparse model compared with it: the claim t5-and-switch.
"""

from __future__ import annotations

from plica.claims import Evidence, counterexample
from plica.claims._draw import sizes
from plica.theory.parameters import t5_parameters

STATEMENT = "misprint (text)"
EXPECTED = "refuted"
KIND = "exact"
SEE = ("t5-and-switch",)


def check(scale: str) -> Evidence:
    measured = t5_parameters(24, 1024, 65536, n_heads=128, d_head=128)
    found = counterexample(measured, "=", 1_600_000_000_000, truth=11_000_000_000, tolerance=0.05, model="T5, largest")
    switch = t5_parameters(15, 2080, 6144, n_heads=32, d_head=64, n_experts=2048)
    drawn = sizes(
        {"T5-XXL": measured, "Switch-C": switch}, {"T5-XXL": 1.6e12, "Switch-C": 1.571e12}, x="parameters", wrong=["T5-XXL"]
    )
    return Evidence([found], draw=drawn)
