r"""A neuron's bent hyperplane bends only where it crosses the folds of earlier layers.

Claim
    The folds of a neuron in layer l are straight inside every cell of the layers before it: they bend only at points on folds
    of earlier layers. Folds of the first layer are straight, and folds of the second bend wherever they meet one of them.
Source
    M. Raghu et al., ICML 2017, Figure 1 [raghu2017]; Theories of Deep Learning, lecture 4 [oxford-lecture-4].
Prediction
    0 bends away from the folds of earlier layers; in the second layer as many as there are points where it meets the first, one
    for each change of sign of a neuron along the lines of the first layer
Measurement
    vertices of the exact complex (plica.decompose) where two folds of one neuron meet at an angle and no earlier layer folds; the
    same neurons on each line of the first layer, as networks of one variable, cut where they change their sign
"""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, Any

import numpy as np

from plica._palette import LAYERS
from plica.claims import Evidence, row
from plica.geometry import Box, decompose
from plica.network import Network, random_network

if TYPE_CHECKING:
    from matplotlib.axes import Axes

STATEMENT = "theorem"
EXPECTED = "holds"
KIND = "exact"
SEE = ("raghu-2017-upper",)
SEED = 1
STRAIGHT = 1e-9  # a sine below this is a straight line drawn with rounded coordinates


def bends(cx: Any, layer: int, neuron: int) -> list[tuple[float, float]]:
    """Points where two folds of one neuron meet at an angle."""
    ends = defaultdict(list)
    for p, q in cx.folds(layer=layer, neuron=neuron):
        ends[tuple(p)].append(q - p)
        ends[tuple(q)].append(p - q)
    found = []
    for point, directions in ends.items():
        if len(directions) == 2:
            u, v = (d / np.linalg.norm(d) for d in directions)
            if abs(u[0] * v[1] - u[1] * v[0]) > STRAIGHT:
                found.append(point)
    return found


def meetings(net: Network, reach: float) -> int:
    """How often neurons of the second layer change their sign along the lines on which neurons of the first are zero."""
    first, second = net.dense_layers[:2]
    W, b, V, c = (np.asarray(part, dtype=float) for part in (first.weight, first.bias, second.weight, second.bias))
    found = 0
    for i, (w, offset) in enumerate(zip(W, b, strict=True)):
        start, along = -offset * w / (w @ w), np.array([-w[1], w[0]])
        ends = sorted((side * reach - p) / a for p, a in zip(start, along, strict=True) for side in (-1.0, 1.0))[1:3]
        if not (np.abs(start + np.mean(ends) * along) < reach).all():
            continue  # the line does not meet the square
        slopes, values = W @ along, W @ start + b
        slopes[i], values[i] = 0.0, 0.0  # this neuron is zero on its own line
        crossings = np.divide(-values, slopes, out=np.full(len(values), np.inf), where=slopes != 0)
        places = np.concatenate([[ends[0]], np.sort(crossings[(crossings > ends[0]) & (crossings < ends[1])]), [ends[1]]])
        z = np.maximum(np.outer(places, slopes) + values, 0.0) @ V.T + c  # linear between these places
        found += int((z[1:] * z[:-1] < 0).sum())
    return found


def check(scale: str) -> Evidence:
    widths = [2, 12, 12, 12, 12, 1] if scale == "full" else [2, 8, 8, 8, 1]
    rows = []
    for seed in range(SEED, SEED + (5 if scale == "full" else 2)):
        net = random_network(widths, seed=seed, weights="he-normal", bias_std=0.5)
        cx: Any = decompose(net, Box([-2.0, -2.0], [2.0, 2.0]))
        earlier: set[tuple[float, float]] = set()
        for layer, width in enumerate(widths[1:-1]):
            found = [bend for neuron in range(width) for bend in bends(cx, layer, neuron)]
            elsewhere = sum(bend not in earlier for bend in found)
            rows.append(row(elsewhere, "=", 0, seed=seed, layer=layer, bends=len(found)))
            if layer == 1:
                rows.append(row(len(found), "=", meetings(net, 2.0), seed=seed, layer=layer, what="bends, where layers meet"))
            earlier |= {tuple(p) for p in cx.folds(layer=layer).reshape(-1, 2)}
    return Evidence(rows, draw=draw, seed=SEED)


def draw(ax: Axes) -> None:
    """Folds of three layers: straight, bent, bent again; dots where folds of the second meet those of the first."""
    cx: Any = decompose(
        random_network([2, 8, 8, 8, 1], seed=SEED, weights="he-normal", bias_std=0.5), Box([-2.0, -2.0], [2.0, 2.0])
    )
    for layer, (color, width) in enumerate(zip(LAYERS, (1.6, 1.2, 0.9), strict=False)):
        for p, q in cx.folds(layer=layer):
            ax.plot([p[0], q[0]], [p[1], q[1]], color=color, linewidth=width, solid_capstyle="round")
    corners = np.array([bend for neuron in range(8) for bend in bends(cx, 1, neuron)])
    ax.plot(*corners.T, "o", color=LAYERS[1], markersize=4)
    ax.set_aspect("equal")
    ax.set_axis_off()
    ax.set_title("folds of layers 0, 1 and 2, and where those of 1 bend", fontsize=9)
