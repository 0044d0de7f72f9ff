r"""A random generator keeps the dimension of its latent space while it stretches curves.

Claim
    A random ReLU network of L wide layers maps k latent Gaussian coordinates to data of intrinsic dimension k, while with weights
    of variance 4/n the length of a latent segment grows by 2^{1/2} in each layer.
Source
    Dimension of images of smooth pieces; lengths by I. Price, J. Tanner [price2019], with the constant of
    plica.theory.lengths.relu_length_factor. Lecture 4 of Theories of Deep Learning asks for both [oxford-lecture-4].
Prediction
    k; the product of plica.theory.lengths.relu_length_factor
Measurement
    plica.dimension.HeinAudibert on images of latent points, and plica.trajectory_length of latent segments, averaged
Remark
    Folding shows when it becomes finer than the sample: with many more layers the estimate exceeds k.
"""

from __future__ import annotations

from functools import partial
from itertools import pairwise
from math import prod, sqrt
from typing import TYPE_CHECKING

import numpy as np

from plica._palette import SERIES
from plica.claims import Evidence, Row, row
from plica.dimension import HeinAudibert
from plica.geometry import Segment
from plica.measure import trajectory_length
from plica.network import random_network
from plica.theory.lengths import relu_length_factor

if TYPE_CHECKING:
    from matplotlib.axes import Axes

STATEMENT = "theorem"
EXPECTED = "holds"
KIND = "estimated"
SEE = ("hidden-manifold", "relu-length-law")
SEED = 2021


def check(scale: str) -> Evidence:
    n_networks, n_points = (200, 3000) if scale == "full" else (12, 800)
    width = 64
    rows: list[Row] = []
    for depth in (1, 2, 3):
        widths = [3, *[width] * depth, width]
        lengths = []
        rng = np.random.default_rng(SEED)
        for k in range(n_networks):
            net = random_network(widths, seed=SEED + k, weights="he-normal", gain=sqrt(2.0), bias_std=0.1)
            a, b = rng.normal(size=(2, 3))
            lengths.append(trajectory_length(net, Segment(a, b)).growth[-1])
        error = float(np.std(lengths, ddof=1) / sqrt(n_networks))
        factor = prod(relu_length_factor(n, m, weight_std=2.0) for n, m in pairwise(widths[:-1]))
        rows.append(
            row(float(np.mean(lengths)), "=", factor, kind="estimated", standard_error=error, what="length", layers=depth)
        )
        for latent in (2, 3):
            net = random_network([latent, *[width] * depth, width], seed=SEED, weights="he-normal", bias_std=0.1)
            images = net(np.random.default_rng(SEED).normal(size=(n_points, latent)))
            found = int(HeinAudibert(max_dimension=20).fit(images).dimension_)
            rows.append(row(found, "=", latent, what=f"dimension, {latent} latent coordinates", layers=depth))
    return Evidence(rows, draw=partial(draw, rows), seed=SEED)


def draw(rows: list[Row], ax: Axes) -> None:
    """Lengths grow, dimensions stay."""
    for color, name in zip(SERIES[:3], dict.fromkeys(r.parameters["what"] for r in rows), strict=False):
        mine = [r for r in rows if r.parameters["what"] == name]
        depths = [r.parameters["layers"] for r in mine]
        ax.plot(depths, [r.measured for r in mine], "o", color=color, label=name)
        ax.plot(depths, [r.predicted for r in mine], "--", color=color, linewidth=0.8)
    ax.set_xlabel("layers")
    ax.legend(frameon=False)
