r"""Every continuous piecewise-linear function of n variables is a ReLU network with ceil(log2(n + 1)) hidden layers.

Claim
    A continuous piecewise-linear function of n variables with affine pieces g_1, ..., g_m is max_i min_{j in S_i} g_j for
    suitable sets S_i, a signed sum of minima of at most n + 1 of the g_j, and so a ReLU network with at most ceil(log2(n + 1))
    hidden layers, however many pieces it has.
Source
    R. Arora, A. Basu, P. Mianjy, A. Mukherjee, ICLR 2018, Theorem 2.1 [arora2018].
Prediction
    deep networks taken apart into their pieces and put together again, from maxima of minima and with ceil(log2(n + 1)) hidden
    layers, are the same functions: the differences have one region, on which all coefficients are 0
Measurement
    random networks with integer weights, n = 1, 2, 3 and up to five hidden layers: pieces and sets S_i from the exact complex
    (plica.construct.lattice_form), ReLU networks built from them (plica.construct.max_min and plica.construct.few_layers), their
    depth, and the exact complex of the differences
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from plica._palette import PREDICTION, SERIES
from plica.claims import Evidence, row
from plica.construct import few_layers, lattice_form, max_min
from plica.geometry import Box, Segment, decompose
from plica.network import Linear, Network, Rectifier, difference

if TYPE_CHECKING:
    from matplotlib.axes import Axes

STATEMENT = "theorem"
EXPECTED = "holds"
KIND = "exact"
SEE = ("interpolation", "arora-2018-maximum", "slide-bijection")
SEED = 1611


def integer_network(widths: tuple[int, ...], seed: int) -> Network:
    """A ReLU network with small integer weights: all its maps are integers."""
    rng = np.random.default_rng(seed)
    ops: list[Linear | Rectifier] = []
    for i in range(len(widths) - 1):
        ops += [Rectifier()] if i else []
        weight, bias = rng.integers(-2, 3, (widths[i + 1], widths[i])), rng.integers(-2, 3, widths[i + 1])
        ops.append(Linear(weight.astype(float), bias.astype(float)))
    return Network.sequential(widths[0], ops)


def check(scale: str) -> Evidence:
    rows = []
    cases = [((1, 4, 1), 3), ((1, 3, 3, 3, 3, 3, 1), 3), ((2, 3, 1), 3), ((2, 3, 2, 2, 2, 1), 4), ((3, 2, 2, 1), 3)]
    cases += [((2, 4, 3, 1), 10), ((3, 3, 2, 1), 3)] if scale == "full" else []
    for widths, n_networks in cases:
        d = widths[0]
        domain = Segment([-3.0], [3.0]) if d == 1 else Box([-3.0] * d, [3.0] * d)
        for k in range(n_networks):
            net = integer_network(widths, SEED + k)
            cx = decompose(net, Box([-3.0], [3.0]) if d == 1 else domain)
            forms, groups = lattice_form(cx)
            for name, built in (("max of min", max_min(forms, groups)), ("few layers", few_layers(forms, groups))):
                again = built.network
                gap = decompose(difference(net, again), domain)
                about: dict[str, Any] = {"widths": widths, "seed": SEED + k, "pieces": len(forms), "form": name}
                rows.append(row(gap.n_regions, "=", 1, what="regions of the difference", **about))
                rows.append(row(sum(c != 0 for c in gap.exact_map(0).fractions()), "=", 0, what="its coefficients", **about))
                if name == "few layers":
                    rows.append(row(len(again.layers), "=", {1: 1, 2: 2, 3: 2}[d], what="hidden layers", **about))
    return Evidence(rows, draw=draw, seed=SEED)


def draw(ax: Axes) -> None:
    """Hidden layers of networks taken apart, and put together again in two ways, against their pieces."""
    shown: dict[str, list[tuple[int, int]]] = {"maxima of minima": [], "signed minima, n = 2": []}
    for seed in range(SEED, SEED + 24):
        cx = decompose(integer_network((2, 3, 2, 2, 1), seed), Box([-3.0, -3.0], [3.0, 3.0]))
        forms, groups = lattice_form(cx)
        for name, built in zip(shown, (max_min(forms, groups), few_layers(forms, groups)), strict=True):
            shown[name].append((len(forms), len(built.network.layers)))
    for (name, points), color, marker in zip(shown.items(), SERIES, "os", strict=False):
        ax.plot(*zip(*points, strict=True), marker, color=color, label=name)
    ax.axhline(2, color=PREDICTION, linewidth=0.8, linestyle=":")
    ax.set_ylim(bottom=0)
    ax.set_xlabel("pieces")
    ax.set_ylabel("hidden layers")
    ax.legend(frameon=False, fontsize=8)
    ax.spines[["top", "right"]].set_visible(False)
