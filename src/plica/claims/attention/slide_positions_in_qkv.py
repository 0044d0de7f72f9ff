r"""Is a position added to the key the same as one added to the token?

Claim
    Only where the projections are the identity: the scores of x + p, projected, and of the projected x with p added differ by
    what (W - I) p contributes.
Source
    The lecture of the University of Washington draws positions at queries, keys and values, "k <- k + p, q <- q + p, v <- v + p"
    [washington-lecture]; A. Vaswani et al., NeurIPS 2017, section 3.5, add them to the embeddings [vaswani2017].
Prediction
    scores from the formulas (W_Q (x_s + p_s)) . (W_K (x_t + p_t)) and (W_Q x_s + p_s) . (W_K x_t + p_t), written out; they are
    equal for W = I, and more than 0.1 apart for random W
Measurement
    the scores of plica.models.attention.Attention with sinusoids into tokens and into projections
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
import torch

from plica._palette import MEASUREMENT, REFERENCE
from plica.claims import Evidence, row
from plica.models.attention import Attention, Sinusoidal

if TYPE_CHECKING:
    from matplotlib.axes import Axes

STATEMENT = "question"
EXPECTED = "answered"
KIND = "estimated"
SEE = ("sinusoid-positions",)
SEED = 15
T, ROUNDING = 8, 1e-12


def scores(d: int, *, into: str, random: bool) -> tuple[np.ndarray, np.ndarray]:
    """Of the layer, and of its formula."""
    with torch.random.fork_rng(devices=[]), torch.no_grad():
        torch.manual_seed(SEED)
        layer = Attention(d, 1, position=Sinusoidal(d, into=into), bias=False).double()
        if not random:
            for projection in (layer.q_proj, layer.k_proj):
                projection.weight.copy_(torch.eye(d))
        X = torch.randn(1, T, d, dtype=torch.float64)
        found = np.asarray(layer.explain(X).scores)[0, 0]
        WQ, WK, x = (np.asarray(t) for t in (layer.q_proj.weight, layer.k_proj.weight, X[0]))
    angles = np.arange(T)[:, None] / 10000.0 ** (np.arange(0, d, 2) / d)
    p = np.stack([np.sin(angles), np.cos(angles)], 2).reshape(T, d)
    q, k = ((x + p) @ W.T if into == "tokens" else x @ W.T + p for W in (WQ, WK))
    return found, q @ k.T / np.sqrt(d)


def check(scale: str) -> Evidence:
    rows = []
    about: dict[str, Any] = {"kind": "estimated", "standard_error": ROUNDING}
    for d in (2, 16) + ((64,) if scale == "full" else ()):
        for random in (False, True):
            W = "random" if random else "identity"
            found = {into: scores(d, into=into, random=random) for into in ("tokens", "projections")}
            for into, (measured, written) in found.items():
                off = float(np.abs(measured - written).max())
                rows.append(row(off, "=", 0.0, unit=1.0, d=d, W=W, compared=f"into {into}, with its formula", **about))
            apart = float(np.abs(found["tokens"][0] - found["projections"][0]).max())
            compared: dict[str, Any] = {"d": d, "W": W, "compared": "the two ways"}
            rows.append(
                row(apart, ">", 0.1, **compared, **about) if random else row(apart, "=", 0.0, unit=1.0, **compared, **about)
            )
            shown = (found["tokens"][0].ravel(), found["projections"][0].ravel())
    return Evidence(rows, draw=partial(draw, shown), seed=SEED)


def draw(pairs: tuple[np.ndarray, np.ndarray], ax: Axes) -> None:
    """Every score, one way against the other."""
    ends = [min(map(np.min, pairs)), max(map(np.max, pairs))]
    ax.plot(ends, ends, "--", color=REFERENCE, linewidth=1, label="equal")
    ax.plot(*pairs, "o", color=MEASUREMENT, markersize=4, label="a query and a key")
    ax.set(xlabel="position added to tokens", ylabel="position added to q and k")
    ax.legend(frameon=False, fontsize=8)
    ax.spines[["top", "right"]].set_visible(False)
