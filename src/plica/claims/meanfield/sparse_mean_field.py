r"""Sparse random networks behave like dense ones with alpha sigma_w^2.

Claim
    If each weight is kept with probability alpha, the length map, the correlation map and the edge of chaos are those of dense
    networks with sigma_w^2 replaced by alpha sigma_w^2: weights of variance sigma_w^2 / alpha keep the network where it was.
Source
    From the maps of B. Poole et al. [poole2016] for the weights of I. Price and J. Tanner [price2019].
Prediction
    plica.theory.meanfield.MeanField with density alpha
Measurement
    lengths and correlations over random sparse networks (plica.measure.Ensemble)
"""

from __future__ import annotations

from functools import partial
from math import sqrt
from typing import TYPE_CHECKING, Any

import numpy as np

from plica._palette import PREDICTION, SERIES
from plica.claims import Evidence, row
from plica.claims.meanfield._inputs import clean, pair, relative
from plica.measure import Ensemble
from plica.theory.meanfield import MeanField, edge_of_chaos

if TYPE_CHECKING:
    from matplotlib.axes import Axes

STATEMENT = "theorem"
EXPECTED = "holds"
KIND = "estimated"
SEE = ("sparse-growth-threshold", "poole-2016-length-map")
SEED = 64
DEPTH = 6


def check(scale: str) -> Evidence:
    width, n_networks = (1000, 80) if scale == "full" else (300, 80)
    rows, curves = [], {}
    dense = edge_of_chaos("tanh", bias_std=0.2).weight_std
    x, y = pair(width, mean_square=1.0, correlation=0.5, seed=SEED)
    for density in (1.0, 0.5, 0.25):
        field = MeanField("tanh", dense / sqrt(density), 0.2, density=density)
        signal = Ensemble(
            (width,) * (DEPTH + 1),
            n_networks=n_networks,
            seed=SEED,
            weight_std=field.weight_std,
            bias_std=0.2,
            density=density,
            activation="tanh",
        ).estimate_signal(x, y)
        assert signal.correlations is not None
        about: dict[str, Any] = {"alpha": density}
        rows.append(row(field.chi_1, "=", 1.0, tolerance=1e-9, quantity="chi_1", layer="", **about))
        edge = edge_of_chaos("tanh", bias_std=0.2, density=density).weight_std
        rows.append(row(edge * sqrt(density), "=", dense, tolerance=1e-9, quantity="edge of chaos", layer="", **about))
        start = field.first_length(1.0)
        predicted_q = field.lengths(start, n_layers=DEPTH - 1)
        predicted_c = field.correlations((field.gain * 0.5 + 0.04) / start, n_layers=DEPTH - 1, length=start)
        curves[density] = (predicted_c, signal.mean(signal.correlations))
        for name, values, predicted in (("q", signal.lengths, predicted_q), ("c", signal.correlations, predicted_c)):
            mean, error = signal.mean(values), signal.standard_error(values)
            for layer in (1, DEPTH - 1):
                numbers: dict[str, Any] = {"kind": "estimated", "standard_error": float(error[layer])}
                slack = relative(1 / (density * width), predicted[layer])
                rows.append(
                    row(
                        float(mean[layer]),
                        "=",
                        float(predicted[layer]),
                        tolerance=slack,
                        quantity=name,
                        layer=layer,
                        **numbers,
                        **about,
                    )
                )
    return Evidence(rows, draw=partial(draw, curves), seed=SEED)


def draw(curves: dict[float, tuple[np.ndarray, np.ndarray]], ax: Axes) -> None:
    """Correlation against depth: one curve for all densities."""
    for color, (density, (_, measured)) in zip(SERIES, curves.items(), strict=False):
        ax.plot(measured, "o", color=color, markersize=5, alpha=0.7, label=rf"$\alpha$ = {density}")
    ax.plot(curves[1.0][0], color=PREDICTION, linewidth=1, label="mean field")
    clean(ax, "layer", r"$c_l$ on the edge of chaos", ylim=(0.4, 1.02))
