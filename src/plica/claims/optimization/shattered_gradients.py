r"""How alike are the gradients at two inputs, in plain and in residual networks of growing depth?

Claim
    In wide random ReLU networks the correlation of the gradients by the inputs at two inputs is a product over layers: of
    k_l = 1 - arccos(c_l) / pi in plain networks with variance 2/n, where c_l is the correlation of the inputs' images, and of
    (1 + k_l / 2) / (3/2), and k_L at the end, in residual ones h + W relu(h) with variance 1/n. It falls like a power of the
    depth in plain networks, since their images become alike: far slower than the 2^-L of images that stay orthogonal.
    Residual networks keep more of it, and their Jacobians are conditioned better by decades, while their gradients grow by
    3/2 a layer.
Source
    Asked here, after D. Balduzzi et al., The Shattered Gradients Problem, ICML 2017 [balduzzi2017], who compare 2^-L with
    (3/4)^L under the assumption that units are active independently at the two inputs.
Prediction
    products of plica.theory.meanfield.MeanField's slopes and correlations
Measurement
    gradients of random networks (plica.measure.Ensemble draws the matrices) at two orthogonal inputs by backpropagation in
    numpy; singular values of their Jacobians (plica.measure.Ensemble)
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from plica._palette import REFERENCE, SERIES
from plica._types import Array
from plica.claims import Evidence, control, row
from plica.claims.optimization._chains import mean_and_error
from plica.measure import Ensemble
from plica.theory.meanfield import MeanField

if TYPE_CHECKING:
    from matplotlib.axes import Axes

STATEMENT = "question"
EXPECTED = "answered"
KIND = "estimated"
SEE = ("residual-depth", "yang-2017-residual", "poole-2016-correlation-map")
SEED = 2017
DEPTHS = (1, 4, 8)
N_DIRECTIONS = 16
#: Standard deviation of the weights times the root of the width, and the strength of the skip connection.
KINDS = {"plain": (2**0.5, 0.0), "residual": (1.0, 1.0)}


def predicted_products(name: str, depth: int) -> tuple[float, float]:
    """Mean square of the gradient's entries over that of the first layer's, and correlation at two orthogonal inputs.

    A step back through h + W relu(h) or W relu(h) multiplies the covariance of gradients by skip^2 + sigma^2 E[slope slope'].
    """
    weight_std, skip = KINDS[name]
    field = MeanField("relu", weight_std, 0.0, skip=skip)
    q, k, square, cross = 1.0, 0.0, 1.0, 1.0
    for layer in range(1, depth + 1):
        strength = skip**2 if layer < depth else 0.0  # nothing leads around the last activation
        square *= strength + field.gain * field.phi.slope_power(q)
        cross *= strength + field.gain * float(field.phi.slope_covariance(q, q, k))
        q, k = float(field.length_map(q)), float(field.covariance_map(q, q, k))
    return square, cross / square


def gradients(name: str, width: int, depth: int, n_networks: int) -> Array:
    """(networks, 2, directions, width): of random directions of the last activations by the inputs."""
    weight_std, skip = KINDS[name]
    ensemble = Ensemble(
        (width,) * (depth + 1),
        n_networks=n_networks,
        weight_std=weight_std,
        bias_std=0.0,
        activation="relu",
        skip=skip,
        seed=SEED,
    )
    x = np.zeros((2, width))
    x[0, : width // 2] = x[1, width // 2 :] = np.sqrt(2.0)  # orthogonal, mean square 1
    found = []
    for i in range(n_networks):
        rng = ensemble.generator(i)
        matrices = [ensemble.draw([rng], layer)[0][0] for layer in range(depth)]
        h, slopes = x @ matrices[0].T, []
        for W in matrices[1:]:
            slopes.append(h > 0)
            h = skip * h + np.maximum(h, 0) @ W.T
        slopes.append(h > 0)
        back = rng.standard_normal((N_DIRECTIONS, width)) * slopes[-1][:, None]
        for W, active in zip(matrices[:0:-1], slopes[-2::-1], strict=True):
            back = skip * back + active[:, None] * (back @ W)
        found.append(back @ matrices[0])
    return np.array(found)


def correlations(found: Array) -> tuple[float, float]:
    """Of the gradients at the two inputs over all networks, with its standard error."""
    cross = (found[:, 0] * found[:, 1]).mean((1, 2))
    square = (found**2).mean((1, 2, 3))
    ratio = float(cross.mean() / square.mean())
    error = float((cross - ratio * square).std(ddof=1) / square.mean() / np.sqrt(len(found)))
    return ratio, error


def check(scale: str) -> Evidence:
    width, n_networks = (512, 200) if scale == "full" else (128, 100)
    rows = []
    for name in KINDS:
        for depth in DEPTHS:
            found = gradients(name, width, depth, n_networks)
            about: dict[str, Any] = {"network": name, "layers": depth}
            ratio, error = correlations(found)
            square, correlation = predicted_products(name, depth)
            estimate: dict[str, Any] = {"kind": "estimated", "standard_error": error, "unit": 1.0, "tolerance": 0.02}
            rows.append(row(ratio, "=", correlation, **estimate, what="correlation of gradients", **about))
            if depth > 1:
                above: dict[str, Any] = {"kind": "estimated", "standard_error": error}
                rows.append(row(ratio, ">", 1.5 * 0.5**depth, **above, what="correlation, and 3/2 of 2^-L", **about))
            mean, error = mean_and_error((found**2).mean((1, 2, 3)))
            about |= {"kind": "estimated", "standard_error": error}
            rows.append(row(mean, "=", square, **about, what="mean square of the gradient"))
    conditions = {}
    for name, (weight_std, skip) in KINDS.items():
        ensemble = Ensemble(
            (32,) * 17, n_networks=40, weight_std=weight_std, bias_std=0.0, activation="relu", skip=skip, seed=SEED
        )
        values = ensemble.estimate_jacobians(np.ones(32)).singular_values
        conditions[name] = np.log10(values[:, 0] / np.maximum(values[:, 7], 1e-300))  # largest over the eighth of 32
    mean, error = mean_and_error(conditions["plain"] - conditions["residual"])
    rows.append(
        control(
            mean,
            ">",
            1.0,
            kind="estimated",
            standard_error=error,
            what="decades from the first to the eighth singular value, plain minus residual",
        )
    )
    return Evidence(rows, draw=partial(draw, width), seed=SEED)


def draw(width: int, ax: Axes) -> None:
    """Correlation of gradients against depth: products (lines), networks (dots)."""
    depths = np.arange(1, 25)
    for color, name in zip(SERIES, KINDS, strict=False):
        ax.plot(depths, [predicted_products(name, int(d))[1] for d in depths], color=color, label=name)
        ax.plot(DEPTHS, [correlations(gradients(name, 64, d, 40))[0] for d in DEPTHS], "o", color=color, markersize=4)
    ax.plot(depths, 0.5**depths, color=REFERENCE, linestyle=":", label=r"$2^{-L}$")
    ax.set(xscale="log", yscale="log", xlabel="layers", ylabel="correlation of gradients", ylim=(1e-3, 1.1))
    ax.legend(frameon=False)
