r"""More heads, the same number of parameters.

Claim
    Dividing attention of width d into h heads of width d / h leaves the number of parameters of its projections, and of its
    multiply-adds, as it was with one head.
Source
    A. Vaswani et al., NeurIPS 2017, section 3.2.2 [vaswani2017]; lecture 4, slide on multi-head attention [oxford-lecture-4].
Prediction
    4 d^2 + 4 d parameters and 4 T d^2 + 2 T^2 d multiply-adds for every h; h times as many of either where heads keep the
    width d
Measurement
    parameters of plica.models.attention.Attention for every divisor h of d, and products counted by plica.measure.operations
Remark
    Outputs do change: h heads average with h different matrices of weights. The rank of one head's scores falls to d / h.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import torch

from plica._palette import CONTROL, MEASUREMENT, PREDICTION
from plica.claims import Evidence, control, row
from plica.measure import operations
from plica.models import count_parameters
from plica.models.attention import Attention

if TYPE_CHECKING:
    from matplotlib.axes import Axes

STATEMENT = "theorem"
EXPECTED = "holds"
KIND = "exact"
SEE = ("gpt3-table-heads", "slide-output-projection")
TOKENS = 10


def check(scale: str) -> Evidence:
    rows, shown = [], {}
    for d in (12, 64) + ((512, 1024) if scale == "full" else ()):
        for h in (h for h in range(1, d + 1) if d % h == 0):
            with torch.device("meta"):
                divided, kept = Attention(d, h), Attention(d, h, d_head=d)
                found = operations(divided, torch.empty(1, TOKENS, d))
            rows.append(row(count_parameters(divided), "=", 4 * d * d + 4 * d, what="parameters", d=d, heads=h))
            rows.append(row(found.multiply_adds, "=", 4 * TOKENS * d * d + 2 * TOKENS**2 * d, what="products", d=d, heads=h))
            wide = 4 * h * d * d + 3 * h * d + d
            rows.append(control(count_parameters(kept), "=", wide, what="parameters, heads of width d", d=d, heads=h))
            if d == 64:
                shown[h] = (count_parameters(divided), count_parameters(kept))
    x = torch.randn(1, TOKENS, 12, dtype=torch.float64, generator=torch.Generator().manual_seed(0))
    for h in (1, 3):
        scores = Attention(12, h, bias=False).double().explain(x).scores
        assert scores is not None
        rank = int(torch.linalg.matrix_rank(scores[0, 0].detach(), rtol=1e-9))
        rows.append(control(rank, "=", min(TOKENS, 12 // h), what="rank of the scores of a head", d=12, heads=h))
    return Evidence(rows, draw=partial(draw, shown), seed=0)


def draw(shown: dict[int, tuple[int, int]], ax: Axes) -> None:
    """Parameters against heads: level where heads share the width, a line of slope one where each keeps it."""
    divided, kept = zip(*shown.values(), strict=True)
    ax.axhline(4 * 64 * 64 + 4 * 64, color=PREDICTION, linewidth=1, label="4 d² + 4 d")
    ax.plot(list(shown), divided, "o", color=MEASUREMENT, label="heads of width d / h")
    ax.plot(list(shown), kept, "s", color=CONTROL, label="heads of width d")
    ax.set_xscale("log", base=2)
    ax.set_xticks(list(shown), [str(h) for h in shown])
    ax.set(yscale="log", xlabel="heads h, d = 64", ylabel="parameters")
    ax.legend(frameon=False)
    ax.spines[["top", "right"]].set_visible(False)
