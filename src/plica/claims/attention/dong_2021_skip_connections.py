r"""Dong, Cordonnier and Loukas: skip connections keep the rank.

Claim
    After 12 random layers, attention alone and attention with feed-forward layers have collapsed to equal tokens; with skip
    connections, with or without layer norm, they have not.
Source
    Y. Dong, J.-B. Cordonnier, A. Loukas, ICML 2021, section 3 and Figure 2 [dong2021].
Prediction
    a residual below 10^-6 without skip connections, above 0.1 with them
Measurement
    plica.measure.rank_residuals through 12 layers, 4 heads, float64; blocks are plica.models.attention.Block
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from torch import nn

from plica.claims import Evidence, row
from plica.claims.attention._curves import curves
from plica.measure import rank_residuals
from plica.models.attention import Attention, Block, FeedForward

STATEMENT = "published result"
EXPECTED = "reproduced"
KIND = "estimated"
SEE = ("dong-2021-rank-collapse",)
SEED = 12


def stack(kind: str, width: int, n_layers: int) -> list[Callable[[Any], Any]]:
    def layer() -> Callable[[Any], Any]:
        attention, feed_forward = Attention(width, 4).double(), FeedForward(width, 4 * width).double()
        norm = nn.LayerNorm(width).double()
        layers: dict[str, Callable[[Any], Any]] = {
            "attention": attention,
            "attention, feed-forward": lambda x: feed_forward(attention(x)),
            "attention, skip": lambda x: x + attention(x),
            "attention, skip, norm": lambda x: norm(x + attention(x)),
            "whole block": Block(width, 4, norm="pre").double(),
        }
        return layers[kind]

    return [layer() for _ in range(n_layers)]


def check(scale: str) -> Evidence:
    length, width = (128, 256) if scale == "full" else (32, 64)
    rows, measured = [], []
    kinds = ("attention", "attention, feed-forward", "attention, skip", "attention, skip, norm", "whole block")
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(SEED)
        for kind in kinds:
            found = rank_residuals(stack(kind, width, 12), torch.randn(length, width, dtype=torch.float64))
            measured.append((range(13), [max(float(v), 1e-16) for v in found], kind))
            relation, bound = (">=", 0.1) if "skip" in kind or "block" in kind else ("<=", 1e-6)
            rows.append(row(float(found[-1]), relation, bound, kind="estimated", standard_error=0.0, layers=kind, tokens=length))
    return Evidence(rows, draw=curves(measured, x="layer", y="residual", log="y"), seed=SEED)
