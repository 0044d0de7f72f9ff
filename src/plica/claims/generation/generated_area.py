r"""The surface that a random generator makes, and how it grows with depth.

Claim
    A random ReLU network with Gaussian weights of variance sigma^2/n maps a plane of latent variables to a surface whose
    expected area is multiplied by sigma^2 (n_{out}/2 - 1 + 2^{-n_{out}}) / n_{in} in each layer, exactly. So the surfaces of
    wide generators grow exponentially with depth where sigma^2 > 2.
Source
    The argument of I. Price, J. Tanner [price2019] for lengths, worked out for areas in plica.theory.lengths. Lecture 4 of
    Theories of Deep Learning asks how complex the manifold is that a generator can make [oxford-lecture-4].
Prediction
    plica.theory.lengths.relu_expected_area
Measurement
    the factor at a latent point in thousands of random networks, by their Jacobians; for a few of them the area of the whole
    surface, piece by piece (plica.measure.generated_manifold), against the mean of the factor at random latent points
Remark
    The rank of every piece is 2, the number of latent variables, except where so few units are active that the piece collapses.
"""

from __future__ import annotations

from functools import partial
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from plica._palette import MEASUREMENT, PREDICTION
from plica._types import Array
from plica.claims import Evidence, Row, control, row
from plica.geometry import Box, decompose
from plica.measure import generated_manifold
from plica.network import Linear, Network, Rectifier
from plica.theory.lengths import relu_expected_area

if TYPE_CHECKING:
    from matplotlib.axes import Axes

STATEMENT = "theorem"
EXPECTED = "holds"
KIND = "estimated"
SEE = ("generator-dimension", "relu-length-law")
SEED = 2019
WIDTH = 16


def weights(widths: tuple[int, ...], n: int, std: float, rng: np.random.Generator) -> list[tuple[Array, Array]]:
    """Matrices and biases of n networks, layer by layer."""
    shapes = pairwise(widths)
    return [(rng.normal(size=(n, m, k)) * std / np.sqrt(k), 0.3 * rng.normal(size=(n, m))) for k, m in shapes]


def factors(layers: list[tuple[Array, Array]], points: Array) -> Array:
    """By how much each network stretches areas at its point: the root of the determinant of the Jacobian's square."""
    x, jacobian = points, np.broadcast_to(np.eye(2), (len(points), 2, 2))
    for W, b in layers:
        x, jacobian = np.einsum("nij,nj->ni", W, x) + b, W @ jacobian
        x, jacobian = np.maximum(x, 0), jacobian * (x > 0)[:, :, None]
    return np.asarray(np.sqrt(np.maximum(np.linalg.det(jacobian.transpose(0, 2, 1) @ jacobian), 0)))


def check(scale: str) -> Evidence:
    rng = np.random.default_rng(SEED)
    n_networks, n_exact = (100_000, 20) if scale == "full" else (5_000, 1)
    rows: list[Row] = []
    for std in (1.0, 2.0):
        for depth in (1, 2, 3):
            widths = (2, *[WIDTH] * depth)
            found = factors(weights(widths, n_networks, std, rng), rng.uniform(-1, 1, size=(n_networks, 2)))
            error = float(found.std(ddof=1)) / np.sqrt(n_networks)
            predicted = relu_expected_area(widths, weight_std=std)
            about: dict[str, Any] = {"what": "area", "std": std, "layers": depth}
            rows.append(row(float(found.mean()), "=", predicted, kind="estimated", standard_error=error, **about))
    one = (2, WIDTH, 6)
    for i in range(n_exact):
        layers = weights(one, 1, 2.0, rng)
        operations = [part for W, b in layers for part in (Linear(W[0], b[0]), Rectifier())]
        surface = generated_manifold(decompose(Network.sequential(2, operations), Box([-1, -1], [1, 1])))
        points = rng.uniform(-1, 1, size=(8_000, 2))
        repeated = [(np.broadcast_to(W, (len(points), *W.shape[1:])), b) for W, b in layers]
        sampled = 4 * factors(repeated, points)
        error = float(sampled.std(ddof=1)) / np.sqrt(len(points))
        about = {"what": "one surface, sampled against exact", "network": i}
        rows.append(
            control(float(sampled.mean()), "=", surface.image_area.middle, kind="estimated", standard_error=error, **about)
        )
    return Evidence(rows, draw=partial(draw, [r for r in rows if r.role == "prediction"]), seed=SEED)


def draw(rows: list[Row], ax: Axes) -> None:
    """Areas against depth: dots measured, lines predicted."""
    for std, marker in ((1.0, "s"), (2.0, "o")):
        mine = [r for r in rows if r.parameters["std"] == std]
        depths = [r.parameters["layers"] for r in mine]
        ax.plot(depths, [r.predicted for r in mine], "-", color=PREDICTION, linewidth=0.9)
        label = f"standard deviation {std:g} of the weights"
        ax.plot(depths, [r.measured for r in mine], marker, color=MEASUREMENT, label=label)
    ax.set(yscale="log", xlabel="layers", ylabel="area of the surface over that of the square", xticks=[1, 2, 3])
    ax.legend(frameon=False)
    ax.spines[["top", "right"]].set_visible(False)
