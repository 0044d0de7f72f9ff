r"""He et al.: rectifiers need twice the variance.

Claim
    In wide ReLU networks the variance of the signal is multiplied by n_in Var w / 2 a layer: it stays with Var w = 2 / n_in, and
    halves with the variance 1 / n_in that suits tanh; with slope a on the negative side the factor is (1 + a^2) n_in Var w / 2.
Source
    K. He, X. Zhang, S. Ren, J. Sun, ICCV 2015 [he2015].
Prediction
    n Var w times (n Var w (1 + a^2) / 2)^l after layer l, from inputs of mean square 1: constant for 2 / (1 + a^2) n
Measurement
    the mean square of the pre-activations over random networks (plica.measure.Ensemble), 4,000 units wide and drawn layer by
    layer; the lengths of plica.theory.meanfield.MeanField; what plica.theory.meanfield.weight_std_of and torch call by this name
"""

from __future__ import annotations

from functools import partial
from math import sqrt
from typing import TYPE_CHECKING, Any

import numpy as np

from plica._palette import SERIES
from plica.claims import Evidence, Row, row
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
    width, n_networks = (20_000, 100) if scale == "full" else (4_000, 100)
    rows, curves = [], {}
    cases = (
        # activation, its slope below zero, n Var w, the factor of a layer
        ("ReLU, 2 / n", "relu", 0.0, 2.0, 1.0),
        ("ReLU, 1 / n", "relu", 0.0, 1.0, 1 / 2),
        ("leaky ReLU, 2 / (1 + a^2) n", "leaky-relu", 0.25, 2 / (1 + 0.25**2), 1.0),
        ("leaky ReLU, 2 / n", "leaky-relu", 0.25, 2.0, 1 + 0.25**2),
    )
    for name, activation, slope, variance, factor in cases:
        ensemble = Ensemble(
            (8, *(width,) * DEPTH),
            n_networks=n_networks,
            seed=SEED,
            weight_std=sqrt(variance),
            activation=activation,
            slope=slope,
        )
        lengths = ensemble.estimate_forward(np.ones(8)).lengths
        predicted = variance * factor ** np.arange(DEPTH)
        curves[name] = (predicted, lengths)
        for layer in (1, DEPTH - 1):
            error = float(lengths[:, layer].std(ddof=1) / sqrt(n_networks))
            mean = float(lengths[:, layer].mean())
            rows.append(
                row(mean, "=", float(predicted[layer]), kind="estimated", standard_error=error, layer=layer, network=name)
            )
        field = MeanField(activation, sqrt(variance), slope=slope or None)
        iterated = field.lengths(field.first_length(1.0), n_layers=DEPTH - 1)
        rows.append(row(float(iterated[-1]), "=", float(predicted[-1]), tolerance=1e-12, layer="map", network=name))
    for slope in (0.0, 0.25):
        named = weight_std_of("he", slope=slope) ** 2
        rows.append(
            row(named, "=", 2 / (1 + slope**2), tolerance=1e-12, layer="n Var w", network=f"weight_std_of, slope {slope:g}")
        )
        rows.append(initialized(slope, 400 if scale == "full" else 200))
    return Evidence(rows, draw=partial(draw, curves), seed=SEED)


def initialized(slope: float, width: int) -> Row:
    """n Var w of torch's own initialization by this rule, with its standard error."""
    import torch

    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(SEED)
        W = torch.empty(width, width)
        torch.nn.init.kaiming_normal_(W, a=slope)
        squares = width * W.double().square().flatten()
        error = float(squares.std() / sqrt(squares.numel()))
    measured = float(squares.mean())
    about: dict[str, Any] = {"layer": "n Var w", "network": f"initialized by torch, slope {slope:g}"}
    return row(measured, "=", 2 / (1 + slope**2), kind="estimated", standard_error=error, **about)


def draw(curves: dict[str, tuple[np.ndarray, np.ndarray]], ax: Axes) -> None:
    """Mean square against depth, with the spread from network to network."""
    for color, (name, (predicted, lengths)) in zip(SERIES, curves.items(), strict=False):
        low, high = np.quantile(lengths, [0.05, 0.95], axis=0)
        ax.fill_between(range(len(predicted)), low, high, color=color, alpha=0.15, linewidth=0)
        ax.plot(predicted, color=color, label=name)
        ax.plot(lengths.mean(0), "o", color=color, markersize=3)
    clean(ax, "layer", "mean square (shade: 90 % of networks)", yscale="log")
