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
    plica.dimension.HeinAudibert on images of latent points; the speed along a latent segment, averaged over 1,500 networks
    (plica.measure.Ensemble), and for one of them plica.trajectory_length, exactly
Remark
    Folding shows when it becomes finer than the sample: with many more layers the estimate exceeds k.
"""

from __future__ import annotations

from functools import partial
from itertools import pairwise
from math import prod
from typing import TYPE_CHECKING, Any

import numpy as np

from plica._palette import SERIES
from plica.claims import Evidence, Row, control, row
from plica.dimension import HeinAudibert
from plica.geometry import Segment
from plica.measure import Ensemble, trajectory_length
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
    n_networks, n_points = (4000, 3000) if scale == "full" else (1500, 800)
    width = 64
    rows: list[Row] = []
    a, b = np.random.default_rng(SEED).normal(size=(2, 3))
    for depth in (1, 2, 3):
        widths = (3, *[width] * depth)
        ensemble = Ensemble(widths, n_networks=n_networks, seed=SEED, weight_std=2.0, bias_std=0.1)
        found = ensemble.estimate_lengths(Segment(a, b), n_points=16)
        growth, error = found.mean[-1] / found.input, found.standard_error[-1] / found.input
        factor = prod(relu_length_factor(n, m, weight_std=2.0) for n, m in pairwise(widths))
        about: dict[str, Any] = {"what": "length", "layers": depth}
        rows.append(row(float(growth), "=", factor, kind="estimated", standard_error=float(error), **about))
        # the length of one of them, exactly, from its breakpoints
        one = Ensemble(widths, n_networks=1, seed=SEED, weight_std=2.0, bias_std=0.1)
        sampled = one.estimate_lengths(Segment(a, b), n_points=20_000)
        exact = trajectory_length(one.network(0), Segment(a, b)).growth[-1]
        about = {"what": "length of the first network, exactly", "layers": depth}
        rows.append(control(float(sampled.mean[-1] / sampled.input), "=", float(exact), tolerance=1e-3, **about))
        for latent in (2, 3):
            net = random_network([latent, *[width] * depth, width], seed=SEED, weights="he-normal", bias_std=0.1)
            images = net(np.random.default_rng(SEED).normal(size=(n_points, latent)))
            dimension = int(HeinAudibert(max_dimension=20).fit(images).dimension_)
            rows.append(row(dimension, "=", latent, what=f"dimension, {latent} latent coordinates", layers=depth))
    return Evidence(rows, draw=partial(draw, [r for r in rows if r.role != "control"]), seed=SEED)


def draw(rows: list[Row], ax: Axes) -> None:
    """Lengths grow, dimensions stay."""
    for color, name in zip(SERIES[:3], dict.fromkeys(r.parameters["what"] for r in rows), strict=False):
        mine = [r for r in rows if r.parameters["what"] == name]
        depths = [r.parameters["layers"] for r in mine]
        ax.plot(depths, [r.measured for r in mine], "o", color=color, label=name)
        ax.plot(depths, [r.predicted for r in mine], "--", color=color, linewidth=0.8)
    ax.set_xlabel("layers")
    ax.legend(frameon=False)
