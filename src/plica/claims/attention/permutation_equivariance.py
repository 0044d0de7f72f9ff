r"""Self-attention without positions is permutation-equivariant.

Claim
    f(P X) = P f(X) for every permutation P of the tokens; the mean of the outputs is invariant. With a causal mask, or with
    positions of any kind, it is not so.
Source
    A. Vaswani et al., NeurIPS 2017, whose positions are needed because of it [vaswani2017].
Prediction
    0, the largest entry of f(P X) - P f(X); more than 0.01 with the causal mask or with positions
Measurement
    that entry for random tokens and permutations and plica.models.attention.Attention and plica.models.attention.Block in double
    precision; plica.measure.equivariance_defect must say the same
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any

import torch
from torch import Tensor

from plica._palette import BOUND, MEASUREMENT
from plica.claims import Evidence, control, row
from plica.measure import equivariance_defect
from plica.models.attention import Attention, Block, Performer

if TYPE_CHECKING:
    from matplotlib.axes import Axes

STATEMENT = "theorem"
EXPECTED = "holds"
KIND = "estimated"
SEE = ("slide-order-invariant", "graph-equivariance")
SEED = 21
ROUNDING, D = 1e-13, 8


def models() -> dict[str, Callable[[Tensor], Tensor]]:
    """Layers without positions, and layers that know the order."""
    found: dict[str, Callable[[Tensor], Tensor]] = {
        "attention": Attention(D, 2),
        "attention, additive score": Attention(D, 2, score="additive"),
        "attention, Performer": Attention(D, 2, normalizer=Performer(D // 2, 16)),
        "block": Block(D, 2),
        "two blocks": torch.nn.Sequential(Block(D, 2), Block(D, 2, norm="post")),
        "attention, causal": Attention(D, 2, mask="causal"),
    }
    found |= {f"attention, {p}": Attention(D, 2, position=p) for p in ("sinusoidal", "rotary", "alibi", "relative")}
    return found


def check(scale: str) -> Evidence:
    rows, seen = [], {}
    with torch.random.fork_rng(devices=[]), torch.no_grad():
        torch.manual_seed(SEED)
        for T in (4, 8, 64) + ((512,) if scale == "full" else ()):
            x, order = 3 * torch.randn(1, T, D, dtype=torch.float64), torch.arange(T).roll(1)
            order[: T // 2] = order[: T // 2].flip(0)
            for name, model in models().items():
                layer = model.double()  # type: ignore[attr-defined]
                moved, still = layer(x[:, order]), layer(x)
                tokens, mean = float((moved - still[:, order]).abs().max()), float((moved - still).mean(1).abs().max())
                knows_order = name.split(", ")[-1] in ("causal", "sinusoidal", "rotary", "alibi", "relative")
                about: dict[str, Any] = {"kind": "estimated", "standard_error": ROUNDING, "model": name, "tokens": T}
                seen[name] = tokens
                if knows_order:
                    rows.append(row(tokens, ">", 0.01, output="tokens", **about))
                else:
                    rows.append(row(tokens, "=", 0.0, unit=1.0, output="tokens", **about))
                    rows.append(row(mean, "=", 0.0, unit=1.0, output="mean", **about))
                if T == 8:
                    defect = equivariance_defect(layer, x[0])
                    rows.append(
                        control(defect, ">", 0.01, output="measured defect", **about)
                        if knows_order
                        else control(defect, "=", 0.0, unit=1.0, output="measured defect", **about)
                    )
    return Evidence(rows, draw=partial(draw, seen), seed=SEED)


def draw(seen: dict[str, float], ax: Axes) -> None:
    """The largest deviation of each model, on a logarithmic axis."""
    names = list(seen)
    for i, name in enumerate(names):
        value = max(seen[name], 1e-17)
        color = BOUND if value > 1e-6 else MEASUREMENT
        ax.plot([1e-18, value], [i, i], color=color, linewidth=1)
        ax.plot(value, i, "o", color=color, markersize=5)
    ax.set_yticks(range(len(names)), names, fontsize=7)
    ax.set(xscale="log", xlim=(1e-18, 100), xlabel="largest entry of f(P X) - P f(X)")
    ax.invert_yaxis()
    ax.spines[["top", "right"]].set_visible(False)
