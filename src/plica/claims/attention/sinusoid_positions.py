r"""Sinusoidal positions are relative: a shift is a rotation.

Claim
    For sinusoidal positions the inner product p_s . p_t depends only on s - t, |p_t|^2 = d/2, and p_{t+k} = R_k p_t with one
    rotation R_k for all t, by the angles k / 10000^{2i/d}, i = 0 ... d/2 - 1.
Source
    A. Vaswani et al., NeurIPS 2017, section 3.5 [vaswani2017].
Prediction
    0, the largest deviation from each of the three identities, with the angles of
    plica.theory.attention.sinusoid_frequencies(d); sum_i cos((s - t) w_i), the inner products
Measurement
    the table that plica.models.attention.Sinusoidal adds to the tokens, 256 positions in double precision
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
import torch

from plica._palette import diverging_colormap
from plica.claims import Evidence, row
from plica.models.attention import Sinusoidal
from plica.theory.attention import sinusoid_frequencies

if TYPE_CHECKING:
    from matplotlib.axes import Axes

STATEMENT = "theorem"
EXPECTED = "holds"
KIND = "estimated"
SEE = ("slide-sinusoid-index", "rotary-positions")
ROUNDING = 1e-12
SHIFT = 5


def added(d: int, T: int) -> np.ndarray:
    """What the model adds to tokens that are zero: (T, d)."""
    zero = torch.zeros(1, T, d, dtype=torch.float64)
    return np.asarray(Sinusoidal(d)(zero)[0])


def check(scale: str) -> Evidence:
    T = 4096 if scale == "full" else 256
    rows = []
    for d in (2, 16, 512):
        p, w = added(d, T), np.array(sinusoid_frequencies(d))
        products = p @ p.T
        turned = (p[:-SHIFT, 1::2] + 1j * p[:-SHIFT, 0::2]) * np.exp(1j * SHIFT * w)  # cosine + i sine, times e^{i k w}
        deviations = {
            "p_s . p_t depends on s - t": max(float(np.ptp(np.diagonal(products, k))) for k in (0, 1, SHIFT, T // 2)),
            "|p_t|^2 = d/2": float(np.abs(np.diagonal(products) - d / 2).max()),
            f"p_(t+{SHIFT}) = R_{SHIFT} p_t": float(np.abs(p[SHIFT:, 1::2] + 1j * p[SHIFT:, 0::2] - turned).max()),
        }
        about: dict[str, Any] = {"kind": "estimated", "standard_error": ROUNDING * d, "d": d}
        for identity, deviation in deviations.items():
            rows.append(row(deviation, "=", 0.0, unit=1.0, identity=identity, **about))
        for k in (1, SHIFT, 100):
            rows.append(row(float(products[k, 0]), "=", float(np.cos(k * w).sum()), unit=1.0, identity=f"p_{k} . p_0", **about))
    return Evidence(rows, draw=partial(draw, added(64, 64)))


def draw(p: np.ndarray, ax: Axes) -> None:
    """The table that is added to the tokens."""
    found = ax.pcolormesh(p.T, cmap=diverging_colormap(), vmin=-1, vmax=1)
    ax.set(xlabel="position", ylabel="coordinate (sine, cosine, sine, ...)")
    ax.figure.colorbar(found, ax=ax)
