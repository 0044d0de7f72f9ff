r"""Figure 1 of Price and Tanner: a circle after six and after twelve ReLU layers.

Claim
    With sigma_w = 2 the image of a circle before the activation of layer l of a wide ReLU network is longer than the circle by
    about sqrt(2)^l / sqrt(2) sigma_w: it folds, and crosses itself in any planar projection.
Source
    I. Price, J. Tanner (2019), Figure 1 [price2019].
Prediction
    sigma_w times plica.theory.lengths.relu_expected_length of the layers before
Measurement
    the mean length before the activation of layers 6 and 12 of random networks (plica.measure.Ensemble); the figure shows the
    images in one network, projected to the plane of their largest variance
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from plica.claims import Evidence, row
from plica.claims.trajectories._growth import circle_growth, random_circle
from plica.measure import Ensemble
from plica.theory.lengths import relu_expected_length

if TYPE_CHECKING:
    from matplotlib.axes import Axes

STATEMENT = "published result"
EXPECTED = "reproduced"
KIND = "estimated"
SEE = ("price-2019-figure-3", "relu-length-law")
SEED = 1
WEIGHT_STD = 2.0


def check(scale: str) -> Evidence:
    width, n_networks = (784, 100) if scale == "full" else (64, 200)
    lengths = circle_growth(width, 12, weight_std=WEIGHT_STD, n_networks=n_networks, seed=SEED, n_points=40)
    rows = []
    for layer in (6, 12):
        grown = lengths.pre[:, layer - 1] / lengths.input
        # one layer without its activation: the mean norm of a Gaussian vector with n entries is sigma_w (1 - 1/4n) |u|
        predicted = WEIGHT_STD * (1 - 1 / (4 * width)) * relu_expected_length((width,) * layer, weight_std=WEIGHT_STD)
        rows.append(
            row(
                float(grown.mean()),
                "=",
                predicted,
                kind="estimated",
                standard_error=float(grown.std(ddof=1) / np.sqrt(n_networks)),
                tolerance=1e-3,
                layer=layer,
                width=width,
            )
        )
    return Evidence(rows, draw=partial(draw, width), seed=SEED)


def draw(width: int, ax: Axes) -> None:
    """The circle, and its images before the activations of layers 6 and 12."""
    from matplotlib.collections import LineCollection

    net = Ensemble((width,) * 13, n_networks=1, seed=SEED, weight_std=WEIGHT_STD).network(0)
    points = random_circle(width, seed=SEED).on_curve(np.linspace(0, 100, 1501))
    values = net.tensors(points)
    ax.set_axis_off()
    for i, (name, rows) in enumerate((("input", points), *((f"layer {k}", values[2 * k - 1]) for k in (6, 12)))):
        centered = rows - rows.mean(0)
        flat = centered @ np.linalg.svd(centered, full_matrices=False)[2][:2].T
        box = ax.inset_axes((0.34 * i, 0.0, 0.31, 0.9))
        pairs = np.stack([flat[:-1], flat[1:]], axis=1)
        box.add_collection(LineCollection(list(pairs), array=np.arange(len(pairs)), cmap="cividis", linewidths=0.8))
        box.autoscale_view()
        box.set_aspect("equal")
        box.set(xticks=[], yticks=[])
        box.set_title(name, fontsize=8)
