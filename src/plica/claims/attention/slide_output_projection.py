r"""Multi-head attention, as printed: heads on top of one another, then W_O H.

Claim
    Concatenating h heads of T tokens and width d/h on top of one another gives H with W_O H of shape T x d, W_O being d x d.
Source
    Theories of Deep Learning, lecture 4, slide of multi-head attention [oxford-lecture-4].
Prediction
    the shape T x d
Measurement
    the shape of the product, where it exists; for heads side by side and H W_O [vaswani2017] as well. And what
    plica.models.attention.Attention makes of integers, with weights that are all alike: entry by entry that of heads side by side
Remark
    With tokens as rows the heads stand side by side and W_O acts from the right.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import torch

from plica._palette import BOUND, FILLS, INK
from plica.claims import Evidence, control, counterexample
from plica.models.attention import Attention

if TYPE_CHECKING:
    from matplotlib.axes import Axes

STATEMENT = "misprint (text)"
EXPECTED = "refuted"
KIND = "exact"
SEE = ("permutation-equivariance",)


def product_shape(left: tuple[int, int], right: tuple[int, int]) -> str:
    """The shape of a matrix product, from numpy's own rule; no entry is stored."""
    try:
        shape = np.broadcast_to(0, left).dot(np.broadcast_to(0, (right[0], 1))).shape
    except ValueError:
        return "not defined"
    return f"{shape[0]} x {right[1]}"


def unlike_side_by_side(T: int, d: int, h: int) -> int:
    """Entries of the library's attention that are not those of [H_1 ... H_h] W_O: exact, as heads are means of T = 2^k rows."""
    rng = np.random.default_rng(T * d + h)
    X, V, W = rng.integers(-9, 10, (T, d)), rng.integers(-9, 10, (d, d)), rng.integers(-9, 10, (d, d))
    model = Attention(d, h, bias=False).double()
    with torch.no_grad():
        model.q_proj.weight.zero_()  # all scores are 0: every token looks at all alike
        model.v_proj.weight.copy_(torch.from_numpy(V.T))
        model.out_proj.weight.copy_(torch.from_numpy(W.T))
        found = model(torch.from_numpy(X).double()[None])[0].numpy()
    heads = [np.tile((X @ V[:, k * d // h : (k + 1) * d // h]).sum(0), (T, 1)) for k in range(h)]
    return int((T * found != np.hstack(heads) @ W).sum())


def check(scale: str) -> Evidence:
    rows = []
    cases = ((3, 4, 1, "not defined"), (3, 4, 2, "not defined"), (2, 4, 2, "4 x 2"), (2048, 12288, 96, "not defined"))
    for T, d, h, truth in cases:
        beside, above = (T, h * (d // h)), (h * T, d // h)
        wanted = f"{T} x {d}"
        rows.append(control(product_shape(beside, (d, d)), "=", wanted, T=T, d=d, h=h, heads="side by side, H W_O"))
        printed = product_shape((d, d), above)
        rows.append(counterexample(printed, "=", wanted, truth=truth, T=T, d=d, h=h, heads="on top of one another, W_O H"))
    for T, d, h in ((2, 4, 1), (2, 4, 2), (4, 12, 3)):
        rows.append(control(unlike_side_by_side(T, d, h), "=", 0, T=T, d=d, h=h, heads="of the library: other entries"))
    return Evidence(rows, draw=draw)


def draw(ax: Axes) -> None:
    """Three tokens, two heads, d = 4: W_O beside heads on top of one another, and heads side by side beside W_O."""
    from matplotlib.patches import Rectangle

    def matrix(x: float, y: float, rows: int, columns: int, color: str, label: str) -> None:
        for i in range(rows):
            for j in range(columns):
                ax.add_patch(Rectangle((x + j, y - i - 1), 1, 1, facecolor=color, edgecolor=INK, linewidth=0.7, alpha=0.6))
        ax.text(x + columns / 2, y - rows - 0.3, label, ha="center", va="top", fontsize=8)

    matrix(0, 7, 4, 4, FILLS[3], "W_O: 4 x 4")
    matrix(5, 7, 3, 2, FILLS[0], "")
    matrix(5, 4, 3, 2, FILLS[1], "H: 6 x 2")
    ax.text(7.4, 4.6, "4 columns,\n6 rows: no\nproduct", color=BOUND, fontsize=8, va="center")
    matrix(11.5, 7, 3, 2, FILLS[0], "")
    matrix(13.5, 7, 3, 2, FILLS[1], "")
    ax.text(13.5, 3.7, "H: 3 x 4", ha="center", va="top", fontsize=8)
    matrix(16.5, 7, 4, 4, FILLS[3], "W_O: 4 x 4")
    ax.text(3.5, 7.4, "as printed", ha="center", fontsize=9)
    ax.text(16, 7.4, "as published: 3 x 4", ha="center", fontsize=9)
    ax.set(xlim=(-0.3, 21), ylim=(-0.2, 8.2), aspect="equal")
    ax.set_axis_off()
