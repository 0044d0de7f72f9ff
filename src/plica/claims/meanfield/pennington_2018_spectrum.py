r"""Pennington et al.: free probability gives the whole spectrum of the Jacobian.

Claim
    The squared singular values of the Jacobian of L wide random layers are distributed by the free multiplicative convolution of
    the squared slopes and of W W^T, L times: S = (S_{D^2} S_{W W^T})^L.
Source
    J. Pennington, S. S. Schoenholz, S. Ganguli, NeurIPS 2017 and AISTATS 2018 [pennington2017] [pennington2018].
Prediction
    plica.theory.meanfield.JacobianSpectrum, its density and its mass at the top: a distance of at most 0.4 n^{-1/2} for layers of
    n units; more for the spectrum of half as many layers again, and for that of the other kind of weights
Measurement
    the largest distance between the predicted distribution function and that of squared singular values of random networks
    (plica.measure.Ensemble), between a thousandth and nine tenths of the largest value; zero in the limit of wide layers
Remark
    Next to zero and to the top the share of values is that of active units, which fluctuates; there the distance is three times
    as large. It was taken over all values before, with 1 / n^{1/2} as the limit, and the spectrum of one layer more passed, too.
"""

from __future__ import annotations

from functools import partial
from math import sqrt
from typing import TYPE_CHECKING, Any

import numpy as np

from plica._palette import SERIES
from plica.claims import Evidence, control, row
from plica.claims.meanfield._inputs import clean
from plica.measure import Ensemble
from plica.theory.meanfield import JacobianSpectrum, edge_of_chaos

if TYPE_CHECKING:
    from matplotlib.axes import Axes

STATEMENT = "theorem"
EXPECTED = "holds"
KIND = "estimated"
SEE = ("pennington-2017-variance", "fuss-catalan")
SEED = 1802
BATCHES = 6


def law(spectrum: JacobianSpectrum) -> tuple[np.ndarray, np.ndarray]:
    """Places, and the share of squared singular values above them, off the ends."""
    x = spectrum.largest * np.concatenate([np.geomspace(1e-3, 0.5, 150), 1 - np.geomspace(0.49, 1e-7, 100)])
    density = spectrum.density(x)
    steps = np.diff(x) * (density[1:] + density[:-1]) / 2
    # add up from the top, so that what lies below the smallest x does not matter
    above = np.concatenate([np.cumsum(steps[::-1])[::-1], [0.0]]) + spectrum.mass_at_top
    inside = x < 0.9 * spectrum.largest
    return x[inside], above[inside]


def distance(predicted: tuple[np.ndarray, np.ndarray], values: np.ndarray) -> float:
    """The largest difference of the distribution functions."""
    x, above = predicted
    return float(np.abs(above - 1 + np.searchsorted(np.sort(values.reshape(-1)), x) / values.size).max())


def predicted(activation: str, weights: str, depth: int) -> JacobianSpectrum:
    """On the edge of chaos, for hard-tanh with sigma_b = 0.3."""
    sigma, _, length = edge_of(activation)
    return JacobianSpectrum(activation, depth=depth, weight_std=sigma, length=length, weights=weights)


def edge_of(activation: str) -> tuple[float, float, float]:
    """sigma_w, sigma_b and the length that the networks keep."""
    if activation == "relu":
        return sqrt(2.0), 0.0, 1.0
    edge = edge_of_chaos(activation, bias_std=0.3)
    return edge.weight_std, 0.3, edge.length


def spectra(scale: str) -> dict[tuple[str, str, int], tuple[JacobianSpectrum, np.ndarray]]:
    """Predicted and measured squared singular values (networks, values)."""
    width, n_networks = (400, 36) if scale == "full" else (200, 60)
    found = {}
    for activation in ("relu", "hard-tanh"):
        sigma, bias_std, length = edge_of(activation)
        for weights in ("gaussian", "orthogonal"):
            for depth in (2, 4) if scale == "quick" else (2, 4, 8, 16):
                x = np.random.default_rng(SEED).standard_normal(width)
                x *= sqrt(width * (length - bias_std**2)) / sigma / np.linalg.norm(x)
                ensemble = Ensemble(
                    (width,) * (depth + 1),
                    n_networks=n_networks,
                    seed=SEED,
                    weights="normal" if weights == "gaussian" else weights,
                    weight_std=sigma,
                    bias_std=bias_std,
                    activation=activation,
                )
                found[activation, weights, depth] = predicted(activation, weights, depth), ensemble.estimate_jacobians(x).squared
    return found


def check(scale: str) -> Evidence:
    found = spectra(scale)
    rows = []
    for (activation, weights, depth), (spectrum, values) in found.items():
        own = law(spectrum)
        parts = [distance(own, values[k::BATCHES]) for k in range(BATCHES)]
        spread = float(np.std(parts, ddof=1) / sqrt(BATCHES))
        about: dict[str, Any] = {"kind": "estimated", "standard_error": spread, "activation": activation}
        limit = 0.4 / sqrt(values.shape[1])  # fluctuations of the number of active units
        rows.append(row(distance(own, values), "<=", limit, weights=weights, L=depth, **about))
        swapped = "orthogonal" if weights == "gaussian" else "gaussian"
        for other, layers in ((weights, depth + depth // 2), (swapped, depth)):
            away = distance(law(predicted(activation, other, layers)), values)
            rows.append(control(away, ">", limit, weights=weights, L=depth, against=f"{other}, {layers} layers", **about))
    return Evidence(rows, draw=partial(draw, found), seed=SEED)


def draw(found: dict[tuple[str, str, int], tuple[JacobianSpectrum, np.ndarray]], ax: Axes) -> None:
    """Histograms of singular values with the predicted densities over them."""
    for color, (activation, weights) in zip(
        SERIES, (("relu", "gaussian"), ("relu", "orthogonal"), ("hard-tanh", "gaussian")), strict=False
    ):
        spectrum, values = found[activation, weights, 4]
        s = np.sqrt(values[values > 1e-9])
        bins = np.linspace(0, sqrt(spectrum.largest) * 1.05, 50)
        weight = np.full(len(s), 1 / values.size / (bins[1] - bins[0]))
        ax.hist(s, bins=list(bins), weights=weight, color=color, alpha=0.3, label=f"{activation}, {weights}, L = 4")
        x = np.linspace(0.03, 0.999, 150) * sqrt(spectrum.largest)
        ax.plot(x, spectrum.singular_value_density(x), color=color, linewidth=1.2)
    clean(ax, "singular value", "density (lines: predicted)", ylim=(0, 0.8))
