r"""He et al.: rectifiers need twice the variance.

Claim
    In wide ReLU networks the variance of the signal is multiplied by n_in Var w / 2 a layer: it stays with Var w = 2 / n_in, and
    halves with the variance 1 / n_in that suits tanh; with slope a on the negative side the factor is (1 + a^2) n_in Var w / 2.
Source
    K. He, X. Zhang, S. Ren, J. Sun, ICCV 2015 [he2015].
Prediction
    plica.theory.meanfield.MeanField, its lengths; plica.theory.meanfield.weight_std_of("he") is the edge of chaos
Measurement
    the mean square of the pre-activations over random networks (plica.measure.Ensemble)
"""

from __future__ import annotations

from functools import partial
from math import sqrt
from typing import TYPE_CHECKING, Any

import numpy as np

from plica._palette import SERIES
from plica.claims import Evidence, row
from plica.claims.meanfield._inputs import clean
from plica.measure import Ensemble
from plica.theory.meanfield import MeanField, weight_std_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes

STATEMENT = "theorem"
EXPECTED = "holds"
KIND = "estimated"
SEE = ("glorot-2010-variance",)
SEED = 2015
DEPTH = 8


def check(scale: str) -> Evidence:
    width, n_networks = (512, 200) if scale == "full" else (128, 200)
    rows, curves = [], {}
    for name, activation, slope, sigma in (
        ("ReLU, 2 / n", "relu", None, weight_std_of("he")),
        ("ReLU, 1 / n", "relu", None, 1.0),
        ("leaky ReLU, 2 / (1 + a^2) n", "leaky-relu", 0.25, weight_std_of("he", slope=0.25)),
        ("leaky ReLU, 2 / n", "leaky-relu", 0.25, sqrt(2.0)),
    ):
        field = MeanField(activation, sigma, slope=slope)
        ensemble = Ensemble(
            (width,) * (DEPTH + 1), n_networks=n_networks, seed=SEED, weight_std=sigma, activation=activation, slope=slope or 0.0
        )
        lengths = ensemble.estimate_signal(np.ones(width)).lengths
        predicted = field.lengths(field.first_length(1.0), n_layers=DEPTH - 1)
        curves[name] = (predicted, lengths)
        about: dict[str, Any] = {"network": name}
        for layer in (1, DEPTH - 1):
            error = float(lengths[:, layer].std(ddof=1) / sqrt(n_networks))
            mean = float(lengths[:, layer].mean())
            rows.append(row(mean, "=", float(predicted[layer]), kind="estimated", standard_error=error, layer=layer, **about))
    return Evidence(rows, draw=partial(draw, curves), seed=SEED)


def draw(curves: dict[str, tuple[np.ndarray, np.ndarray]], ax: Axes) -> None:
    """Mean square against depth, with the spread from network to network."""
    for color, (name, (predicted, lengths)) in zip(SERIES, curves.items(), strict=False):
        low, high = np.quantile(lengths, [0.05, 0.95], axis=0)
        ax.fill_between(range(len(predicted)), low, high, color=color, alpha=0.15, linewidth=0)
        ax.plot(predicted, color=color, label=name)
        ax.plot(lengths.mean(0), "o", color=color, markersize=3)
    clean(ax, "layer", "mean square (shade: 90 % of networks)", yscale="log")
