r"""Glorot and Bengio: the variance 2 / (n_in + n_out) keeps activations and gradients alike.

Claim
    While activations are in their linear regime, one layer multiplies the variance of the signal by n_in Var w and that of the
    gradient by n_out Var w: with Var w = 2 / (n_in + n_out) both stay for equal widths, with the older U(-1, 1) / sqrt(n_in)
    both shrink to a third a layer.
Source
    X. Glorot, Y. Bengio, AISTATS 2010 [glorot2010].
Prediction
    the products of n_in Var w and of n_out Var w; plica.theory.meanfield.weight_std_of gives sigma_w^2 = n_in Var w
Measurement
    mean squares of pre-activations and of gradients sent back through random tanh networks with small inputs
    (plica.measure.Ensemble), five hidden layers of equal and of unequal widths
Remark
    That pre-activations are nearly Gaussian is not in this paper, which observes histograms: it is proved for wide layers in
    later work [lee2018].
"""

from __future__ import annotations

from functools import partial
from itertools import pairwise
from math import sqrt
from typing import TYPE_CHECKING, Any

import numpy as np

from plica._palette import SERIES
from plica.claims import Evidence, row
from plica.claims.meanfield._inputs import clean
from plica.measure import Ensemble
from plica.theory.meanfield import weight_std_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes

STATEMENT = "theorem"
EXPECTED = "holds"
KIND = "estimated"
SEE = ("he-2015-variance",)
SEED = 2010


def check(scale: str) -> Evidence:
    n, n_networks = (1000, 40) if scale == "full" else (150, 40)
    rows, curves = [], {}
    for name, widths in (("equal widths", (n,) * 6), ("unequal widths", (n, 2 * n, n, n // 2, n, 2 * n))):
        for scheme in ("glorot", "torch-default"):
            forward, backward = measured(scheme, widths, n_networks)
            curves[name, scheme] = (forward, backward)
            variances = [weight_std_of(scheme, n_in=a, n_out=b) ** 2 / a for a, b in pairwise(widths)]
            signal = np.cumprod([a * v for (a, _), v in zip(pairwise(widths), variances, strict=True)])
            gradient = np.cumprod([b * v for (_, b), v in zip(pairwise(widths), variances, strict=True)][:0:-1])[::-1]
            about: dict[str, Any] = {"kind": "estimated", "weights": scheme, "widths": name}
            for quantity, values, predicted in (("signal", forward[:, 1:], signal[1:]), ("gradient", backward[:, :-1], gradient)):
                mean, error = values.mean(0), values.std(0, ddof=1) / sqrt(n_networks)
                for i in (0, len(mean) - 1):
                    rows.append(
                        row(
                            float(mean[i]),
                            "=",
                            float(predicted[i]),
                            standard_error=float(error[i]),
                            tolerance=1e-3,
                            quantity=f"variance of the {quantity}, layer {i + (quantity == 'signal')}",
                            **about,
                        )
                    )
    return Evidence(rows, draw=partial(draw, curves), seed=SEED)


def measured(scheme: str, widths: tuple[int, ...], n_networks: int) -> tuple[np.ndarray, np.ndarray]:
    """Mean squares (networks, layers) of signal and gradient, in units of the input's and the last layer's."""
    x = np.full(widths[0], 1e-3)
    forward, backward = [], []
    for i in range(n_networks):
        # each layer has its own scale, so the networks are built by hand from the ensemble's normal numbers
        rng = Ensemble(widths, n_networks=n_networks, seed=SEED).generator(i)
        matrices = [
            rng.uniform(-1, 1, (b, a)) * sqrt(3 / a) * weight_std_of(scheme, n_in=a, n_out=b) for a, b in pairwise(widths)
        ]
        z, slopes, squares = x, [], []
        for W in matrices:
            h = W @ z
            z = np.tanh(h)
            slopes.append(1 - z * z)
            squares.append((h**2).mean() / 1e-6)
        delta = rng.standard_normal(widths[-1])
        delta /= sqrt((delta**2).mean())
        gradients = [1.0]
        for W, slope in zip(matrices[:0:-1], slopes[-2::-1], strict=True):
            delta = slope * (delta @ W)
            gradients.append(float((delta**2).mean()))
        forward.append(squares)
        backward.append(gradients[::-1])
    return np.array(forward), np.array(backward)


def draw(curves: dict[tuple[str, str], tuple[np.ndarray, np.ndarray]], ax: Axes) -> None:
    """Variances of signal (solid) and gradient (dashed) against depth, equal widths."""
    for color, scheme in zip(SERIES, ("glorot", "torch-default"), strict=False):
        forward, backward = curves["equal widths", scheme]
        ax.plot(forward.mean(0), "o-", color=color, markersize=4, label=f"{scheme}: signal")
        ax.plot(backward.mean(0), "s--", color=color, markersize=4, label=f"{scheme}: gradient")
    clean(ax, "layer", "variance", yscale="log")
