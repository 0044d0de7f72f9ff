r"""Hanin, Jeong and Rolnick: at standard initialization, depth does not lengthen curves.

Claim
    In ReLU networks with He's initialization, N(0, 2 / n) weights, the expected length of the image of any curve is at most
    that of the curve, and shrinks with depth like exp(-5/8 sum_l 1/n_l).
Source
    B. Hanin, R. Jeong, D. Rolnick, Deep ReLU Networks Preserve Expected Length, ICLR 2022 [hanin2022]; the constant 5/8 follows
    from plica.theory.lengths.relu_length_factor.
Prediction
    plica.theory.lengths.relu_expected_length(widths, weight_std=sqrt(2))
Measurement
    the mean of exact lengths (plica.trajectory_length breaks the path at every fold) of segments and polygonal circles over
    random networks with Gaussian biases, with its standard error
"""

from __future__ import annotations

from math import exp, sqrt
from typing import TYPE_CHECKING

import numpy as np

from plica._palette import SERIES
from plica.claims import Evidence, row
from plica.geometry import Path, Segment
from plica.measure import circle, trajectory_length
from plica.network import random_network
from plica.theory.lengths import relu_expected_length

if TYPE_CHECKING:
    from matplotlib.axes import Axes

STATEMENT = "theorem"
EXPECTED = "holds"
KIND = "estimated"
SEE = ("relu-length-law", "slide-raghu-relu", "raghu-2017-relu-base")
SEED = 58


def exact_lengths(widths: tuple[int, ...], curve: Segment | Path, *, n_networks: int) -> np.ndarray:
    """Exact lengths (networks, layers) after each layer, in units of the curve's own."""
    found = []
    for i in range(n_networks):
        net = random_network([*widths, 1], seed=SEED + i, weights="he-normal", bias_std=0.3)
        length = trajectory_length(net, curve)
        found.append(length.post / length.input)
    return np.array(found)


def check(scale: str) -> Evidence:
    cases = [(8, 2, "segment", 600), (8, 2, "circle", 600), (16, 3, "segment", 400)]
    if scale == "full":
        cases += [(4, 5, "segment", 20_000), (4, 5, "circle", 20_000), (8, 4, "segment", 5_000)]
    rng = np.random.default_rng(SEED)
    rows = []
    for n, depth, name, n_networks in cases:
        u, v = rng.standard_normal((2, n))
        curve = Segment(-u, u) if name == "segment" else circle(u, v, n_points=8 if scale == "full" else 4)
        lengths = exact_lengths((n,) * (depth + 1), curve, n_networks=n_networks)
        mean, error = float(lengths[:, -1].mean()), float(lengths[:, -1].std(ddof=1) / sqrt(n_networks))
        predicted = relu_expected_length((n,) * (depth + 1), weight_std=sqrt(2.0))
        rows.append(row(mean, "=", predicted, kind="estimated", standard_error=error, n=n, depth=depth, curve=name))
        rows.append(row(mean, "<", 1.0, kind="estimated", standard_error=error, n=n, depth=depth, curve=name))
    for n, depth in ((64, 16), (1024, 50)):
        shrinks = relu_expected_length((n,) * (depth + 1), weight_std=sqrt(2.0))
        rows.append(row(shrinks, "=", exp(-5 / 8 * depth / n), tolerance=1 / n, n=n, depth=depth, curve="exp(-5/8 sum 1/n)"))
    return Evidence(rows, draw=draw, seed=SEED)


def draw(ax: Axes) -> None:
    """Expected length against depth for several widths, and what exponential growth would look like."""
    depths = np.arange(0, 51)
    for n, color in zip((8, 32, 128, 512), SERIES, strict=False):
        factor = relu_expected_length((n, n), weight_std=sqrt(2.0))
        ax.plot(depths, factor**depths, color=color, label=f"width {n}")
        ax.plot(depths, np.exp(-5 / 8 * depths / n), color=color, linestyle=":", linewidth=1)
    ax.set_xlabel("depth")
    ax.set_ylabel("expected length / length of the curve")
    ax.set_ylim(0, 1.05)
    ax.spines[["top", "right"]].set_visible(False)
    ax.legend(frameon=False, fontsize=8)
