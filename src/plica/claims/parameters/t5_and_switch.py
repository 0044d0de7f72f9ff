r"""T5 has 60 million to 11 billion parameters, Switch-C has 1.6 trillion.

Claim
    The five published T5 models have 60,506,624, 222,903,552, 737,668,096, 2,851,598,336 and 11,307,321,344 parameters; Switch-C,
    15 + 15 layers with 2048 experts each, has 1.6 trillion (1571 billion).
Source
    C. Raffel et al., JMLR 2020, for the sizes in words (60M, 220M, 770M, 3B, 11B) [raffel2020]; W. Fedus, B. Zoph, N. Shazeer,
    JMLR 2022, Table 9 [fedus2022]. Its width 2080, hidden width 6144, 32 heads of 64, 15 layers and 1571B are
    in that table, as others print it. The exact numbers of T5 are those of the published checkpoints, as others list them; its
    dimensions are those of the authors' published configurations.
Prediction
    the numbers of the checkpoints, exactly; 1571 billion, rounded
Measurement
    plica.theory.parameters.t5_parameters from the dimensions of the models, in exact integers
"""

from __future__ import annotations

from plica.claims import Evidence, row
from plica.claims._draw import sizes
from plica.theory.parameters import t5_parameters

STATEMENT = "published result"
EXPECTED = "reproduced"
KIND = "exact"
SEE = ("slide-t5-xxl",)
#: Layers on each side, width, feed-forward width, heads, width of a head, and the parameters of the checkpoint.
PUBLISHED = {
    "small": (6, 512, 2048, 8, 64, 60_506_624),
    "base": (12, 768, 3072, 12, 64, 222_903_552),
    "large": (24, 1024, 4096, 16, 64, 737_668_096),
    "3B": (24, 1024, 16384, 32, 128, 2_851_598_336),
    "11B": (24, 1024, 65536, 128, 128, 11_307_321_344),
}


def check(scale: str) -> Evidence:
    rows = []
    for name, (layers, width, inner, heads, d_head, published) in PUBLISHED.items():
        counted = t5_parameters(layers, width, inner, n_heads=heads, d_head=d_head)
        rows.append(row(counted, "=", published, model=f"T5-{name}"))
    switch = t5_parameters(15, 2080, 6144, n_heads=32, d_head=64, n_experts=2048)
    rows.append(row(switch, "=", 1_571_000_000_000, tolerance=0.0004, model="Switch-C"))
    counted_all = {str(r.parameters["model"]): float(r.measured) for r in rows}
    said = {"T5-small": 60e6, "T5-base": 220e6, "T5-large": 770e6, "T5-3B": 3e9, "T5-11B": 11e9, "Switch-C": 1.6e12}
    return Evidence(rows, draw=sizes(counted_all, said, x="parameters; ticks: the size in words"))
