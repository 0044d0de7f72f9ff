r"""On its edge of chaos ReLU forgets angles slowly: 1 - c like 9 pi^2 / (2 l^2).

Claim
    At He's initialization without biases the correlation of two inputs in a wide ReLU network converges to one like 1 - c_l ~
    9 pi^2 / (2 l^2), from every angle.
Source
    From the arc-cosine kernel of Y. Cho and L. K. Saul [cho2009] at the only critical point of ReLU, sigma_w^2 = 2; B. Poole et
    al. have the map [poole2016]. With a = arccos c, one layer takes a to a - a^2 / (3 pi) + ..., hence a ~ 3 pi / l.
Prediction
    9 pi^2 / 2 = 44.41, the limit of l^2 (1 - c_l); 1 / (3 pi), the growth of 1 / arccos c_l per layer, without the logarithm; the
    angle after 39 layers, from the arc-cosine kernel
Measurement
    plica.theory.meanfield.MeanField, its correlations, iterated 40,000 times; the mean angle of two inputs in random networks
    4,000 units wide (plica.measure.Ensemble)
Remark
    Correlations are doubles: far beyond 40,000 layers 1 - c is lost in the rounding near one. At 200,000 layers, where the full
    scale went first, l^2 (1 - c) came out as 30. So both scales iterate equally far, and the full one has more networks.
"""

from __future__ import annotations

from math import acos, cos, log, pi, sin, sqrt
from typing import TYPE_CHECKING, Any

import numpy as np

from plica._palette import PREDICTION, SERIES
from plica.claims import Evidence, row
from plica.claims.meanfield._inputs import clean
from plica.measure import Ensemble
from plica.theory.meanfield import MeanField

if TYPE_CHECKING:
    from matplotlib.axes import Axes

STATEMENT = "theorem"
EXPECTED = "holds"
KIND = "estimated"
SEE = ("poole-2016-correlation-map",)
LIMIT = 9 * pi**2 / 2
SEED = 2009


def check(scale: str) -> Evidence:
    field = MeanField("relu", sqrt(2.0))
    n_layers, n_networks = 40_000, 240 if scale == "full" else 60
    rows = []
    for start in (0.0, 0.9, -0.9):
        c = field.correlations(start, n_layers=n_layers)
        angles = np.arccos(np.clip(c, -1, 1))
        for layer in (10_000, n_layers):
            # 1/a grows by 1 / (3 pi) a layer, and by a logarithm: the slope between two layers has the limit
            growth = 3 * pi * float((1 / angles[layer] - 1 / angles[layer // 2]) / (layer - layer // 2))
            rows.append(
                row(growth, "=", 1.0, tolerance=2 / sqrt(layer), start=start, layer=layer, what="3 pi times growth of 1/a")
            )
        scaled = float(n_layers**2 * (1 - c[n_layers]))
        rows.append(
            row(scaled, "=", LIMIT, tolerance=8 * log(n_layers) / n_layers, start=start, layer=n_layers, what="l^2 (1 - c)")
        )
    found = Ensemble((2, *(4_000,) * 40), n_networks=n_networks, seed=SEED, weight_std=sqrt(2.0)).estimate_forward(np.eye(2))
    expected = angle_after(pi / 2, 39)
    measured = np.arccos(found.correlations[:, -1])
    error = float(measured.std() / sqrt(n_networks))
    about: dict[str, Any] = {"start": 0.0, "layer": 39, "what": "angle in networks 4,000 wide"}
    rows.append(row(float(measured.mean()), "=", expected, kind="estimated", standard_error=error, tolerance=2e-3, **about))
    return Evidence(rows, draw=draw, seed=SEED)


def angle_after(angle: float, n_layers: int) -> float:
    """The arc-cosine kernel in terms of the angle, iterated in plain floating point."""
    for _ in range(n_layers):
        angle = acos(min(1.0, (sin(angle) + (pi - angle) * cos(angle)) / pi))
    return angle


def draw(ax: Axes) -> None:
    """1 - c against depth for several angles, and the limit."""
    layers = np.arange(1, 1001)
    for color, start in zip(SERIES, (-0.9, 0.0, 0.9), strict=False):
        c = MeanField("relu", sqrt(2.0)).correlations(start, n_layers=1000)
        ax.plot(layers, 1 - c[1:], color=color, label=rf"$c_0$ = {start}")
    ax.plot(layers, LIMIT / layers**2, "--", color=PREDICTION, linewidth=1, label=r"$9\pi^2 / 2 l^2$")
    clean(ax, "layer", r"$1 - c_l$", xscale="log", yscale="log")
