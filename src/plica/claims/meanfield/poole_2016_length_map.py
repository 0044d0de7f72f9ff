r"""Poole et al.: the length map.

Claim
    In wide random networks the mean square of the pre-activations follows q_{l+1} = sigma_w^2 E phi(sqrt(q_l) z)^2 + sigma_b^2,
    z a standard Gaussian number, and settles at its fixed point q*.
Source
    B. Poole, S. Lahiri, M. Raghu, J. Sohl-Dickstein, S. Ganguli, NeurIPS 2016, Figure 1 [poole2016].
Prediction
    plica.theory.meanfield.MeanField, its lengths
Measurement
    the mean over random networks of the mean square of the pre-activations of each layer (plica.measure.Ensemble), 4,000 units
    wide: given one layer the units of the next are independent, and are drawn without the matrix; narrow networks with their
    matrices must agree
"""

from __future__ import annotations

from functools import partial
from itertools import pairwise
from math import sqrt
from typing import TYPE_CHECKING, Any

import numpy as np

from plica._palette import INK, REFERENCE, SERIES
from plica.claims import Evidence, Row, control, row
from plica.claims.meanfield._inputs import clean
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
    width, n_networks = (20_000, 100) if scale == "full" else (4_000, 100)
    rows = []
    for activation, weight_std, bias_std in CASES:
        field = MeanField(activation, weight_std, bias_std)
        predicted = field.lengths(field.first_length(4.0), n_layers=4)
        about: dict[str, Any] = {"activation": activation, "sigma_w": weight_std, "sigma_b": bias_std}

        settings: dict[str, Any] = {"weight_std": weight_std, "bias_std": bias_std, "activation": activation, "seed": SEED}
        x = np.full(8, 2.0)
        found = Ensemble((8, *(width,) * 5), n_networks=n_networks, **settings).estimate_forward(x)
        measured, errors = found.mean(found.lengths), found.standard_error(found.lengths)
        for layer in (0, 1, 4):
            numbers: dict[str, Any] = {"kind": "estimated", "standard_error": float(errors[layer]), "tolerance": 4 / width}
            rows.append(row(float(measured[layer]), "=", float(predicted[layer]), layer=layer, **numbers, **about))
        # the same networks with their matrices, narrow: the units that were drawn have the law of these
        narrow = Ensemble((8, *(60,) * 3), n_networks=1000, **settings)
        one, other = narrow.estimate_forward(x).lengths[:, -1], narrow.estimate_signal(x).lengths[:, -1]
        error = float(np.hypot(one.std() / sqrt(len(one)), other.std() / sqrt(len(other))))
        controlled: dict[str, Any] = {"kind": "estimated", "standard_error": error, "layer": "2, width 60, from matrices"}
        rows.append(control(float(other.mean()), "=", float(one.mean()), **controlled, **about))
    return Evidence(rows, draw=partial(draw, [r for r in rows if r.role == "prediction"]), seed=SEED)


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
