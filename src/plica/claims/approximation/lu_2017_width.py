r"""Lu et al.: d units in a layer integrate to nothing or to infinity; d + 1 make a bump.

Claim
    A ReLU network on R^d whose layers have at most d units is zero almost everywhere or has an infinite integral of its absolute
    value: it is as far from an integrable function in L^1(R^d) as zero is, or farther. With d + 1 units in each layer there are
    networks with bounded support.
Source
    Z. Lu, H. Pu, F. Wang, Z. Hu, L. Wang, The Expressive Power of Neural Networks: A View from the Width, NeurIPS 2017, which
    builds with d + 4 [lu2017]; S. Park, C. Yun, J. Lee, J. Shin, ICLR 2021, for exactly max(d + 1, d_out) in L^p [park2021].
Prediction
    for width 2 in the plane: the integral over [-R, R]^2 is 0 or grows at least in proportion to R; for width 3: 4/3, the volume
    of a pyramid, for every R >= 1
Measurement
    the integral of |F| over squares of half-width 4, 16 and 64, on every cell of the exact complex
    (plica.construct.approximation_error with norm "L1"), for random networks of width 2 and several depths, some with an integral
    of zero, and for the pyramid of plica.construct.max_min_string
Remark
    P. Kidger and T. Lyons have d + d_out + 2 for other activations [kidger2020]. For continuous functions on compact sets see the
    claim hanin-sellke-2017. The width d + 4, and that d is too few, are in the abstract of Lu et al.; others quote max(d + 1,
    d_out) from Park et al.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from plica._palette import MEASUREMENT, SERIES
from plica.claims import Evidence, row
from plica.construct import approximation_error, max_min_string
from plica.geometry import Box
from plica.network import Linear, Network, Rectifier, random_network

if TYPE_CHECKING:
    from matplotlib.axes import Axes

STATEMENT = "theorem"
EXPECTED = "holds"
KIND = "certified"
SEE = ("hanin-sellke-2017",)
SEED = 1709
RADII = (4.0, 16.0, 64.0)


def integral(network: Network, radius: float) -> float:
    """Of |F| over a square, at most a millionth too large."""
    square = Box([-radius, -radius], [radius, radius])
    return float(approximation_error(network, 0, square, norm="L1").high)


def pyramid() -> Network:
    """max(0, min(1 - x, 1 + x, 1 - y, 1 + y)): three units in each layer."""
    forms = [[-1, 0, 1], [1, 0, 1], [0, -1, 1], [0, 1, 1], [0, 0, 0]]
    return max_min_string(forms, ["min"] * 3 + ["max"], low=[-100, -100], high=[100, 100]).network


def check(scale: str) -> Evidence:
    rows, curves = [], {}
    for depth in (1, 2, 4):
        for k in range(12 if scale == "full" else 4):
            net = random_network([2, *[2] * depth, 1], seed=SEED + k, weights="he-normal", bias_std=1.0)
            found = [integral(net, r) for r in RADII]
            curves[depth, k] = found
            about: dict[str, Any] = {"width": 2, "depth": depth, "network": k}
            if found[-1] == 0:
                rows.append(row(found[-1], "=", 0.0, kind="certified", what="integral", **about))
            else:
                rows.append(row(found[2] / found[1], ">=", 4.0, kind="certified", what="growth from R = 16 to 64", **about))
    bump = pyramid()
    rows.append(row(max(bump.widths), "=", 3, width=3, what="widest layer"))
    for r in (2.0, 8.0, 32.0):
        rows.append(row(integral(bump, r), "=", 4 / 3, kind="certified", tolerance=1e-5, width=3, what=f"integral, R = {r:g}"))
    dead = Network.sequential(2, [Linear(np.eye(2), np.zeros(2)), Rectifier(), Linear(np.zeros((1, 2)), np.zeros(1))])
    rows.append(row(integral(dead, 4.0), "=", 0.0, kind="certified", width=2, what="integral of the zero network"))
    return Evidence(rows, draw=partial(draw, curves), seed=SEED)


def draw(curves: dict[tuple[int, int], list[float]], ax: Axes) -> None:
    """Integrals over growing squares: width two, and the pyramid."""
    for color, depth in zip(SERIES, (1, 2, 4), strict=False):
        for k, values in ((k, v) for (d, k), v in curves.items() if d == depth):
            ax.loglog(
                RADII,
                np.maximum(values, 1e-3),
                "o-",
                color=color,
                markersize=3,
                label=f"width 2, depth {depth}" if not k else None,
            )
    ax.loglog(RADII, [4 / 3] * 3, "s-", color=MEASUREMENT, linewidth=2, label="width 3: a pyramid")
    ax.set(xlabel="half-width R of the square", ylabel="integral of |F|")
    ax.legend(frameon=False, fontsize=8)
    ax.spines[["top", "right"]].set_visible(False)
