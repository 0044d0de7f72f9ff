r"""What attention costs as texts grow: square, or in proportion.

Claim
    The multiply-adds of full attention grow with the square of the length. Linformer, Performer, linear attention, windows
    and Big Bird grow in proportion to it.
Source
    University of Washington lecture, slides on efficient variants [washington-lecture]; S. Wang et al., Linformer [wang2020];
    K. Choromanski et al. [choromanski2021]; M. Zaheer et al., Big Bird [zaheer2020]; A. Vaswani et al., Table 1
    [vaswani2017].
Prediction
    plica.theory.costs.attention_core_multiply_adds and plica.theory.costs.tiles_multiply_adds, exactly; doubling the length
    multiplies the cost by 4 or by 2, for tiles without the fixed part at the two ends of a text
Measurement
    products counted by plica.measure.operations in one run of plica.models.attention.Attention with each choice of mask and
    normalizer, less the 4 T d^2 of its projections; operations, not the clock
Remark
    Big Bird has no closed form: its random blocks fall into tiles that others fill or not. It is compared with itself at
    twice the length, and with the most its tiles can be. Masks that hide little, and short ones, are computed in one piece,
    which is faster.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any

import torch

from plica._palette import SERIES
from plica.claims import Evidence, row
from plica.measure import operations
from plica.models.attention import Attention, Linformer, Performer, big_bird, window
from plica.theory.costs import attention_core_multiply_adds, tiles_multiply_adds

if TYPE_CHECKING:
    from matplotlib.axes import Axes

STATEMENT = "theorem"
EXPECTED = "holds"
KIND = "exact"
SEE = ("quadratic-beyond-6d", "liu-2021-complexity", "vaswani-2017-layers")
D, HEADS, SIZE, TILE = 8, 2, 16, 64
CLOSED = ("full", "linformer", "performer", "linear")


def choices(variant: str, length: int) -> dict[str, Any]:
    """What makes an attention the variant."""
    made: dict[str, Callable[[], dict[str, Any]]] = {
        "full": dict,
        "linformer": lambda: {"normalizer": Linformer(length, SIZE)},
        "performer": lambda: {"normalizer": Performer(D // HEADS, SIZE)},
        "linear": lambda: {"normalizer": "linear"},
        "window": lambda: {"mask": window(SIZE)},
        "big bird": lambda: {"mask": big_bird(TILE)},
    }
    return made[variant]()


def core(variant: str, length: int) -> int:
    """Products of the attention without its projections."""
    attention = Attention(D, HEADS, **choices(variant, length))
    return operations(attention, torch.zeros(1, length, D)).multiply_adds - 4 * length * D * D


def check(scale: str) -> Evidence:
    more = (4096,) if scale == "full" else ()
    rows, shown = [], {}
    for variant in (*CLOSED, "window", "big bird"):
        lengths = (1024, 2048, *more) if variant == "big bird" else (512, 1024, *((2048, *more) if more else ()))
        found = {length: core(variant, length) for length in lengths}
        shown[variant] = found
        for length, cost in found.items():
            if variant in CLOSED:
                expected = attention_core_multiply_adds(variant, length, D, n_heads=HEADS, size=SIZE)
                rows.append(row(cost, "=", expected, attention=variant, tokens=length))
            elif variant == "window":
                expected = tiles_multiply_adds(length, D, radius=SIZE, tile=TILE)
                rows.append(row(cost, "=", expected, attention=variant, tokens=length))
            else:  # the first row of tiles sees all; the others a window of 3, the first and a random one
                n = length // TILE
                rows.append(row(cost, "<=", 2 * TILE * TILE * D * (n + 5 * (n - 1)), attention=variant, tokens=length))
        for length in lengths[:-1]:
            ends = 2 * TILE * TILE * D * 2 if variant == "window" else 0
            ratio = (found[2 * length] + ends) / (found[length] + ends)
            if variant == "big bird":
                rows.append(row(ratio, "<", 2.5, attention=variant, what="twice the length", tokens=length))
            else:
                rows.append(row(ratio, "=", 4 if variant == "full" else 2, attention=variant, what="twice", tokens=length))
    return Evidence(rows, draw=partial(draw, shown))


def draw(shown: dict[str, dict[int, int]], ax: Axes) -> None:
    """Counted products against the length: one line rises twice as steeply as the others."""
    for color, (variant, found) in zip(SERIES, shown.items(), strict=False):
        ax.plot(list(found), list(found.values()), "o-", color=color, label=variant)
    lengths = sorted({length for found in shown.values() for length in found})
    ax.set_xscale("log", base=2)
    ax.set_yscale("log")
    ax.set_xticks(lengths, [str(n) for n in lengths])
    ax.minorticks_off()
    ax.set(xlabel="tokens", ylabel=f"multiply-adds, width {D}")
    ax.legend(frameon=False, fontsize=8)
    ax.spines[["top", "right"]].set_visible(False)
