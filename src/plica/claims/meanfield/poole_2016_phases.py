r"""Poole et al.: order and chaos.

Claim
    chi_1 = sigma_w^2 E phi'(sqrt(q*) z)^2 decides what becomes of two near inputs of a wide random network: if chi_1 < 1 their
    distance shrinks and correlations go to one, if chi_1 > 1 it grows and correlations go to c* < 1.
Source
    B. Poole, S. Lahiri, M. Raghu, J. Sohl-Dickstein, S. Ganguli, NeurIPS 2016 [poole2016].
Prediction
    plica.theory.meanfield.MeanField, its chi_1; plica.theory.meanfield.phase_diagram draws it
Measurement
    how the squared distance of the pre-activations at two inputs 10^-6 apart grows per layer over random networks
    (plica.measure.Ensemble), at the length that the networks keep
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from plica._palette import ON_AREA
from plica.claims import Evidence, row
from plica.claims.meanfield._inputs import clean, pair
from plica.geometry import Segment
from plica.measure import Ensemble
from plica.theory.meanfield import MeanField, phase_diagram

if TYPE_CHECKING:
    from matplotlib.axes import Axes

STATEMENT = "theorem"
EXPECTED = "holds"
KIND = "estimated"
SEE = ("poole-2016-correlation-map", "edge-of-chaos-tanh")
SEED = 1606
DEPTH = 6


def expansion(field: MeanField, width: int, n_networks: int) -> tuple[float, float]:
    """Mean and standard error of the factor by which a layer multiplies the squared distance of near inputs."""
    q = field.fixed_length()
    x, _ = pair(width, mean_square=max(q - field.bias_std**2, 1e-9) / field.weight_std**2, correlation=1.0, seed=SEED)
    step = np.random.default_rng(SEED).standard_normal(width)
    ensemble = Ensemble(
        (width,) * (DEPTH + 1),
        n_networks=n_networks,
        seed=SEED,
        weight_std=field.weight_std,
        bias_std=field.bias_std,
        activation=field.phi.name,
    )
    lengths = ensemble.estimate_lengths(Segment(x, x + 1e-6 * step), n_points=1)
    squares = lengths.pre**2
    ratios = squares[:, 1:].mean(0) / squares[:, :-1].mean(0)
    spread = np.log(squares[:, -1] / squares[:, 0]) / (DEPTH - 1)
    rate = float(np.exp(np.log(ratios).mean()))
    return rate, rate * float(spread.std(ddof=1) / np.sqrt(n_networks))


def check(scale: str) -> Evidence:
    width, n_networks = (1000, 60) if scale == "full" else (250, 40)
    rows = []
    for activation, weight_std, bias_std in (
        ("tanh", 1.0, 0.3),
        ("tanh", 1.3, 0.3),
        ("tanh", 1.6, 0.3),
        ("tanh", 3.0, 0.3),
        ("erf", 0.9, 0.2),
        ("erf", 1.6, 0.2),
        ("hard-tanh", 0.95, 0.3),
        ("hard-tanh", 2.0, 0.3),
        ("relu", 1.2, 0.3),
    ):
        field = MeanField(activation, weight_std, bias_std)
        measured, error = expansion(field, width, n_networks)
        rows.append(
            row(
                measured,
                "=",
                field.chi_1,
                kind="estimated",
                standard_error=error,
                tolerance=3 / width,
                activation=activation,
                sigma_w=weight_std,
                sigma_b=bias_std,
                phase=field.phase,
            )
        )
    return Evidence(rows, draw=draw, seed=SEED)


def draw(ax: Axes) -> None:
    """The phase diagram of tanh: chi_1 on a logarithmic scale, with the edge of chaos."""
    diagram = phase_diagram("tanh", weight_stds=np.linspace(0.5, 4.0, 40), bias_stds=np.linspace(0.0, 2.0, 40))
    values = np.log2(diagram.chi_1)
    mesh = ax.pcolormesh(diagram.weight_stds, diagram.bias_stds, values, cmap="cividis", shading="nearest")
    ax.contour(diagram.weight_stds, diagram.bias_stds, values, levels=[0.0], colors=ON_AREA["dark"], linewidths=2)
    ax.figure.colorbar(mesh, ax=ax, label=r"$\log_2 \chi_1$")
    ax.text(0.75, 1.6, "ordered", color=ON_AREA["dark"])
    ax.text(2.9, 0.3, "chaotic", color=ON_AREA["light"])
    clean(ax, r"$\sigma_w$", r"$\sigma_b$", legend=False)
