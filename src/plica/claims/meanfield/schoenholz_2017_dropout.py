r"""Schoenholz et al.: dropout destroys the critical point.

Claim
    With dropout, equal inputs become unequal in a wide random network: correlations converge to c* < 1 even where chi_1 = 1, so
    the correlation depth scale is finite for all sigma_w and sigma_b. Squared gradients grow by chi_1 = sigma_w^2 E phi'^2 / rho
    a layer, with rho the share of units that is kept.
Source
    S. S. Schoenholz, J. Gilmer, S. Ganguli, J. Sohl-Dickstein, ICLR 2017 [schoenholz2017].
Prediction
    plica.theory.meanfield.MeanField with keep below one: its correlations from c = 1, c* and chi_1
Measurement
    the mean correlation of the pre-activations at one input seen through two independent masks, over random networks on the edge
    of chaos of tanh (plica.measure.Ensemble), 4,000 units wide and drawn layer by layer; narrow networks with their matrices
    must agree; the mean square of gradients sent back through matrices; the map of correlations iterated 300 times
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
            iterated = float(field.correlations(1.0, n_layers=300)[-1])
            rows.append(
                row(iterated, "=", field.fixed_correlation, tolerance=1e-9, keep=keep, layer="300, from the fixed length")
            )
            growth, growth_error = growth_of_gradients(field, n_networks)
            about = {"keep": keep, "layer": "growth of gradients", "kind": "estimated", "standard_error": growth_error}
            rows.append(row(growth, "=", field.chi_1, tolerance=0.01, **about))
            narrow = Ensemble((8, *(60,) * 4), n_networks=1000, **settings)
            drawn, built = narrow.estimate_forward(x), narrow.estimate_signal(*x)
            assert built.correlations is not None
            for quantity, one, two in (("c", drawn.correlations, built.correlations), ("q", drawn.lengths, built.lengths)):
                error = float(np.hypot(one[:, -1].std(), two[:, -1].std()) / sqrt(1000))
                controlled: dict[str, Any] = {"kind": "estimated", "standard_error": error, "keep": keep}
                layer_name = f"3, width 60, {quantity} from matrices"
                rows.append(control(float(two[:, -1].mean()), "=", float(one[:, -1].mean()), layer=layer_name, **controlled))
    return Evidence(rows, draw=partial(draw, curves), seed=SEED)


def growth_of_gradients(field: MeanField, n_networks: int) -> tuple[float, float]:
    """The factor of squared gradients per layer, at the fixed length, over networks of width 300; its standard error."""
    width, depth = 300, 8
    ensemble = Ensemble(
        (width,) * (depth + 1),
        n_networks=n_networks,
        seed=SEED,
        weight_std=field.weight_std,
        bias_std=field.bias_std,
        activation=field.phi.name,
        keep=field.keep,
    )
    start = sqrt((field.fixed_length() - field.bias_std**2) / field.gain)  # the first layer is at the fixed length
    gradients = ensemble.estimate_signal(np.full(width, start)).gradients
    first, last = gradients[:, 0], gradients[:, -2]
    growth = float((first.mean() / last.mean()) ** (1 / (depth - 2)))
    return growth, float(((first / last) ** (1 / (depth - 2))).std(ddof=1) / sqrt(n_networks))


def draw(curves: dict[float, tuple[np.ndarray, np.ndarray]], ax: Axes) -> None:
    """Correlation of an input with itself against depth."""
    for color, (keep, (predicted, measured)) in zip(SERIES, curves.items(), strict=False):
        ax.plot(predicted, color=color, label=f"keep {keep:g}")
        ax.plot(measured, "o", color=color, markersize=3)
    clean(ax, "layer", r"$c_l$ of equal inputs", ylim=(0, 1.05))
