r"""Arora, Basu, Mianjy and Mukherjee: k^2 layers against k.

Claim
    For every k some function of a ReLU network with k^2 hidden layers and k^3 neurons needs at least k^{k+1} / 2 - 1 neurons in
    at most k hidden layers; k^{k+1} - k are enough and needed for its number of pieces.
Source
    R. Arora, A. Basu, P. Mianjy, A. Mukherjee, ICLR 2018, abstract [arora2018]; the exact number is from prod_l (n_l + 1), the
    most pieces on a line [serra2018].
Prediction
    plica.theory.regions.arora_2018_size_lower_bound(k)
Measurement
    pieces, exactly (plica.decompose), of the sawtooth of k^2 layers of k neurons (plica.construct.folding), and of networks
    of k layers of zigzags with just enough neurons, which have the most pieces there are; with one neuron less
    plica.theory.regions.serra_2018_upper_bound is too small
Remark
    The statement's half comes from 2 m / k in Telgarsky's bound, where m / k + 1 is true; so twice its number is needed.
"""

from __future__ import annotations

from itertools import count
from math import prod
from typing import TYPE_CHECKING

from plica._palette import BOUND, MEASUREMENT, PREDICTION
from plica.claims import Evidence, control, row
from plica.construct import folding
from plica.geometry import Segment, decompose
from plica.theory.regions import arora_2018_size_lower_bound, serra_2018_upper_bound

if TYPE_CHECKING:
    from matplotlib.axes import Axes

STATEMENT = "theorem"
EXPECTED = "holds"
KIND = "exact"
SEE = ("telgarsky-2015-pieces", "serra-2018-lower", "telgarsky-2016-separation")


def deep_pieces(k: int) -> int:
    """Pieces on [0, 1] of k^2 layers, all but the last of which fold the interval k times; the last cuts it at k points."""
    net = folding((1, *[k] * k**2, 1)).network
    assert len(net.layers) == k**2 and net.n_neurons == k**3
    return decompose(net, Segment([0.0], [1.0])).n_regions


def best_layers(m: int, k: int) -> tuple[int, ...]:
    """How m neurons in at most k layers have the most pieces: layers as even as can be have the largest product of n_l + 1."""
    found = (tuple(m // depth + (i < m % depth) for i in range(depth)) for depth in range(1, min(k, m) + 1))
    return max(found, key=lambda hidden: prod(n + 1 for n in hidden))


def check(scale: str) -> Evidence:
    rows = []
    for k in (2, 3):
        bound, pieces = arora_2018_size_lower_bound(k), k ** (k**2)
        rows.append(control(deep_pieces(k), "=", pieces // k * (k + 1), k=k, what=f"pieces of {k**2} layers of {k}"))
        needed = next(m for m in count(1) if prod(n + 1 for n in best_layers(m, k)) >= pieces)
        rows.append(row(needed, ">=", bound, k=k, what="neurons in at most k layers"))
        rows.append(row(needed, "=", 2 * (bound + 1) - k, k=k, what="the same, against twice the bound"))
        enough = folding((1, *best_layers(needed, k), 1), fold="zigzag").network
        measured = decompose(enough, Segment([-1.0], [2.0])).n_regions
        rows.append(row(measured, ">=", pieces, k=k, what=f"pieces of {needed} neurons in {k} layers"))
        most = serra_2018_upper_bound((1, *best_layers(needed - 1, k), 1))
        rows.append(row(most, "<", pieces, k=k, what=f"most pieces of {needed - 1} neurons in at most {k} layers"))
    return Evidence(rows, draw=draw)


def draw(ax: Axes) -> None:
    """Neurons for the same pieces: k^2 layers, at most k layers, and the bound."""
    ks = [2, 3, 4, 5]
    ax.semilogy(ks, [k**3 for k in ks], "o-", color=MEASUREMENT, label=r"$k^2$ layers: $k^3$")
    ax.semilogy(ks, [k ** (k + 1) - k for k in ks], "s-", color=PREDICTION, label=r"$k$ layers: $k^{k+1}-k$")
    ax.semilogy(ks, [float(arora_2018_size_lower_bound(k)) for k in ks], "--", color=BOUND, label=r"bound $k^{k+1}/2-1$")
    ax.set_xticks(ks)
    ax.set_xlabel("k")
    ax.set_ylabel("neurons")
    ax.legend(frameon=False, fontsize=8)
    ax.spines[["top", "right"]].set_visible(False)
