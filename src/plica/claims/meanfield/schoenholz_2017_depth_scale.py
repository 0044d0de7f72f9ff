r"""Schoenholz et al.: how deep information travels.

Claim
    In wide random networks lengths and correlations approach their fixed points like exp(-l / xi_q) and exp(-l / xi_c), with
    1 / xi_q = -log(chi_1 + sigma_w^2 E phi'' phi) and 1 / xi_c = -log(sigma_w^2 E phi'(u_1) phi'(u_2)) at the fixed points;
    gradients shrink or grow like chi_1^l.
Source
    S. S. Schoenholz, J. Gilmer, S. Ganguli, J. Sohl-Dickstein, Deep Information Propagation, ICLR 2017
    [schoenholz2017].
Prediction
    plica.theory.meanfield.MeanField, its length_depth_scale, correlation_depth_scale, chi_1 and gradient_depth_scale
Measurement
    xi from the decay of deviations when the maps are iterated; in the ordered phase the decay of 1 - c, and in both the growth
    of the mean square of gradients sent back, over random networks (plica.measure.Ensemble)
"""

from __future__ import annotations

from math import exp
from typing import TYPE_CHECKING, Any

import numpy as np

from plica._palette import REFERENCE, SERIES
from plica.claims import Evidence, row
from plica.claims.meanfield._inputs import clean, pair
from plica.measure import Ensemble
from plica.theory.meanfield import MeanField, edge_of_chaos

if TYPE_CHECKING:
    from matplotlib.axes import Axes

STATEMENT = "theorem"
EXPECTED = "holds"
KIND = "estimated"
SEE = ("schoenholz-2017-dropout", "edge-of-chaos-tanh", "poole-2016-phases")
SEED = 1611


def decay(values: np.ndarray, limit: float) -> float:
    """The depth scale of an exponential approach, from the last two deviations."""
    gaps = np.abs(values - limit)
    return float(-1 / np.log(gaps[-1] / gaps[-2]))


def ensemble(field: MeanField, width: int, depth: int, n_networks: int) -> Ensemble:
    """Finite networks of the field."""
    return Ensemble(
        (width,) * (depth + 1),
        n_networks=n_networks,
        seed=SEED,
        weight_std=field.weight_std,
        bias_std=field.bias_std,
        activation=field.phi.name,
    )


def of_networks(field: MeanField, width: int, n_networks: int) -> tuple[tuple[float, float], tuple[float, float]]:
    """The decay of 1 - c per layer near one, and the growth of gradients per layer, each with its standard error."""
    depth = 8
    x, y = pair(
        width, mean_square=(field.fixed_length() - field.bias_std**2) / field.weight_std**2, correlation=1 - 1e-4, seed=SEED
    )
    signal = ensemble(field, width, depth, n_networks).estimate_signal(x, y)
    assert signal.correlations is not None
    found = []
    for values in (1 - signal.correlations, signal.gradients[:, ::-1]):
        factors = (values[:, -1] / values[:, 1]) ** (1 / (depth - 2))
        mean = float((values[:, -1].mean() / values[:, 1].mean()) ** (1 / (depth - 2)))
        found.append((mean, float(factors.std(ddof=1) / np.sqrt(n_networks))))
    return found[0], found[1]


def check(scale: str) -> Evidence:
    width, n_networks = (1000, 60) if scale == "full" else (250, 30)
    rows = []
    for activation, weight_std, bias_std in (
        ("tanh", 0.8, 0.3),
        ("tanh", 1.2, 0.3),
        ("tanh", 1.6, 0.3),
        ("tanh", 2.5, 0.3),
        ("erf", 1.6, 0.2),
    ):
        field = MeanField(activation, weight_std, bias_std)
        about: dict[str, Any] = {"activation": activation, "sigma_w": weight_std, "sigma_b": bias_std}
        c = field.correlations(field.fixed_correlation - 0.01, n_layers=int(field.correlation_depth_scale) + 3)
        xi = decay(c, field.fixed_correlation)
        rows.append(row(xi, "=", field.correlation_depth_scale, tolerance=0.02, quantity="xi_c of the map", **about))
        q = field.lengths(1.01 * field.fixed_length(), n_layers=int(field.length_depth_scale) + 3)
        xi = decay(q, field.fixed_length())
        rows.append(row(xi, "=", field.length_depth_scale, tolerance=0.02, quantity="xi_q of the map", **about))
        distances, gradients = of_networks(field, width, n_networks)
        about |= {"kind": "estimated", "tolerance": 4 / width}
        rows.append(row(gradients[0], "=", field.chi_1, standard_error=gradients[1], quantity="growth of gradients", **about))
        scale_of_gradients = (-1 if field.phase == "ordered" else 1) / field.gradient_depth_scale
        about_depth: dict[str, Any] = {**about, "quantity": "growth of gradients, by their depth scale"}
        rows.append(row(gradients[0], "=", exp(scale_of_gradients), standard_error=gradients[1], **about_depth))
        if field.phase == "ordered":
            rate = exp(-1 / field.correlation_depth_scale)
            rows.append(row(distances[0], "=", rate, standard_error=distances[1], quantity="decay of 1 - c", **about))
    return Evidence(rows, draw=draw, seed=SEED)


def draw(ax: Axes) -> None:
    """Depth scales of tanh networks against sigma_w: they diverge at the edge of chaos."""
    edge = edge_of_chaos("tanh", bias_std=0.3).weight_std
    sigmas = np.sort(np.concatenate([np.linspace(0.7, 2.2, 20), edge + np.array([-0.03, -0.01, 0.01, 0.03])]))
    fields = [MeanField("tanh", float(s), 0.3) for s in sigmas]
    for color, name, label in zip(
        SERIES,
        ("correlation_depth_scale", "gradient_depth_scale", "length_depth_scale"),
        (r"$\xi_c$", r"$\xi_\nabla$", r"$\xi_q$"),
        strict=False,
    ):
        ax.plot(sigmas, [min(getattr(f, name), 1e3) for f in fields], color=color, label=label)
    ax.axvline(edge, color=REFERENCE, linewidth=0.8, linestyle=":")
    clean(ax, r"$\sigma_w$", r"layers ($\tanh$, $\sigma_b$ = 0.3)", yscale="log")
