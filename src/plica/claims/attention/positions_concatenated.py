r"""Positions that are added, and positions that are concatenated: adding loses nothing where there is room.

Claim
    Reading [x; p] with W is reading x with W_1 and p with W_2. So adding positions is concatenating with W_1 = W_2, and
    concatenating is adding in a wider stream in which tokens and positions have places of their own.
Source
    University of Washington lecture, slide "concatenate or add" [washington-lecture]; A. Vaswani et al., section 3.5, who add
    [vaswani2017].
Prediction
    0, the largest difference between each pair of layers; 3 d e more parameters for positions of width e
Measurement
    plica.models.attention.Attention with plica.models.attention.Sinusoidal positions, combine="concatenate" and
    combine="add", weights copied from one to the other, in double precision
Remark
    In the same width the two differ: an added position shares the directions of tokens. The control is a layer with
    concatenated positions and W_1 other than W_2, which no choice of the weights of the adding layer makes equal.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

import torch
from torch import Tensor

from plica._palette import INK, SIGNED
from plica.claims import Evidence, control, row
from plica.models import count_parameters
from plica.models.attention import Attention, Sinusoidal

if TYPE_CHECKING:
    from matplotlib.axes import Axes

STATEMENT = "theorem"
EXPECTED = "holds"
KIND = "estimated"
SEE = ("sinusoid-positions", "slide-positions-in-qkv")
SEED, ROUNDING = 15, 1e-14


def layer(d: int, combine: str, e: int | None = None) -> Attention:
    """Attention of width d with positions."""
    return Attention(d, 2, position=Sinusoidal(d if e is None else e, combine=combine)).double()


def projections(attention: Attention) -> list[Any]:
    return [attention.q_proj, attention.k_proj, attention.v_proj]


def check(scale: str) -> Evidence:
    rows, shown = [], None
    with torch.random.fork_rng(devices=[]), torch.no_grad():
        torch.manual_seed(SEED)
        for d, n in ((4, 5), (16, 20)) + (((128, 200),) if scale == "full" else ()):
            about: dict[str, Any] = {"kind": "estimated", "standard_error": ROUNDING, "unit": 1.0, "d": d, "tokens": n}
            x = torch.randn(2, n, d, dtype=torch.float64)
            added, joined = layer(d, "add"), layer(d, "concatenate")
            joined.out_proj.load_state_dict(added.out_proj.state_dict())
            p = Sinusoidal(d).table(n, like=x)
            whole = joined.q_proj(torch.cat([x, p.expand(2, n, d)], -1))
            parts = x @ joined.q_proj.weight[:, :d].T + p @ joined.q_proj.weight[:, d:].T + joined.q_proj.bias
            rows.append(row(_off(whole, parts), "=", 0.0, what="W [x; p] and W_1 x + W_2 p", **about))
            wide = count_parameters(joined) - count_parameters(added)
            rows.append(row(wide, "=", 3 * d * d, what="parameters more", d=d))
            for one, other in zip(projections(joined), projections(added), strict=True):
                one.weight.copy_(torch.cat([other.weight, other.weight], 1))
                one.bias.copy_(other.bias)
            rows.append(row(_off(joined(x), added(x)), "=", 0.0, what="adding is concatenating with W_1 = W_2", **about))
            rows.append(row(_off(*roomy(d, n, x)), "=", 0.0, what="concatenating is adding in twice the width", **about))
            free = layer(d, "concatenate")
            free.out_proj.load_state_dict(added.out_proj.state_dict())
            for one, other in zip(projections(free), projections(added), strict=True):
                one.weight[:, :d] = other.weight
            rows.append(
                control(_off(free(x), added(x)), ">", 0.01, kind="estimated", standard_error=ROUNDING, what="W_2 of its own", d=d)
            )
            shown = shown if shown is not None else free.q_proj.weight.clone()
    assert shown is not None
    return Evidence(rows, draw=partial(draw, shown), seed=SEED)


def roomy(d: int, n: int, x: Tensor) -> tuple[Tensor, Tensor]:
    """A layer that concatenates, and one that adds (x, 0) and (0, p) with the same weights, up to the output projection."""
    joined = layer(d, "concatenate")
    p = Sinusoidal(d).table(n, like=x).expand(2, n, d)
    nothing = torch.zeros_like(x)
    both = torch.cat([x, nothing], -1) + torch.cat([nothing, p], -1)
    wide = Attention(2 * d, 2, d_head=d // 2).double()
    for one, other in zip(projections(wide), projections(joined), strict=True):
        one.load_state_dict(other.state_dict())
    wide.out_proj.weight.zero_()
    wide.out_proj.bias.zero_()
    wide.out_proj.weight[:d] = joined.out_proj.weight
    wide.out_proj.bias[:d] = joined.out_proj.bias
    return joined(x), wide(both)[..., :d]


def _off(one: Tensor, other: Tensor) -> float:
    return float((one - other).abs().max())


def draw(weight: Tensor, ax: Axes) -> None:
    """W of a layer that concatenates: its left half reads the token, its right half the position."""
    from matplotlib.colors import LinearSegmentedColormap

    most = float(weight.abs().max())
    ax.imshow(weight.numpy(), cmap=LinearSegmentedColormap.from_list("signed", SIGNED["light"]), vmin=-most, vmax=most)
    d = weight.shape[0]
    ax.axvline(d - 0.5, color=INK, linewidth=1.5)
    ax.set_xticks([d / 2 - 0.5, 1.5 * d - 0.5], [r"$W_1$, reads the token", r"$W_2$, reads the position"])
    ax.set_yticks([])
    ax.set_ylabel("query")
