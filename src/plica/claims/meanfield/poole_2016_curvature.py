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
    networks 4,000 units wide and drawn layer by layer; narrow networks with their matrices must agree
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from math import pi, sqrt
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.special import erf

from plica._palette import SERIES
from plica.claims import Evidence, control, row
from plica.claims.meanfield._inputs import clean
from plica.theory.meanfield import MeanField

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Function = Callable[[np.ndarray], np.ndarray]

STATEMENT = "theorem"
EXPECTED = "holds"
KIND = "estimated"
SEE = ("poole-2016-phases", "poole-2016-length-map")
SEED = 1606
DEPTH = 6
#: The activations with two derivatives, written out.
FUNCTIONS: dict[str, tuple[Function, Function, Function]] = {
    "tanh": (np.tanh, lambda h: 1 / np.cosh(h) ** 2, lambda h: -2 * np.tanh(h) / np.cosh(h) ** 2),
    "erf": (erf, lambda h: 2 / sqrt(pi) * np.exp(-h * h), lambda h: -4 * h / sqrt(pi) * np.exp(-h * h)),
}


def curvatures(activation: str, field: MeanField, width: int, n_networks: int) -> np.ndarray:
    """Squared curvatures (networks, layers) at a point of the circle, times the width.

    Position, velocity and acceleration of a unit are Gaussian, independent of other units, once the layer before is known.
    """
    function, slope, bend = FUNCTIONS[activation]
    found = np.empty((n_networks, DEPTH))
    rng = np.random.default_rng(SEED)
    q = field.fixed_length()
    for i in range(n_networks):
        u, v = np.linalg.qr(rng.standard_normal((width, 2)))[0].T * np.sqrt(width * q)
        h, first, second = u, v, -u
        found[i, 0] = squared_curvature(first, second) * width
        for layer in range(1, DEPTH):
            moved = np.stack([function(h), slope(h) * first, bend(h) * first**2 + slope(h) * second])
            values, vectors = np.linalg.eigh(moved @ moved.T / width)
            root = vectors * np.sqrt(values.clip(min=0.0))
            h, first, second = field.weight_std * (root @ rng.standard_normal((3, width)))
            h = h + field.bias_std * rng.standard_normal(width)
            found[i, layer] = squared_curvature(first, second) * width
    return found


def squared_curvature(first: np.ndarray, second: np.ndarray) -> float:
    vv, aa, va = (float(x @ y) for x, y in ((first, first), (second, second), (first, second)))
    return (vv * aa - va**2) / vv**3


def by_matrices(activation: str, field: MeanField, width: int, n_networks: int) -> np.ndarray:
    """The same, (networks,), after one layer of networks with their matrices."""
    function, slope, bend = FUNCTIONS[activation]
    found = np.empty(n_networks)
    for i in range(n_networks):
        rng = np.random.default_rng([SEED, i])
        u, v = np.linalg.qr(rng.standard_normal((width, 2)))[0].T * np.sqrt(width * field.fixed_length())
        second = -u
        for _ in range(2):
            W = field.weight_std * rng.standard_normal((width, width)) / np.sqrt(width)
            second = W @ (bend(u) * v**2 + slope(u) * second)
            u, v = W @ function(u) + field.bias_std * rng.standard_normal(width), W @ (slope(u) * v)
        found[i] = squared_curvature(v, second) * width
    return found


def check(scale: str) -> Evidence:
    width, n_networks = (20_000, 200) if scale == "full" else (4_000, 100)
    rows, curves = [], {}
    for activation, weight_std in (("tanh", 1.3), ("tanh", 2.5), ("tanh", 4.0), ("erf", 2.0)):
        field = MeanField(activation, weight_std, 0.3)
        measured = curvatures(activation, field, width, n_networks)
        predicted = field.curvatures(1 / field.fixed_length(), n_layers=DEPTH - 1)
        curves[activation, weight_std] = (predicted, measured.mean(0))
        about: dict[str, Any] = {"kind": "estimated", "activation": activation, "sigma_w": weight_std, "sigma_b": 0.3}
        for layer in (1, 2, DEPTH - 1):
            error = float(measured[:, layer].std(ddof=1) / np.sqrt(n_networks))
            mean = float(measured[:, layer].mean())
            rows.append(row(mean, "=", float(predicted[layer]), standard_error=error, tolerance=40 / width, layer=layer, **about))
    field = MeanField("tanh", 2.5, 0.3)
    one, two = curvatures("tanh", field, 100, 4000)[:, 2], by_matrices("tanh", field, 100, 1500)
    error = float(np.hypot(one.std() / np.sqrt(4000), two.std() / np.sqrt(1500)))
    about |= {"activation": "tanh", "sigma_w": 2.5, "layer": "2, width 100, from matrices"}
    rows.append(control(float(two.mean()), "=", float(one.mean()), standard_error=error, **about))
    return Evidence(rows, draw=partial(draw, curves), seed=SEED)


def draw(curves: dict[tuple[str, float], tuple[np.ndarray, np.ndarray]], ax: Axes) -> None:
    """Squared curvature against depth."""
    for color, ((activation, weight_std), (predicted, measured)) in zip(SERIES, curves.items(), strict=False):
        ax.plot(predicted, color=color, label=rf"{activation}, $\sigma_w$ = {weight_std:g}")
        ax.plot(measured, "o", color=color, markersize=4)
    clean(ax, "layer", r"$n\,\kappa^2$ (dots: networks)")
