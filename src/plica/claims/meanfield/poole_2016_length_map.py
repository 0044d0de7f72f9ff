r"""Poole et al.: the length map.

Claim
    In wide random networks the mean square of the pre-activations follows q_{l+1} = sigma_w^2 E phi(sqrt(q_l) z)^2 + sigma_b^2,
    z a standard Gaussian number, and settles at its fixed point q*.
Source
    B. Poole, S. Lahiri, M. Raghu, J. Sohl-Dickstein, S. Ganguli, NeurIPS 2016, Figure 1 [poole2016].
Prediction
    plica.theory.meanfield.MeanField, its lengths
Measurement
    the mean over random networks of the mean square of the pre-activations of each layer (plica.measure.Ensemble)
"""

from __future__ import annotations

from functools import partial
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from plica._palette import INK, REFERENCE, SERIES
from plica.claims import Evidence, Row, row
from plica.claims.meanfield._inputs import clean, pair
from plica.measure import Ensemble
from plica.theory.meanfield import MeanField

if TYPE_CHECKING:
    from matplotlib.axes import Axes

STATEMENT = "theorem"
EXPECTED = "holds"
KIND = "estimated"
SEE = ("poole-2016-correlation-map", "schoenholz-2017-depth-scale")
SEED = 1606
CASES = (
    ("tanh", 1.3, 0.3),
    ("tanh", 4.0, 0.3),
    ("erf", 1.5, 0.1),
    ("hard-tanh", 2.5, 0.3),
    ("relu", 1.2, 0.5),
    ("gelu", 1.5, 0.5),
)


def check(scale: str) -> Evidence:
    width, n_networks = (1000, 40) if scale == "full" else (300, 24)
    rows = []
    for activation, weight_std, bias_std in CASES:
        field = MeanField(activation, weight_std, bias_std)
        x, _ = pair(width, mean_square=4.0, correlation=0.0, seed=SEED)
        signal = Ensemble(
            (width,) * 6, n_networks=n_networks, seed=SEED, weight_std=weight_std, bias_std=bias_std, activation=activation
        ).estimate_signal(x)
        predicted = field.lengths(field.first_length(4.0), n_layers=4)
        measured, errors = signal.mean(signal.lengths), signal.standard_error(signal.lengths)
        for layer in (0, 1, 4):
            rows.append(
                row(
                    float(measured[layer]),
                    "=",
                    float(predicted[layer]),
                    kind="estimated",
                    standard_error=float(errors[layer]),
                    tolerance=3 / width,
                    activation=activation,
                    sigma_w=weight_std,
                    sigma_b=bias_std,
                    layer=layer,
                )
            )
    return Evidence(rows, draw=partial(draw, rows), seed=SEED)


def draw(rows: list[Row], ax: Axes) -> None:
    """The maps of tanh with their fixed points on the diagonal, and measured steps."""
    q = np.linspace(0.0, 16.0, 120)
    ax.plot(q, q, color=REFERENCE, linewidth=0.8)
    for color, weight_std in zip(SERIES, (1.3, 2.5, 4.0), strict=False):
        field = MeanField("tanh", weight_std, 0.3)
        ax.plot(q, field.length_map(q), color=color, label=rf"tanh, $\sigma_w$ = {weight_std}")
        ax.plot([field.fixed_length()], [field.fixed_length()], "o", color=color, markersize=5)
    chosen = [r for r in rows if r.parameters["activation"] == "tanh"]
    for first, second in pairwise(chosen):
        if (first.parameters["layer"], second.parameters["layer"]) == (0, 1):
            ax.plot([first.measured], [second.measured], "x", color=INK)
    clean(ax, r"$q_l$", r"$q_{l+1}$ (crosses: measured)", xlim=(0, 16), ylim=(0, 16))
