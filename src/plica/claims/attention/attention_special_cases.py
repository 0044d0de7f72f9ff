r"""Variants of attention are special cases of one another.

Claim
    These are the same function: scores d^{-alpha} q . k, cosines and q^T W k, and the fused kernel on transformed queries and
    keys; a window of the whole length, Big Bird with all blocks, one block, the complete graph, and full attention; a Linformer
    with E = F = I and softmax attention; prefix sums of features and the causal mask on their matrix; the identity order and
    the causal mask; shifted windows and attention within each window; pixels of a non-local block and tokens; a pointer and the
    weights of additive attention.
Source
    The definitions: A. Vaswani et al. [vaswani2017], M. Zaheer et al. [zaheer2020], S. Wang et al. [wang2020], K. Choromanski
    et al. [choromanski2021], Z. Yang et al. [yang2019], Z. Liu et al. [liu2021], X. Wang et al. [wang2018], O. Vinyals et al.
    [vinyals2015].
Prediction
    0, the largest difference
Measurement
    the largest difference of the outputs of plica.models.attention.Attend in float64, with the rounding error
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import torch
from torch import Tensor
from torch.nn.functional import normalize
from torch.nn.functional import scaled_dot_product_attention as fused

from plica._palette import MEASUREMENT, REFERENCE
from plica.claims import Evidence, Row, row
from plica.models import attention as a
from plica.models.vision import NonLocalBlock

if TYPE_CHECKING:
    from matplotlib.axes import Axes

STATEMENT = "theorem"
EXPECTED = "holds"
KIND = "estimated"
SEE = ("permutation-equivariance", "linformer-random-projection")
SEED = 3
ROUNDING = 1e-13


def scores(q: Tensor, k: Tensor, v: Tensor) -> dict[str, Tensor]:
    d = q.shape[-1]
    found = {f"alpha = {x:g}": a.Attend(a.Scaled(x))(q, k, v) - fused(q, k, v, scale=d**-x) for x in (0.0, 0.5, 1.0)}
    found["cosine"] = a.Attend(a.Cosine())(q, k, v) - fused(normalize(q, dim=-1), normalize(k, dim=-1), v)
    general = a.Multiplicative(d).double()
    with torch.no_grad():
        general.weight.normal_()
    found["multiplicative"] = a.Attend(general)(q, k, v) - fused(q @ general.weight, k, v, scale=1.0)
    additive = a.Additive(d).double()
    hidden = torch.tanh(k @ additive.key_weight[0] + (q @ additive.query_weight[0])[..., :1, :])
    pointer = (hidden @ additive.weight[0, 0, 0]).softmax(-1)
    found["pixels of a non-local block"] = pixels(d)
    found["pointer, additive"] = a.Attend(additive).weights(q, k)[..., 0, :] - pointer
    return found


def pixels(d: int) -> Tensor:
    """A non-local block on images, and attention of dot products on their pixels as tokens, with the same weights."""
    block, x = NonLocalBlock(2 * d, d).double(), torch.randn(1, 2 * d, 3, 4, dtype=torch.float64)
    block.out.weight.normal_()
    layer = a.Attention(2 * d, 1, d_head=d, score=a.Dot()).double()
    pairs = ((layer.q_proj, block.theta), (layer.k_proj, block.phi), (layer.v_proj, block.g), (layer.out_proj, block.out))
    for mine, convolution in pairs:
        assert convolution.bias is not None
        mine.weight.copy_(convolution.weight[..., 0, 0])
        mine.bias.copy_(convolution.bias)
    difference: Tensor = block(x) - x - layer(x.flatten(2).transpose(1, 2)).transpose(1, 2).view_as(x)
    return difference


def masks(q: Tensor, k: Tensor, v: Tensor) -> dict[str, Tensor]:
    n = q.shape[-2]
    full = a.Attend()(q, k, v)
    everything = {
        "window": a.window(n),
        "big bird": a.big_bird(4, radius=n),
        "block": a.block(n),
        "graph": a.graph(torch.ones(n, n)),
    }
    found = {f"{name}, full": a.Attend(mask=mask)(q, k, v) - full for name, mask in everything.items()}
    found["order, causal"] = a.Attend(mask=a.order(range(n)))(q, k, v) - a.Attend(mask="causal")(q, k, v)
    features = a.Performer(q.shape[-1], 16).double()
    prefix = a.Attend(normalizer=features, mask="causal")
    found["prefix sums, causal features"] = prefix(q, k, v) - prefix.weights(q, k) @ v
    linformer = a.Linformer(n, n).double()
    with torch.no_grad():
        linformer.keys.copy_(torch.eye(n))
        linformer.values.copy_(torch.eye(n))
    found["Linformer, identity"] = a.Attend(normalizer=linformer)(q, k, v) - full
    side = int(n**0.5)
    windows = a.Attend(mask=a.shifted_windows((side, side), size=side // 2))(q, k, v)
    grid = torch.arange(n).view(side, side)
    for top in (0, side // 2):
        for left in (0, side // 2):
            inside = grid[top : top + side // 2, left : left + side // 2].flatten()
            part = a.Attend()(q[..., inside, :], k[..., inside, :], v[..., inside, :])
            found[f"windows, one by one ({top}, {left})"] = windows[..., inside, :] - part
    return found


def check(scale: str) -> Evidence:
    side = 16 if scale == "full" else 4
    with torch.random.fork_rng(devices=[]), torch.no_grad():
        torch.manual_seed(SEED)
        q, k, v = torch.randn(3, 1, 1, side * side, 8, dtype=torch.float64)
        found = scores(q, k, v) | masks(q, k, v)
    rows = [
        row(float(difference.abs().max()), "=", 0.0, kind="estimated", standard_error=ROUNDING, unit=1.0, pair=name)
        for name, difference in found.items()
    ]
    return Evidence(rows, draw=partial(draw, rows), seed=SEED)


def draw(rows: list[Row], ax: Axes) -> None:
    """The largest difference of each pair, in units of the rounding of one operation; outputs are of size one."""
    sizes = [max(float(r.measured) / 2.0**-52, 0.1) for r in rows]
    ax.plot(sizes, range(len(rows)), "o", color=MEASUREMENT, markersize=4)
    ax.axvline(4 * ROUNDING / 2.0**-52, color=REFERENCE, linewidth=1, linestyle=":")
    ax.set_xscale("log")
    ax.set_yticks(range(len(rows)), [str(r.parameters["pair"])[:27] for r in rows], fontsize=6)
    ax.set(ylim=(len(rows) - 0.4, -0.6), xlabel="largest difference in units of 2⁻⁵²; left: none")
    ax.spines[["top", "right", "left"]].set_visible(False)
