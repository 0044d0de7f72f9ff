r"""Transformer-XL: segments with a memory are one banded pass.

Claim
    A causal transformer with relative positions that reads a text in segments and remembers, in every layer, the last r inputs of
    the segments before computes what one pass with the mask 0 <= i - j <= r computes. With absolute positions it does not.
Source
    Z. Dai et al., Transformer-XL, ACL 2019, section 3.2 [dai2019].
Prediction
    0, the largest difference of the logits, whatever the segments; with absolute positions more than 0.001
Measurement
    that difference for plica.models.efficient.TransformerXL in double precision, with its rounding error, for segments of several
    lengths; for absolute positions, a segment of plica.models.transformer.GPT read from position 0
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from plica._palette import BOUND, MAGNITUDES
from plica.claims import Evidence, row

if TYPE_CHECKING:
    from matplotlib.axes import Axes


STATEMENT = "theorem"
EXPECTED = "holds"
KIND = "estimated"
SEED = 2019
ROUNDING = 1e-13


def check(scale: str) -> Evidence:
    import torch

    from plica.models import build
    from plica.models.efficient import TransformerXL, TransformerXLConfig
    from plica.models.transformer import GPT, GPTConfig

    n, d = (256, 64) if scale == "full" else (24, 16)
    text = torch.randint(0, 20, (1, n), generator=torch.Generator().manual_seed(SEED))
    rows = []
    with torch.no_grad():
        for reach in (1, 4, n // 3):
            config = TransformerXLConfig(20, d_model=d, n_layers=3, n_heads=4, reach=reach)
            model = build(TransformerXL, config, seed=SEED).double().eval()
            whole, _ = model(text)
            for length in (1, 5, n // 2):
                memory, parts = None, []
                for segment in text.split(length, 1):
                    logits, memory = model(segment, memory)
                    parts.append(logits)
                measured = float((torch.cat(parts, 1) - whole).abs().max())
                case: dict[str, Any] = {"reach": reach, "segment": length, "tokens": n, "positions": "relative"}
                rows.append(row(measured, "=", 0.0, unit=1.0, kind="estimated", standard_error=ROUNDING, **case))
        for position, relation, predicted in (("learned", ">", 0.001), ("sinusoidal", ">", 0.001)):
            settings = GPTConfig(20, d, 1, 4, max_length=n, position=position, variant="window", reach=0)
            plain = build(GPT, settings, seed=SEED).double().eval()  # a token sees itself alone: only its position can differ
            moved = float((plain(text[:, n // 2 :]) - plain(text)[:, n // 2 :]).abs().max())
            case = {"reach": 0, "segment": n // 2, "tokens": n, "positions": position}
            rows.append(row(moved, relation, predicted, kind="estimated", standard_error=ROUNDING, **case))
    return Evidence(rows, draw=draw, seed=SEED)


def draw(ax: Axes) -> None:
    """The band that one pass sees with reach 4, and segments of 5: what is left of a segment's square is remembered."""
    import numpy as np
    from matplotlib.patches import Rectangle

    i, j = np.mgrid[0:20, 0:20]
    ax.imshow((i >= j) & (i - j <= 4), cmap=MAGNITUDES, extent=(0, 20, 20, 0))
    for start in range(0, 20, 5):
        ax.add_patch(Rectangle((start, start), 5, 5, fill=False, edgecolor=BOUND, linewidth=2))
    ax.set(xlabel="token that is seen", ylabel="token that looks")
