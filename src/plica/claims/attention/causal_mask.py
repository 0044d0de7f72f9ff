r"""The causal mask hides key j from query i when j > i.

Claim
    Setting e_ij to minus infinity for j > i makes attention causal: no output depends on a later token, and every output on each
    earlier one. Nothing weaker does: one visible entry above the diagonal is one leak.
Source
    A. Vaswani et al., Attention Is All You Need, NeurIPS 2017, section 3.2.3 [vaswani2017].
Prediction
    0 pairs of a position and a later token that influences it, and T (T + 1) / 2 pairs with an earlier token or the own; with the
    entry (0, 1) shown, 1 and T (T + 1) / 2
Measurement
    such pairs in plica.models.attention.Attention for every kind of position, and in plica.models.transformer.GPT for every
    variant that can be causal: one token is changed at a time, and outputs are compared bit for bit
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING

import numpy as np
import torch
from torch import Tensor

from plica._palette import MAGNITUDES
from plica.claims import Evidence, row
from plica.models import attention as a
from plica.models import build
from plica.models.transformer import GPT, GPTConfig

if TYPE_CHECKING:
    from matplotlib.axes import Axes

STATEMENT = "theorem"
EXPECTED = "holds"
KIND = "exact"
SEE = ("slide-causal-mask",)
SEED = 0
D, POSITIONS = 8, ("none", "sinusoidal", "rotary", "alibi", "relative")
VARIANTS = ("full", "window", "big-bird", "performer", "linear")


def influence(model: Callable[[Tensor], Tensor], x: Tensor, change: Callable[[Tensor], Tensor]) -> np.ndarray:
    """Entry (t, s): how much output t changes with token s, exactly 0 where no bit does."""
    columns = []
    with torch.no_grad():
        before = model(x)
        for s in range(x.shape[1]):
            other = x.clone()
            other[:, s] = change(other[:, s])
            columns.append((model(other) - before).abs().amax((0, 2)).double().numpy())
    return np.stack(columns, 1)


def pairs(seen: np.ndarray) -> tuple[int, int]:
    """Later tokens with influence, and earlier ones or the own."""
    return int((np.triu(seen, 1) > 0).sum()), int((np.tril(seen) > 0).sum())


def check(scale: str) -> Evidence:
    rows = []
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(SEED)
        for T in (2, 5, 8) + ((32,) if scale == "full" else ()):
            shown = torch.ones(T, T, dtype=torch.bool).tril()
            shown[0, 1] = True
            x, everything = torch.randn(1, T, D, dtype=torch.float64), T * (T + 1) // 2
            for position in POSITIONS:
                for mask, name, leaks in (("causal", "j <= i", 0), (a.explicit(shown), "j <= i and (0, 1)", 1)):
                    layer = a.Attention(D, 2, mask=mask, position=position).double()
                    later, earlier = pairs(influence(layer, x, lambda token: token + 1.0))
                    rows.append(row(later, "=", leaks, model=f"layer, positions: {position}", visible=name, tokens=T, s="> t"))
                    rows.append(
                        row(earlier, "=", everything, model=f"layer, positions: {position}", visible=name, tokens=T, s="<= t")
                    )
    T, table = 20, {}
    tokens = torch.arange(T)[None] % 7
    for variant in VARIANTS:
        config = GPTConfig(8, d_model=16, n_heads=2, n_layers=2, max_length=T, variant=variant, reach=4, n_features=8)
        model = build(GPT, config, seed=SEED).double().eval()
        table[variant] = influence(model, tokens, lambda token: torch.full_like(token, 7))
        later, earlier = pairs(table[variant])
        rows.append(row(later, "=", 0, model=f"GPT, {variant}", visible="causal", tokens=T, s="> t"))
        # two layers: four tokens back in each; two layers of blocks reach everything through the first one
        reached = sum(min(t, 8) + 1 for t in range(T)) if variant == "window" else T * (T + 1) // 2
        rows.append(row(earlier, "=", reached, model=f"GPT, {variant}", visible="causal", tokens=T, s="<= t"))
    return Evidence(rows, draw=partial(draw, table["big-bird"]), seed=SEED)


def draw(seen: np.ndarray, ax: Axes) -> None:
    """Influence of token s on output t in a GPT with Big Bird: nothing above the diagonal."""
    size = np.where(seen > 0, seen, np.nan)
    found = ax.pcolormesh(np.log10(size), cmap=MAGNITUDES)
    ax.invert_yaxis()
    ax.set(xlabel="token that is changed", ylabel="output", aspect="equal")
    ax.figure.colorbar(found, ax=ax, label="log10 of the change; blank: no bit")
