r"""Poole et al.: the correlation map, and how angles converge.

Claim
    In wide random networks the correlation of the pre-activations at two inputs of length q* follows c_{l+1} = (sigma_w^2
    E phi(u_1) phi(u_2) + sigma_b^2) / q*, and converges to the same c* from every angle: to one in the ordered phase, to less
    in the chaotic phase.
Source
    B. Poole, S. Lahiri, M. Raghu, J. Sohl-Dickstein, S. Ganguli, NeurIPS 2016, Figure 2 [poole2016].
Prediction
    plica.theory.meanfield.MeanField, its correlations and its fixed_correlation
Measurement
    the mean correlation over random networks in each layer (plica.measure.Ensemble), 4,000 units wide and drawn layer by layer,
    from several angles; narrow networks with their matrices must agree
"""

from __future__ import annotations

from functools import partial
from math import sqrt
from typing import TYPE_CHECKING, Any

import numpy as np

from plica._palette import SERIES
from plica.claims import Evidence, control, row
from plica.claims.meanfield._inputs import clean, pair, relative
from plica.measure import Ensemble
from plica.theory.meanfield import MeanField

if TYPE_CHECKING:
    from matplotlib.axes import Axes

STATEMENT = "theorem"
EXPECTED = "holds"
KIND = "estimated"
SEE = ("poole-2016-length-map", "poole-2016-phases")
SEED = 1606
CASES = (("tanh", 1.1, 0.3), ("tanh", 2.5, 0.3), ("erf", 2.0, 0.3), ("hard-tanh", 2.0, 0.5))
DEPTH = 10


def start(field: MeanField, correlation: float, width: int = 64) -> tuple[np.ndarray, np.ndarray]:
    """Inputs that give the first layer the length q* and the given correlation."""
    q, offset = field.fixed_length(), field.bias_std**2
    inner = (correlation * q - offset) / (q - offset)
    return pair(width, mean_square=(q - offset) / field.weight_std**2, correlation=inner, seed=SEED)


def check(scale: str) -> Evidence:
    width, n_networks = (20_000, 100) if scale == "full" else (4_000, 120)
    rows, curves = [], {}
    for activation, weight_std, bias_std in CASES:
        field = MeanField(activation, weight_std, bias_std)
        settings: dict[str, Any] = {"weight_std": weight_std, "bias_std": bias_std, "activation": activation, "seed": SEED}
        for c0 in (0.2, 0.8):
            points = np.stack(start(field, c0))
            found = Ensemble((64, *(width,) * DEPTH), n_networks=n_networks, **settings).estimate_forward(points)
            predicted = field.correlations(c0, n_layers=DEPTH - 1)
            measured, errors = found.mean(found.correlations), found.standard_error(found.correlations)
            curves[activation, weight_std, c0] = (predicted, measured)
            about: dict[str, Any] = {"activation": activation, "sigma_w": weight_std, "start": c0}
            for layer in (0, 2, DEPTH - 1):
                numbers: dict[str, Any] = {"kind": "estimated", "standard_error": float(errors[layer])}
                numbers["tolerance"] = relative(4 / width, predicted[layer])
                rows.append(row(float(measured[layer]), "=", float(predicted[layer]), layer=layer, **numbers, **about))
        limit = field.fixed_correlation
        rows.append(row(float(field.correlation_map(limit)), "=", limit, tolerance=1e-9, layer="c*", **(about | {"start": "c*"})))
        # narrow networks with their matrices have the same law
        narrow = Ensemble((64, *(60,) * 3), n_networks=1000, **settings)
        one, two = narrow.estimate_forward(points).correlations[:, -1], narrow.estimate_signal(*points).correlations
        assert two is not None
        error = float(np.hypot(one.std(), two[:, -1].std()) / sqrt(1000))
        controlled: dict[str, Any] = {"kind": "estimated", "standard_error": error, "layer": "2, width 60, from matrices"}
        rows.append(control(float(two[:, -1].mean()), "=", float(one.mean()), **controlled, **about))
    return Evidence(rows, draw=partial(draw, curves), seed=SEED)


def draw(curves: dict[tuple[str, float, float], tuple[np.ndarray, np.ndarray]], ax: Axes) -> None:
    """Correlation against depth: the maps as lines, networks as dots."""
    names = list(dict.fromkeys((a, s) for a, s, _ in curves))
    for (activation, weight_std, c0), (predicted, measured) in curves.items():
        color = SERIES[names.index((activation, weight_std))]
        label = rf"{activation}, $\sigma_w$ = {weight_std:g}" if c0 < 0.5 else None
        ax.plot(predicted, color=color, label=label)
        ax.plot(measured, "o", color=color, markersize=3)
    clean(ax, "layer", r"$c_l$", ylim=(0, 1.05))
