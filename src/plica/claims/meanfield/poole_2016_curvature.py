r"""Poole et al.: chaos folds a circle, and its curvature stays bounded while its length grows.

Claim
    The squared extrinsic curvature of the image of a circle in a wide random network, in units of the root of the width, follows
    kappa_{l+1}^2 = 3 chi_2 / chi_1^2 + kappa_l^2 / chi_1, with chi_2 = sigma_w^2 E phi''(sqrt(q*) z)^2, from 1 / q* on.
Source
    B. Poole, S. Lahiri, M. Raghu, J. Sohl-Dickstein, S. Ganguli, NeurIPS 2016 [poole2016].
Prediction
    plica.theory.meanfield.MeanField, its curvatures
Measurement
    first and second derivatives along a circle carried through random networks, and the curvature that they give, averaged over
    networks and points
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from plica._palette import SERIES
from plica.claims import Evidence, row
from plica.claims.meanfield._inputs import clean
from plica.measure import Ensemble
from plica.theory.meanfield import MeanField

if TYPE_CHECKING:
    from matplotlib.axes import Axes

STATEMENT = "theorem"
EXPECTED = "holds"
KIND = "estimated"
SEE = ("poole-2016-phases", "poole-2016-length-map")
SEED = 1606
DEPTH = 6


def curvatures(field: MeanField, width: int, n_networks: int, n_points: int = 16) -> np.ndarray:
    """Squared curvatures (networks, layers), each the mean over points of the circle, times the width."""
    phi = field.phi
    assert phi.second_derivative is not None
    ensemble = Ensemble((width,) * DEPTH, n_networks=n_networks, seed=SEED, weight_std=field.weight_std, bias_std=field.bias_std)
    found = np.empty((n_networks, DEPTH))
    angle = np.linspace(0, 2 * np.pi, n_points, endpoint=False)[:, None]
    for i in range(n_networks):
        rng = ensemble.generator(i)
        u, v = np.linalg.qr(rng.standard_normal((width, 2)))[0].T * np.sqrt(width * field.fixed_length())
        h, first, second = np.cos(angle) * u + np.sin(angle) * v, np.cos(angle) * v - np.sin(angle) * u, None
        second = -h
        found[i, 0] = _squared_curvature(first, second) * width
        for layer in range(1, DEPTH):
            W, b = ensemble.draw([rng], layer - 1)
            slope, bend = phi.derivative(h), phi.second_derivative(h)
            second = (bend * first**2 + slope * second) @ W[0].T
            first = (slope * first) @ W[0].T
            h = phi.function(h) @ W[0].T + (0.0 if b is None else b[0])
            found[i, layer] = _squared_curvature(first, second) * width
    return found


def _squared_curvature(first: np.ndarray, second: np.ndarray) -> float:
    vv, aa, va = ((x * y).sum(1) for x, y in ((first, first), (second, second), (first, second)))
    return float(((vv * aa - va**2) / vv**3).mean())


def check(scale: str) -> Evidence:
    width, n_networks = (1000, 60) if scale == "full" else (300, 16)
    rows, curves = [], {}
    for activation, weight_std in (("tanh", 1.3), ("tanh", 2.5), ("tanh", 4.0), ("erf", 2.0)):
        field = MeanField(activation, weight_std, 0.3)
        measured = curvatures(field, width, n_networks)
        predicted = field.curvatures(1 / field.fixed_length(), n_layers=DEPTH - 1)
        curves[activation, weight_std] = (predicted, measured.mean(0))
        for layer in (1, 2, DEPTH - 1):
            rows.append(
                row(
                    float(measured[:, layer].mean()),
                    "=",
                    float(predicted[layer]),
                    kind="estimated",
                    standard_error=float(measured[:, layer].std(ddof=1) / np.sqrt(n_networks)),
                    tolerance=30 / width,
                    activation=activation,
                    sigma_w=weight_std,
                    sigma_b=0.3,
                    layer=layer,
                )
            )
    return Evidence(rows, draw=partial(draw, curves), seed=SEED)


def draw(curves: dict[tuple[str, float], tuple[np.ndarray, np.ndarray]], ax: Axes) -> None:
    """Squared curvature against depth."""
    for color, ((activation, weight_std), (predicted, measured)) in zip(SERIES, curves.items(), strict=False):
        ax.plot(predicted, color=color, label=rf"{activation}, $\sigma_w$ = {weight_std:g}")
        ax.plot(measured, "o", color=color, markersize=4)
    clean(ax, "layer", r"$n\,\kappa^2$ (dots: networks)")
