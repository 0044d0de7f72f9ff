r"""The transformer block, as printed: X + ReLU(W_1 ReLU(W_2 H)).

Claim
    The output of a transformer block with input X and attention H is X + ReLU(W_1 ReLU(W_2 H)).
Source
    Theories of Deep Learning, lecture 4, slide of the transformer block [oxford-lecture-4].
Prediction
    at least 1 entry of X that the block lowers, for random weights, as a transformer block does
Measurement
    entries of the output below those of X, exactly, for plica.models.attention.Block as printed (residual="lecture") and with two
    residual sums, X' + W_1 ReLU(W_2 X'), X' = X + H [vaswani2017]; both are compared with their formulas, written out in numpy
Remark
    The outer ReLU lets the printed block only add: no entry of the stream can ever decrease, whatever the weights and the depth.
    It also drops the residual sum around the attention and both normalizations.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
import torch

from plica._palette import BOUND, MEASUREMENT, REFERENCE
from plica.claims import Evidence, control, counterexample
from plica.claims.attention._heads import attention
from plica.models.attention import Block

if TYPE_CHECKING:
    from matplotlib.axes import Axes

STATEMENT = "misprint (text)"
EXPECTED = "refuted"
KIND = "estimated"
SEED = 4
ROUNDING = 1e-12


def relu(x: np.ndarray) -> np.ndarray:
    return np.maximum(x, 0.0)


def written_out(block: Block, X: np.ndarray, *, printed: bool) -> np.ndarray:
    """The formula on the slide, or that of the paper without its norms, one head, in numpy."""

    def affine(layer: Any, Z: np.ndarray) -> np.ndarray:
        return Z @ layer.weight.numpy().T + layer.bias.numpy()

    layer, network = block.attention, block.feed_forward
    H = affine(layer.out_proj, attention(affine(layer.q_proj, X), affine(layer.k_proj, X), affine(layer.v_proj, X)))
    if printed:
        return np.asarray(X + relu(affine(network.outer, relu(affine(network.inner, H)))))
    return np.asarray(X + H + affine(network.outer, relu(affine(network.inner, X + H))))


def check(scale: str) -> Evidence:
    rows, changes = [], {}
    for d in (2, 8, 64) + ((512,) if scale == "full" else ()):
        for name, residual in (("with two residual sums", "both"), ("printed", "lecture")):
            with torch.random.fork_rng(devices=[]), torch.no_grad():
                torch.manual_seed(SEED)
                block = Block(d, 1, norm="none", residual=residual).double().requires_grad_(False)
                X = torch.randn(1, 16, d, dtype=torch.float64)
                Y = np.asarray(block(X)[0])
            x = np.asarray(X[0])
            changes[name] = Y - x
            lowered = int((Y < x).sum())
            if name == "printed":
                rows.append(counterexample(lowered, ">=", 1, truth=0, block=name, d=d, entries=x.size))
            else:
                rows.append(control(lowered, ">=", 1, block=name, d=d, entries=x.size))
            off = float(np.abs(Y - written_out(block, x, printed=name == "printed")).max())
            about: dict[str, Any] = {"block": f"{name}, against its formula", "d": d, "entries": x.size}
            rows.append(control(off, "=", 0.0, kind="estimated", standard_error=ROUNDING, unit=1.0, **about))
    return Evidence(rows, draw=partial(draw, changes), seed=SEED)


def draw(changes: dict[str, np.ndarray], ax: Axes) -> None:
    """What the block adds to each entry of the stream, in order of size."""
    for color, (name, change) in zip((MEASUREMENT, BOUND), changes.items(), strict=True):
        values = np.sort(change.ravel())
        ax.plot(np.linspace(0, 100, values.size), values, color=color, label=name)
    ax.axhline(0, color=REFERENCE, linewidth=0.8)
    ax.set(xlabel="entries, %", ylabel="change by the block")
    ax.legend(frameon=False, fontsize=8)
    ax.spines[["top", "right"]].set_visible(False)
