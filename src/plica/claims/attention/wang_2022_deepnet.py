r"""DeepNet: one step changes a deep transformer no more than a shallow one.

Claim
    With residual sums LN(a x + F(x)), a = (2 N)^(1/4), and first weights times b = (8 N)^(-1/4), a step of gradient descent
    changes the output of N layers by an amount that does not depend on N: the sum of (v^2 + w^2) / a^2 over sublayers is 1.
    With a = b = 1 it is 4 N, and the change grows with the depth.
Source
    H. Wang et al., DeepNet: Scaling Transformers to 1,000 Layers, 2022, Theorem 4.2 and Figure 2 [wang2022]; University of
    Washington lecture [washington-lecture].
Prediction
    1, the sum, for a stack alone and for a decoder; from 2 layers on the change of deeper ones is less than doubled; without
    the scales it grows
Measurement
    plica.models.transformer.deepnet_scales; outputs of plica.models.transformer.BERT with norm="deepnet" before and after a
    small step on values, outputs and feed-forward weights, as in the theorem, over seeds
Remark
    The theorem counts these weights alone. A step on the gains and offsets of every layer norm, one for each sublayer, still
    adds up over the depth.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
import torch

from plica._palette import SERIES
from plica._types import Array
from plica.claims import Evidence, row
from plica.models import build
from plica.models.transformer import BERT, BERTConfig, deepnet_scales

if TYPE_CHECKING:
    from matplotlib.axes import Axes

STATEMENT = "theorem"
EXPECTED = "holds"
KIND = "estimated"
SEE = ("dong-2021-skip-connections", "residual-depth")
SEED, STEP = 2022, 1e-5
WEIGHTS = ("v_proj.weight", "out_proj.weight", "inner.weight", "outer.weight")


def change(n_layers: int, seed: int, *, scaled: bool) -> float:
    """The relative change of the output by one step, over the size of the step."""
    config = BERTConfig(vocabulary=20, max_length=6, d_model=16, n_layers=n_layers, n_heads=2, norm="deepnet")
    model = build(BERT, config, seed=seed).double().eval()
    chosen = [p for name, p in model.named_parameters() if name.endswith(WEIGHTS)]
    if not scaled:
        beta = deepnet_scales(n_layers).beta
        with torch.no_grad():
            for p in chosen:
                p.div_(beta)
        blocks: Any = model.blocks
        for block in blocks:
            block.residual_scale = 1.0
    generator = torch.Generator().manual_seed(seed)
    tokens = torch.randint(3, 20, (4, 6), generator=generator)
    before = model.encode(tokens)
    aim = torch.randn(before.shape, generator=generator).double()
    slopes = torch.autograd.grad((before * aim).sum(), chosen)
    with torch.no_grad():
        for p, slope in zip(chosen, slopes, strict=True):
            p.sub_(STEP * slope)
        after = model.encode(tokens)
    return float((after - before.detach()).norm() / before.detach().norm()) / STEP


def check(scale: str) -> Evidence:
    depths, seeds = ((2, 8, 32), range(10)) if scale == "full" else ((2, 14), range(6))
    rows = []
    for n in (1, 6, 100):
        alone, decoder = deepnet_scales(n), deepnet_scales(n, side="decoder")
        for name, sublayers, found in (("a stack alone", 2 * n, alone), ("a decoder", 3 * n, decoder)):
            total = sublayers * 2 * found.beta**2 / found.alpha**2
            rows.append(row(total, "=", 1.0, kind="estimated", standard_error=1e-14, what="the sum", of=name, layers=n))
    shown = {}
    for scaled, name in ((True, "DeepNet"), (False, "without scales")):
        changes = np.array([[change(n, SEED + s, scaled=scaled) for n in depths] for s in seeds])
        shown[name] = changes
        for i, n in enumerate(depths[1:], start=1):
            doublings = np.log2(changes[:, i] / changes[:, 0])
            mean, error = float(doublings.mean()), float(doublings.std(ddof=1) / len(doublings) ** 0.5)
            about: dict[str, Any] = {"kind": "estimated", "standard_error": error, "model": name, "layers": n}
            if scaled:
                rows.append(row(mean, "<", 1.0, what="doublings of the change from 2 layers on", **about))
            elif n == depths[-1]:
                rows.append(row(mean, ">", 0.0, what="doublings of the change from 2 layers on", **about))
    return Evidence(rows, draw=partial(draw, depths, shown), seed=SEED)


def draw(depths: tuple[int, ...], shown: dict[str, Array], ax: Axes) -> None:
    """What one step changes, against the depth: level with the scales, and not without."""
    for color, (name, changes) in zip(SERIES, shown.items(), strict=False):
        ax.plot(depths, np.exp(np.log(changes).mean(0)), "o-", color=color, label=name)
        ax.plot(depths, changes.T, color=color, linewidth=0.4, alpha=0.6)
    ax.set_xscale("log", base=2)
    ax.set(yscale="log", xlabel="layers N", ylabel="change of the output / size of a step")
    ax.legend(frameon=False)
    ax.spines[["top", "right"]].set_visible(False)
