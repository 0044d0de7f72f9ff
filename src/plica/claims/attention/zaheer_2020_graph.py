r"""Big Bird: few pairs, and still every token hears of every other in two layers.

Claim
    Attention to w neighbors, g global and r random blocks has O(n) pairs instead of n^2. It contains a star, the condition of
    the theorem that such transformers are universal: two layers are enough for a signal between any two tokens, where a
    window alone takes n / w.
Source
    M. Zaheer et al., Big Bird, NeurIPS 2020, section 3 and Theorem 1 [zaheer2020]; University of Washington lecture
    [washington-lecture].
Prediction
    (blocks of b tokens, window of one block at each side, one global, one random) at most b^2 (6 N - 5) pairs for N blocks; 2
    layers; N - 1 layers for the window alone; at most 2 log_2 N for a window and two random blocks without the global one
Measurement
    pairs and shortest paths in the masks of plica.models.attention.big_bird; derivatives between all tokens of two layers of
    plica.models.attention.Attention
Remark
    That a star is enough for universality and Turing completeness is the paper's proof, not measured here; what is measured
    is that the mask has the star, and what hangs on it.
"""

from __future__ import annotations

from functools import partial
from math import log2
from typing import TYPE_CHECKING, Any

import numpy as np
import torch

from plica._palette import SERIES
from plica._types import Array
from plica.claims import Evidence, control, row
from plica.models.attention import Attention, Mask, big_bird

if TYPE_CHECKING:
    from matplotlib.axes import Axes

STATEMENT = "theorem"
EXPECTED = "holds"
KIND = "exact"
SEE = ("attention-cost", "visible-pairs", "yun-2020-universal")
SEED, BLOCK = 2020, 2


def layers_needed(mask: Mask, n: int) -> int:
    """After how many layers every token has heard of every other; -1 if never."""
    see = mask.matrix(n, n).numpy().astype(np.float32)  # counts up to n are exact, and products are fast
    heard, layers = see, 1
    while (heard == 0).any():
        heard, layers = np.minimum(heard @ see, np.float32(1)), layers + 1
        if layers > n:
            return -1
    return layers


def unheard(mask: Mask, n: int, n_layers: int) -> int:
    """Pairs of tokens without a derivative after some layers of attention with this mask."""
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(SEED)
        stack = [Attention(4, 1, mask=mask).double() for _ in range(n_layers)]
        x = torch.randn(1, n, 4, dtype=torch.float64)

    def run(tokens: torch.Tensor) -> torch.Tensor:
        for layer in stack:
            tokens = layer(tokens)
        return tokens[0].sum(-1)

    by = torch.autograd.functional.jacobian(run, x)[:, 0].abs().sum(-1)
    return int((by == 0).sum())


def check(scale: str) -> Evidence:
    rows = []
    shown: dict[str, list[tuple[int, int]]] = {}
    for n_blocks in (8, 16, 32) + ((128, 512) if scale == "full" else ()):
        n = BLOCK * n_blocks
        masks = {
            "Big Bird": big_bird(BLOCK, seed=SEED),
            "window": big_bird(BLOCK, n_global=0, n_random=0),
            "window and random": big_bird(BLOCK, n_global=0, n_random=2, seed=SEED),
        }
        about: dict[str, Any] = {"tokens": n}
        rows.append(
            row(masks["Big Bird"].n_pairs(n), "<=", BLOCK**2 * (6 * n_blocks - 5), what="pairs", mask="Big Bird", **about)
        )
        for name, mask in masks.items():
            layers = layers_needed(mask, n)
            shown.setdefault(name, []).append((n, layers))
            expected = {"Big Bird": 2, "window": n_blocks - 1}.get(name)
            if expected is None:
                rows.append(row(layers, "<=", int(2 * log2(n_blocks)), what="layers between any two", mask=name, **about))
            else:
                rows.append(row(layers, "=", expected, what="layers between any two", mask=name, **about))
    n, bird, near = 16, big_bird(BLOCK, seed=SEED), big_bird(BLOCK, n_global=0, n_random=0)
    rows.append(row(unheard(bird, n, 2), "=", 0, what="pairs without a derivative, 2 layers", mask="Big Bird"))
    rows.append(control(unheard(bird, n, 1), ">", 0, what="pairs without a derivative, 1 layer", mask="Big Bird"))
    rows.append(control(unheard(near, n, 2), ">", 0, what="pairs without a derivative, 2 layers", mask="window"))
    return Evidence(rows, draw=partial(draw, shown), seed=SEED)


def draw(shown: dict[str, list[tuple[int, int]]], ax: Axes) -> None:
    """Layers until every token has heard of every other, against the length."""
    for color, marker, (name, points) in zip(SERIES, "osx", shown.items(), strict=False):
        table: Array = np.array(points)
        ax.plot(table[:, 0], table[:, 1], f"{marker}-", color=color, label=name)
    ax.set_xscale("log", base=2)
    ax.set_yscale("log", base=2)
    ax.set(xlabel="tokens", ylabel="layers between any two tokens")
    ax.legend(frameon=False)
    ax.spines[["top", "right"]].set_visible(False)
