r"""Pennington et al.: the squared singular values of the Jacobian spread in proportion to depth.

Claim
    On the edge of chaos the squared singular values of the Jacobian of L wide layers have mean one and variance
    L (mu_2 / mu_1^2 - 1 - s), with mu_k = E phi'(h)^{2k}, s = -1 for Gaussian and s = 0 for orthogonal weights: 2L and L
    for ReLU.
Source
    J. Pennington, S. S. Schoenholz, S. Ganguli, NeurIPS 2017 [pennington2017].
Prediction
    plica.theory.meanfield.JacobianSpectrum, its variance
Measurement
    singular values of Jacobians of random networks (plica.measure.Ensemble)
"""

from __future__ import annotations

from functools import partial
from math import sqrt
from typing import TYPE_CHECKING, Any

from plica._palette import SERIES
from plica.claims import Evidence, Row, row
from plica.claims.meanfield._inputs import clean, pair
from plica.measure import Ensemble
from plica.theory.meanfield import JacobianSpectrum, edge_of_chaos

if TYPE_CHECKING:
    from matplotlib.axes import Axes

STATEMENT = "theorem"
EXPECTED = "holds"
KIND = "estimated"
SEE = ("pennington-2017-isometry", "pennington-2018-spectrum", "fuss-catalan")
SEED = 1711


def check(scale: str) -> Evidence:
    width, n_networks = (400, 60) if scale == "full" else (150, 100)
    depths = (1, 2, 4, 8) if scale == "full" else (1, 2, 4)
    edge = edge_of_chaos("hard-tanh", bias_std=0.3)
    rows = []
    for activation, sigma, bias_std, length in (("relu", sqrt(2.0), 0.0, 1.0), ("hard-tanh", edge.weight_std, 0.3, edge.length)):
        for weights in ("gaussian", "orthogonal"):
            for depth in depths:
                spectrum = JacobianSpectrum(activation, depth=depth, weight_std=sigma, length=length, weights=weights)
                x, _ = pair(width, mean_square=(length - bias_std**2) / sigma**2, correlation=0.0, seed=SEED)
                found = Ensemble(
                    (width,) * (depth + 1),
                    n_networks=n_networks,
                    seed=SEED,
                    weights="normal" if weights == "gaussian" else weights,
                    weight_std=sigma,
                    bias_std=bias_std,
                    activation=activation,
                ).estimate_jacobians(x)
                about: dict[str, Any] = {"kind": "estimated", "activation": activation, "weights": weights, "L": depth}
                mean, error = found.moments[0], found.moment_errors[0]
                # the mean of ReLU networks is exact at every width, that of hard-tanh up to the fluctuation of the length
                slack = 0.0 if activation == "relu" else depth / width
                rows.append(row(mean, "=", spectrum.mean, standard_error=error, tolerance=slack, quantity="mean", **about))
                ratio, error = found.relative_variance
                predicted = spectrum.variance / spectrum.mean**2
                slack = 1.5 * depth / width
                rows.append(row(ratio, "=", predicted, standard_error=error, tolerance=slack, quantity="variance", **about))
    return Evidence(rows, draw=partial(draw, rows), seed=SEED)


def draw(rows: list[Row], ax: Axes) -> None:
    """Variance against depth."""
    chosen = [r for r in rows if r.parameters["quantity"] == "variance"]
    names = list(dict.fromkeys((r.parameters["activation"], r.parameters["weights"]) for r in chosen))
    for color, (activation, weights) in zip(SERIES, names, strict=False):
        mine = [r for r in chosen if (r.parameters["activation"], r.parameters["weights"]) == (activation, weights)]
        depths = [r.parameters["L"] for r in mine]
        ax.plot(depths, [r.predicted for r in mine], color=color, label=f"{activation}, {weights}")
        ax.plot(depths, [r.measured for r in mine], "o", color=color, markersize=4)
    clean(ax, "depth L", "variance (dots: networks)")
