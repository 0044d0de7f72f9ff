r"""Rotary positions are relative, and keep lengths.

Claim
    If queries and keys are turned by angles proportional to their positions, in pairs of coordinates, then the score of
    positions s and t depends on s - t only, for any query and key, and no vector changes its length. Sinusoids that are added
    do not have this: the products with the tokens remain.
Source
    J. Su et al., RoFormer: Enhanced Transformer with Rotary Position Embedding, 2021 [su2021].
Prediction
    0, the largest change of a score when both positions are shifted, and of a length; more than 0.01 for added sinusoids; the
    angle t / 10000^{2i/d} of pair i at position t
Measurement
    plica.models.attention.Rotary and plica.models.attention.Sinusoidal on random queries and keys in float64
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
import torch

from plica._palette import SERIES
from plica.claims import Evidence, row
from plica.models.attention import Rotary, Sinusoidal

if TYPE_CHECKING:
    from matplotlib.axes import Axes

STATEMENT = "theorem"
EXPECTED = "holds"
KIND = "estimated"
SEE = ("sinusoid-positions",)
SEED = 2104
ROUNDING = 1e-11
SHIFTS = (1, 17, 1000)


def check(scale: str) -> Evidence:
    rows = []
    for d in (2, 16, 64) + ((512,) if scale == "full" else ()):
        generator = torch.Generator().manual_seed(SEED)
        q, k = torch.randn(2, 12, d, dtype=torch.float64, generator=generator)
        halves = Rotary(d, pairs="halves")
        for name, place in (("rotary", Rotary(d)), ("rotary, halves", halves), ("sinusoids added", Sinusoidal(d))):
            still = place(q) @ place(k).T
            moved = max(float((place(q, offset=s) @ place(k, offset=s).T - still).abs().max()) for s in SHIFTS)
            relation, bound = ("=", 0.0) if name.startswith("rotary") else (">", 0.01)
            about: dict[str, Any] = {"kind": "estimated", "standard_error": ROUNDING, "unit": 1.0, "positions": name, "d": d}
            rows.append(row(moved, relation, bound, what="scores", **about))
        about["positions"] = "rotary"
        lengths = float((Rotary(d)(q, offset=99).norm(dim=1) - q.norm(dim=1)).abs().max())
        rows.append(row(lengths, "=", 0.0, what="lengths", **about))
        angles = turned_by(d, 99)
        for i in (0, d // 2 - 1):
            predicted = float(np.angle(np.exp(99j * 10000 ** (-2 * i / d))))
            rows.append(row(angles[i], "=", predicted, what=f"angle of pair {i} at position 99", **about))
    return Evidence(rows, draw=partial(draw, [(t, turned_by(16, t)) for t in range(64)]), seed=SEED)


def turned_by(d: int, t: int) -> list[float]:
    """The angles by which the pairs of coordinates turn at a position."""
    ones = torch.tensor([[1.0, 0.0] * (d // 2)], dtype=torch.float64)
    pairs = np.asarray(Rotary(d)(ones, offset=t)).reshape(-1, 2)
    return [float(angle) for angle in np.arctan2(pairs[:, 1], pairs[:, 0])]


def draw(found: list[tuple[int, list[float]]], ax: Axes) -> None:
    """Angles against positions: fast pairs turn often, slow ones once in a long text."""
    times = [t for t, _ in found]
    for color, i in zip(SERIES, (0, 1, 2, 4), strict=False):
        ax.plot(times, [angles[i] for _, angles in found], ".-", color=color, linewidth=0.8, markersize=3, label=f"pair {i}")
    ax.set(xlabel="position", ylabel="angle of a pair of coordinates, d = 16")
    ax.legend(frameon=False, fontsize=7, ncols=4, loc="upper center", bbox_to_anchor=(0.5, 1.12))
    ax.spines[["top", "right"]].set_visible(False)
