r"""What leaves the function of a ReLU network unchanged.

Claim
    Permuting the neurons of a layer, and multiplying a neuron's input by c > 0 while dividing its output by c, do not change
    the function a ReLU network computes.
Source
    Folklore; J. E. Grigsby, K. Lindsey, D. Rolnick, Hidden Symmetries of ReLU Networks, ICML 2023 [grigsby2023].
Prediction
    the difference of the two networks is the zero map on all of its cells: 0 cells are left
Measurement
    cells of the difference, as one network on a box, on which its exact affine map is not zero (plica.decompose)
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from plica._palette import MEASUREMENT, REFERENCE
from plica.claims import Evidence, control, row
from plica.claims.regions._symmetries import Layer, n_nonzero_cells, n_wrong_maps

if TYPE_CHECKING:
    from matplotlib.axes import Axes

STATEMENT = "theorem"
EXPECTED = "holds"
KIND = "exact"
SEE = ("slide-bijection",)
SEED = 2023


def check(scale: str) -> Evidence:
    rows = []
    for seed in range(SEED, SEED + (60 if scale == "full" else 6)):
        net = Layer.random(8, seed=seed)
        for name, other in (
            ("permuted", net.permuted(seed)),
            ("rescaled by 2", net.rescaled(2.0)),
            ("rescaled by 1/8", net.rescaled(0.125)),
        ):
            rows.append(row(n_nonzero_cells(net, other), "=", 0, network=f"seed {seed}", change=name))
        moved = Layer(net.W, net.b, np.where(np.arange(8) == 0, 2 * net.v, net.v))  # the output alone, without the input
        rows.append(control(n_nonzero_cells(net, moved), ">", 0, network=f"seed {seed}", change="output times 2 only"))
        wrong = n_wrong_maps(net, moved)
        rows.append(control(wrong, "=", 0, network=f"seed {seed}", change="cells whose map is not what neurons add up to"))
    return Evidence(rows, draw=draw, seed=SEED)


def draw(ax: Axes) -> None:
    """The folds of a network and of its rescaled copy are the same lines."""
    net = Layer.random(8, seed=SEED)
    t = np.array([-8.0, 8.0])
    for other, style, width, color, label in (
        (net, "-", 3.0, REFERENCE, "8 neurons"),
        (net.rescaled(2.0).permuted(SEED), "--", 1.2, MEASUREMENT, "permuted and rescaled"),
    ):
        for k, (w, b) in enumerate(zip(other.W, other.b, strict=True)):
            ax.plot(t, -(w[0] * t + b) / w[1], style, color=color, linewidth=width, label=label if k == 0 else None)
    ax.set(xlim=(-8, 8), ylim=(-8, 8), xticks=[], yticks=[])
    ax.set_aspect("equal")
    ax.legend(frameon=True, fontsize=8, loc="upper right")
