r"""On its edge of chaos ReLU forgets angles slowly: 1 - c like 9 pi^2 / (2 l^2).

Claim
    At He's initialization without biases the correlation of two inputs in a wide ReLU network converges to one like 1 - c_l ~
    9 pi^2 / (2 l^2), from every angle.
Source
    From the arc-cosine kernel of Y. Cho and L. K. Saul [cho2009] at the only critical point of ReLU, sigma_w^2 = 2; B. Poole et
    al. have the map [poole2016]. With a = arccos c, one layer takes a to a - a^2 / (3 pi) + ..., hence a ~ 3 pi / l.
Prediction
    9 pi^2 / 2 = 44.41, the limit of l^2 (1 - c_l)
Measurement
    plica.theory.meanfield.MeanField, its correlations, iterated 10^4 times; the deviation is of the order of log(l) / l
"""

from __future__ import annotations

from math import log, pi, sqrt
from typing import TYPE_CHECKING

import numpy as np

from plica._palette import PREDICTION, SERIES
from plica.claims import Evidence, row
from plica.claims.meanfield._inputs import clean
from plica.theory.meanfield import MeanField

if TYPE_CHECKING:
    from matplotlib.axes import Axes

STATEMENT = "theorem"
EXPECTED = "holds"
KIND = "exact"
SEE = ("poole-2016-correlation-map",)
LIMIT = 9 * pi**2 / 2


def check(scale: str) -> Evidence:
    field = MeanField("relu", sqrt(2.0))
    n_layers = 50_000 if scale == "full" else 10_000
    rows = []
    for start in (0.0, 0.9, -0.9):
        c = field.correlations(start, n_layers=n_layers)
        for layer in (100, 1000, n_layers):
            scaled = float(layer**2 * (1 - c[layer]))
            rows.append(row(scaled, "=", LIMIT, tolerance=8 * log(layer) / layer, start=start, layer=layer))
    return Evidence(rows, draw=draw)


def draw(ax: Axes) -> None:
    """1 - c against depth for several angles, and the limit."""
    layers = np.arange(1, 1001)
    for color, start in zip(SERIES, (-0.9, 0.0, 0.9), strict=False):
        c = MeanField("relu", sqrt(2.0)).correlations(start, n_layers=1000)
        ax.plot(layers, 1 - c[1:], color=color, label=rf"$c_0$ = {start}")
    ax.plot(layers, LIMIT / layers**2, "--", color=PREDICTION, linewidth=1, label=r"$9\pi^2 / 2 l^2$")
    clean(ax, "layer", r"$1 - c_l$", xscale="log", yscale="log")
