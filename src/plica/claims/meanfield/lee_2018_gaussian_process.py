r"""Lee et al.: wide random networks are Gaussian processes with a recursive kernel.

Claim
    The outputs of a wide random network with L hidden layers have the covariance K^L over inputs, with K^0 = sigma_w^2 x . y / d
    + sigma_b^2 and K^{l+1} = sigma_w^2 E phi(u) phi(v) + sigma_b^2, (u, v) Gaussian with covariance K^l; for ReLU this is the
    arc-cosine kernel.
Source
    J. Lee, Y. Bahri, R. Novak, S. S. Schoenholz, J. Pennington, J. Sohl-Dickstein, ICLR 2018 [lee2018]; Y. Cho, L. K. Saul,
    NIPS 2009 [cho2009].
Prediction
    plica.theory.kernels.nngp, and plica.theory.kernels.arc_cosine for one ReLU layer
Measurement
    the mean covariance of outputs of random networks (plica.measure.Ensemble), 4,000 units wide and drawn layer by layer; narrow
    networks with their matrices must agree
"""

from __future__ import annotations

from functools import partial
from math import sqrt
from typing import TYPE_CHECKING, Any

import numpy as np

from plica._palette import SERIES
from plica.claims import Evidence, control, row
from plica.claims.meanfield._inputs import clean, relative
from plica.measure import Ensemble
from plica.theory.kernels import arc_cosine, nngp

if TYPE_CHECKING:
    from matplotlib.axes import Axes

STATEMENT = "theorem"
EXPECTED = "holds"
KIND = "estimated"
SEE = ("jacot-2018-tangent-kernel", "poole-2016-correlation-map")
SEED = 1711


def check(scale: str) -> Evidence:
    width, n_networks = (20_000, 200) if scale == "full" else (4_000, 200)
    x = np.random.default_rng(SEED).standard_normal((3, 8))
    rows = []
    for activation, sigma, bias_std, depth in (("relu", sqrt(2.0), 0.0, 3), ("erf", 1.5, 0.3, 3), ("gelu", 1.5, 0.2, 2)):
        kernel = nngp(x, depth=depth, weight_std=sigma, bias_std=bias_std, activation=activation)
        settings: dict[str, Any] = {"weight_std": sigma, "bias_std": bias_std, "activation": activation, "seed": SEED}
        found = Ensemble((8, *[width] * depth), n_networks=n_networks, **settings).estimate_forward(x)
        outputs = sigma**2 * found.activations[:, -1] + bias_std**2
        mean, error = found.mean(outputs), found.standard_error(outputs)
        scale_of = float(np.sqrt(np.outer(np.diag(kernel), np.diag(kernel))).max())
        for i, j in ((0, 0), (0, 1), (1, 2)):
            about: dict[str, Any] = {"activation": activation, "L": depth, "pair": (i, j)}
            slack = relative(4 * scale_of / width, kernel[i, j])
            about |= {"kind": "estimated", "standard_error": float(error[i, j]), "tolerance": slack}
            rows.append(row(float(mean[i, j]), "=", float(kernel[i, j]), **about))
        # networks 60 units wide, drawn in both ways, and through gradients of their matrices
        narrow = Ensemble((8, *[60] * depth), n_networks=1000, **settings)
        one, two = narrow.estimate_forward(x), narrow.estimate_kernels(x)
        first, second = sigma**2 * one.activations[:, -1, 0, 0] + bias_std**2, two.nngp[:, 0, 0]
        apart = float(np.hypot(first.std(), second.std()) / sqrt(1000))
        controlled: dict[str, Any] = {"kind": "estimated", "standard_error": apart, "activation": activation, "L": depth}
        rows.append(control(float(second.mean()), "=", float(first.mean()), pair="(0, 0), width 60, from matrices", **controlled))
    one_layer = nngp(x, depth=1, weight_std=sqrt(2.0))
    rows.append(
        row(
            float(one_layer[0, 1]),
            "=",
            float(2 * arc_cosine(x, x)[0, 1] / 8),
            tolerance=1e-12,
            activation="relu",
            L=1,
            pair=(0, 1),
        )
    )
    return Evidence(rows, draw=partial(draw, 256), seed=SEED)


def draw(width: int, ax: Axes) -> None:
    """Kernels on the circle against the angle: closed forms as lines, networks as dots."""
    angle = np.linspace(0, np.pi, 13)
    circle = np.column_stack([np.cos(angle), np.sin(angle)]) * sqrt(2)
    for color, depth in zip(SERIES, (1, 3, 8), strict=False):
        ax.plot(angle, nngp(circle[:1], circle, depth=depth)[0] / 2, color=color, label=f"ReLU, L = {depth}")
        found = Ensemble((2, *[width] * depth), n_networks=20, seed=SEED, weight_std=sqrt(2)).estimate_kernels(circle)
        ax.plot(angle, found.mean(found.nngp)[0] / 2, "o", color=color, markersize=3)
    clean(ax, "angle", r"$K^L / K^L(0)$", ylim=(0, None))
