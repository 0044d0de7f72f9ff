r"""Pennington et al.: orthogonal tanh networks can be isometries, ReLU networks cannot.

Claim
    With orthogonal weights on the edge of chaos, the variance of the squared singular values of the Jacobian of L tanh layers
    goes to zero with sigma_b, for every L; for ReLU it is L.
Source
    J. Pennington, S. S. Schoenholz, S. Ganguli, NeurIPS 2017 [pennington2017].
Prediction
    plica.theory.meanfield.JacobianSpectrum, its variance over its squared mean, at
    plica.theory.meanfield.edge_of_chaos; L for ReLU
Measurement
    singular values of Jacobians of random networks with orthogonal weights (plica.measure.Ensemble)
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from plica._palette import SERIES
from plica.claims import Evidence, row
from plica.claims.meanfield._inputs import clean, pair
from plica.measure import Ensemble
from plica.theory.meanfield import JacobianSpectrum, edge_of_chaos

if TYPE_CHECKING:
    from matplotlib.axes import Axes

STATEMENT = "theorem"
EXPECTED = "holds"
KIND = "estimated"
SEE = ("pennington-2017-variance", "pennington-2018-spectrum")
SEED = 1711
DEPTH = 10


def check(scale: str) -> Evidence:
    width, n_networks = (400, 40) if scale == "full" else (120, 80)
    rows, spectra = [], {}
    for activation, bias_std in (("tanh", 0.1), ("tanh", 0.01), ("tanh", 0.001), ("relu", 0.0)):
        edge = edge_of_chaos(activation, bias_std=bias_std)
        spectrum = JacobianSpectrum(activation, depth=DEPTH, weight_std=edge.weight_std, length=edge.length, weights="orthogonal")
        x, _ = pair(width, mean_square=(edge.length - bias_std**2) / edge.weight_std**2, correlation=0.0, seed=SEED)
        found = Ensemble(
            (width,) * (DEPTH + 1),
            n_networks=n_networks,
            seed=SEED,
            weights="orthogonal",
            weight_std=edge.weight_std,
            bias_std=bias_std,
            activation=activation,
        ).estimate_jacobians(x)
        spectra[activation, bias_std] = found.singular_values.reshape(-1)
        measured, error = found.relative_variance
        about: dict[str, Any] = {"activation": activation, "sigma_b": bias_std, "L": DEPTH}
        predicted = spectrum.variance / spectrum.mean**2
        rows.append(row(measured, "=", predicted, kind="estimated", standard_error=error, tolerance=5 / width, **about))
        if activation == "relu":
            rows.append(row(predicted, "=", float(DEPTH), tolerance=1e-9, **(about | {"activation": "relu: the number L"})))
    for length in (1e-3, 1e-4):
        spectrum = JacobianSpectrum("tanh", depth=100, length=length, weights="orthogonal")
        scaled = spectrum.variance / spectrum.mean**2 / length**2
        # mu_2 / mu_1^2 - 1 = Var(phi'^2) / (E phi'^2)^2 = 8 q^2 (1 - 10 q + ...)
        rows.append(row(scaled, "=", 800.0, tolerance=12 * length, activation="tanh", sigma_b=f"q* = {length:g}", L=100))
    return Evidence(
        rows,
        draw=partial(draw, spectra),
        seed=SEED,
        note="The last rows: the relative variance for 100 layers is 800 q*^2 for small q*.",
    )


def draw(spectra: dict[tuple[str, float], np.ndarray], ax: Axes) -> None:
    """Histograms of singular values."""
    bins = np.linspace(0, 4, 81)
    for color, ((activation, bias_std), values) in zip(SERIES, spectra.items(), strict=False):
        label = activation + (rf", $\sigma_b$ = {bias_std:g}" if bias_std else "")
        ax.hist(values, bins=list(bins), density=True, histtype="step", color=color, label=label)
    clean(ax, "singular value", f"density, {DEPTH} layers", yscale="log")
