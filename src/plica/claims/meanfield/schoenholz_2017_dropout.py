r"""Schoenholz et al.: dropout destroys the critical point.

Claim
    With dropout, equal inputs become unequal in a wide random network: correlations converge to c* < 1 even where chi_1 = 1, so
    the correlation depth scale is finite for all sigma_w and sigma_b.
Source
    S. S. Schoenholz, J. Gilmer, S. Ganguli, J. Sohl-Dickstein, ICLR 2017 [schoenholz2017].
Prediction
    plica.theory.meanfield.MeanField with keep below one: its correlations from c = 1
Measurement
    the mean correlation of the pre-activations at one input seen through two independent masks, over random networks on the edge
    of chaos of tanh (plica.measure.Ensemble)
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from plica._palette import SERIES
from plica.claims import Evidence, row
from plica.claims.meanfield._inputs import clean, pair, relative
from plica.measure import Ensemble
from plica.theory.meanfield import MeanField, edge_of_chaos

if TYPE_CHECKING:
    from matplotlib.axes import Axes

STATEMENT = "theorem"
EXPECTED = "holds"
KIND = "estimated"
SEE = ("schoenholz-2017-depth-scale",)
SEED = 42
DEPTH = 12


def check(scale: str) -> Evidence:
    width, n_networks = (1000, 60) if scale == "full" else (250, 40)
    edge = edge_of_chaos("tanh", bias_std=0.2)
    rows, curves = [], {}
    for keep in (1.0, 0.98, 0.9, 0.5):
        field = MeanField("tanh", edge.weight_std, 0.2, keep=keep)
        x, _ = pair(width, mean_square=1.0, correlation=1.0, seed=SEED)
        signal = Ensemble(
            (width,) * (DEPTH + 1),
            n_networks=n_networks,
            seed=SEED,
            weight_std=edge.weight_std,
            bias_std=0.2,
            activation="tanh",
            keep=keep,
        ).estimate_signal(x, x)
        assert signal.correlations is not None
        predicted = field.correlations(1.0, n_layers=DEPTH - 1, length=field.first_length(1.0))
        measured, errors = signal.mean(signal.correlations), signal.standard_error(signal.correlations)
        curves[keep] = (predicted, measured)
        for layer in (1, 3, DEPTH - 1):
            about: dict[str, Any] = {"keep": keep, "layer": layer}
            slack = relative(1e-12 if keep == 1 else 4 / width, predicted[layer])
            error = float(errors[layer])
            rows.append(
                row(
                    float(measured[layer]),
                    "=",
                    float(predicted[layer]),
                    kind="estimated",
                    standard_error=error,
                    tolerance=slack,
                    **about,
                )
            )
        if keep < 1:
            rows.append(row(field.fixed_correlation, "<", 1.0, keep=keep, layer="c*"))
    return Evidence(rows, draw=partial(draw, curves), seed=SEED)


def draw(curves: dict[float, tuple[np.ndarray, np.ndarray]], ax: Axes) -> None:
    """Correlation of an input with itself against depth."""
    for color, (keep, (predicted, measured)) in zip(SERIES, curves.items(), strict=False):
        ax.plot(predicted, color=color, label=f"keep {keep:g}")
        ax.plot(measured, "o", color=color, markersize=3)
    clean(ax, "layer", r"$c_l$ of equal inputs", ylim=(0, 1.05))
