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
    of chaos of tanh (plica.measure.Ensemble), 4,000 units wide and drawn layer by layer; narrow networks with their matrices
    must agree
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
    width, n_networks = (20_000, 100) if scale == "full" else (4_000, 80)
    edge = edge_of_chaos("tanh", bias_std=0.2)
    x = np.ones((2, 8))  # the same input twice
    rows, curves = [], {}
    for keep in (1.0, 0.98, 0.9, 0.8):
        field = MeanField("tanh", edge.weight_std, 0.2, keep=keep)
        settings: dict[str, Any] = {
            "weight_std": edge.weight_std,
            "bias_std": 0.2,
            "activation": "tanh",
            "keep": keep,
            "seed": SEED,
        }
        found = Ensemble((8, *(width,) * DEPTH), n_networks=n_networks, **settings).estimate_forward(x)
        predicted = field.correlations(1.0, n_layers=DEPTH - 1, length=field.first_length(1.0))
        measured, errors = found.mean(found.correlations), found.standard_error(found.correlations)
        curves[keep] = (predicted, measured)
        for layer in (1, 3, DEPTH - 1):
            about: dict[str, Any] = {"keep": keep, "layer": layer, "kind": "estimated", "standard_error": float(errors[layer])}
            about["tolerance"] = relative(1e-12 if keep == 1 else 4 / width, predicted[layer])
            rows.append(row(float(measured[layer]), "=", float(predicted[layer]), **about))
        if keep < 1:
            rows.append(row(field.fixed_correlation, "<", 1.0, keep=keep, layer="c*"))
            narrow = Ensemble((8, *(60,) * 4), n_networks=1000, **settings)
            drawn, built = narrow.estimate_forward(x), narrow.estimate_signal(*x)
            assert built.correlations is not None
            for quantity, one, two in (("c", drawn.correlations, built.correlations), ("q", drawn.lengths, built.lengths)):
                error = float(np.hypot(one[:, -1].std(), two[:, -1].std()) / sqrt(1000))
                controlled: dict[str, Any] = {"kind": "estimated", "standard_error": error, "keep": keep}
                layer_name = f"3, width 60, {quantity} from matrices"
                rows.append(control(float(two[:, -1].mean()), "=", float(one[:, -1].mean()), layer=layer_name, **controlled))
    return Evidence(rows, draw=partial(draw, curves), seed=SEED)


def draw(curves: dict[float, tuple[np.ndarray, np.ndarray]], ax: Axes) -> None:
    """Correlation of an input with itself against depth."""
    for color, (keep, (predicted, measured)) in zip(SERIES, curves.items(), strict=False):
        ax.plot(predicted, color=color, label=f"keep {keep:g}")
        ax.plot(measured, "o", color=color, markersize=3)
    clean(ax, "layer", r"$c_l$ of equal inputs", ylim=(0, 1.05))
