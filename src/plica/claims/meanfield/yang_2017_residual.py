r"""Yang and Schoenholz: residual networks grow, exponentially with ReLU and linearly with tanh.

Claim
    In wide residual networks h_{l+1} = h_l + W phi(h_l) + b the mean square of h grows by 1 + sigma_w^2 / 2 a layer for ReLU and
    by at most sigma_w^2 + sigma_b^2 in total a layer for tanh. Where the sum takes s h_l, s^2 takes the place of that 1.
Source
    G. Yang, S. S. Schoenholz, Mean Field Residual Networks, NeurIPS 2017 [yang2017].
Prediction
    plica.theory.meanfield.MeanField with skip = s, its lengths
Measurement
    the mean square of the pre-activations over random residual networks (plica.measure.Ensemble), 4,000 units wide and drawn
    layer by layer; narrow networks with their matrices must agree
"""

from __future__ import annotations

from functools import partial
from math import sqrt
from typing import TYPE_CHECKING, Any

import numpy as np

from plica._palette import SERIES
from plica.claims import Evidence, control, row
from plica.claims.meanfield._inputs import clean
from plica.measure import Ensemble
from plica.theory.meanfield import MeanField

if TYPE_CHECKING:
    from matplotlib.axes import Axes

STATEMENT = "theorem"
EXPECTED = "holds"
KIND = "estimated"
SEE = ("poole-2016-length-map", "he-2015-variance")
SEED = 2017
DEPTH = 10


def check(scale: str) -> Evidence:
    width, n_networks = (20_000, 100) if scale == "full" else (4_000, 80)
    rows, curves = [], {}
    x = np.ones(8)
    for activation, sigma, bias_std, skip in (
        ("relu", 1.0, 0.0, 1.0),
        ("tanh", 1.5, 0.3, 1.0),
        ("erf", 1.0, 0.2, 1.0),
        ("relu", 1.2, 0.0, 0.5),
    ):
        field = MeanField(activation, sigma, bias_std, skip=skip)
        settings: dict[str, Any] = {
            "weight_std": sigma,
            "bias_std": bias_std,
            "activation": activation,
            "skip": skip,
            "seed": SEED,
        }
        found = Ensemble((8, *(width,) * DEPTH), n_networks=n_networks, **settings).estimate_forward(x)
        predicted = field.lengths(field.first_length(1.0), n_layers=DEPTH - 1)
        measured, errors = found.mean(found.lengths), found.standard_error(found.lengths)
        curves[activation if skip == 1 else f"{activation}, s = {skip:g}"] = (predicted, measured)
        about: dict[str, Any] = {"activation": activation, "sigma_w": sigma, "sigma_b": bias_std, "s": skip}
        for layer in (1, 4, DEPTH - 1):
            numbers: dict[str, Any] = {"kind": "estimated", "standard_error": float(errors[layer]), "tolerance": 10 / width}
            rows.append(
                row(float(measured[layer]), "=", float(predicted[layer]), layer=layer, quantity="mean square", **numbers, **about)
            )
        if skip == 1:
            narrow = Ensemble((8, *(60,) * 5), n_networks=1000, **settings)
            one, two = narrow.estimate_forward(x).lengths[:, -1], narrow.estimate_signal(x).lengths[:, -1]
            error = float(np.hypot(one.std(), two.std()) / sqrt(1000))
            quantity = "mean square, layer 4, width 60, from matrices"
            rows.append(
                control(
                    float(two.mean()), "=", float(one.mean()), kind="estimated", standard_error=error, quantity=quantity, **about
                )
            )
        if activation == "relu":
            rows.append(
                row(
                    float(predicted[-1] / predicted[-2]), "=", skip**2 + sigma**2 / 2, tolerance=1e-12, quantity="growth", **about
                )
            )
        else:
            growth = float(predicted[-1] - predicted[-2])
            rows.append(row(growth, "<=", sigma**2 + bias_std**2, quantity="growth", **about))
    return Evidence(rows, draw=partial(draw, curves), seed=SEED)


def draw(curves: dict[str, tuple[np.ndarray, np.ndarray]], ax: Axes) -> None:
    """Mean square against depth."""
    for color, (activation, (predicted, measured)) in zip(SERIES, curves.items(), strict=False):
        ax.plot(predicted, color=color, label=activation)
        ax.plot(measured, "o", color=color, markersize=4)
    clean(ax, "layer", "mean square of h (dots: networks)", yscale="log")
    ax.set_title(r"$h_{l+1} = h_l + W\varphi(h_l) + b$", fontsize=8)
