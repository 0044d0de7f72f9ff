r"""Swin: what attention costs in windows, and what it would cost everywhere.

Claim
    On h x w tokens of width C, multi-head attention takes 4 h w C^2 + 2 (h w)^2 C multiply-adds, and attention in windows of
    M x M takes 4 h w C^2 + 2 M^2 h w C: quadratic against linear in the number of tokens.
Source
    Z. Liu et al., Swin Transformer, ICCV 2021, equations (1) and (2), and Table 1 for 4.5, 8.7 and 15.4 billion [liu2021].
Prediction
    plica.theory.costs.window_attention_multiply_adds; the printed totals, rounded to two or three digits
Measurement
    products counted by plica.measure.operations while plica.models.vision.Swin and plica.models.attention.Attention run
    without memory: every stage, shifted and not, and whole models
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

import torch

from plica._palette import MEASUREMENT, SERIES
from plica.claims import Evidence, control, row
from plica.measure import operations
from plica.models.attention import Attention
from plica.models.vision import Swin
from plica.theory.costs import window_attention_multiply_adds

if TYPE_CHECKING:
    from matplotlib.axes import Axes

STATEMENT = "theorem"
EXPECTED = "holds"
KIND = "exact"
SEE = ("swin-sizes", "attention-cost")
WINDOW = 7
PRINTED = {"swin-t": 4.5e9, "swin-s": 8.7e9, "swin-b": 15.4e9}


def check(scale: str) -> Evidence:
    rows, counted = [], {}
    names = list(PRINTED) if scale == "full" else ["swin-t"]
    with torch.device("meta"):
        for name in names:
            model = Swin.from_preset(name)
            seen: set[tuple[int, int]] = set()
            for block in model.stages:
                attention: Any = getattr(block, "attention", None)
                if attention is None:
                    continue
                side, d, shift = attention.side, attention.out.in_features, attention.shift
                if (side, shift) in seen:
                    continue
                seen.add((side, shift))
                tokens = torch.empty(1, side * side, d)
                found = operations(attention, tokens).multiply_adds
                expected = window_attention_multiply_adds(side, side, d, window=WINDOW)
                about: dict[str, Any] = {"model": name, "side": side, "width": d}
                rows.append(row(found, "=", expected, attention="shifted windows" if shift else "windows", **about))
                if not shift:
                    whole = operations(Attention(d, attention.n_heads), tokens).multiply_adds
                    rows.append(row(whole, "=", window_attention_multiply_adds(side, side, d), attention="everywhere", **about))
                    counted[side * side] = (found / d, whole / d)
            total = operations(model, torch.empty(1, 3, 224, 224)).multiply_adds
            rows.append(control(total, "=", PRINTED[name], tolerance=0.012, model=name, attention="the whole model"))
    return Evidence(rows, draw=partial(draw, counted))


def draw(counted: dict[int, tuple[float, float]], ax: Axes) -> None:
    """Both formulas as lines against the number of tokens, for Swin-T's first width; what was counted in its stages as dots."""
    d, sides = 96, range(7, 64)
    for color, window, label in ((SERIES[1], None, "everywhere"), (SERIES[0], WINDOW, f"windows of {WINDOW} x {WINDOW}")):
        costs = [window_attention_multiply_adds(s, s, d, window=window) for s in sides]
        ax.plot([s * s for s in sides], costs, color=color, label=label)
    with_d = {n: both for n, both in counted.items() if n == 56 * 56}
    for n, both in with_d.items():
        ax.plot([n, n], [value * d for value in both], "o", color=MEASUREMENT, label="counted in Swin-T, stage 1")
    ax.set(xscale="log", yscale="log", xlabel="tokens of an image", ylabel="multiply-adds, width 96")
    ax.legend(frameon=False)
    ax.spines[["top", "right"]].set_visible(False)
