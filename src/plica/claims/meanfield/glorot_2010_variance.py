r"""Glorot and Bengio: the variance 2 / (n_in + n_out) keeps activations and gradients alike.

Claim
    While activations are in their linear regime, one layer multiplies the variance of the signal by n_in Var w and that of the
    gradient by n_out Var w: with Var w = 2 / (n_in + n_out) both stay for equal widths, with the older U(-1, 1) / sqrt(n_in)
    both shrink to a third a layer.
Source
    X. Glorot, Y. Bengio, AISTATS 2010 [glorot2010].
Prediction
    1 for equal widths and 2 / (n_in + n_out); otherwise the products of n_in Var w and of n_out Var w
Measurement
    mean squares of pre-activations and of gradients sent back through random tanh networks with small inputs and uniform weights
    of the variance as the paper prints it, five hidden layers of equal and of unequal widths; the variance that
    plica.theory.meanfield.weight_std_of and torch mean by the name
Remark
    That pre-activations are nearly Gaussian is not in this paper, which observes histograms: it is proved for wide layers in
    later work [lee2018].
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from itertools import pairwise
from math import sqrt
from typing import TYPE_CHECKING, Any

import numpy as np

from plica._palette import SERIES
from plica.claims import Evidence, row
from plica.claims.meanfield._inputs import clean
from plica.theory.meanfield import weight_std_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes

STATEMENT = "theorem"
EXPECTED = "holds"
KIND = "estimated"
SEE = ("he-2015-variance",)
SEED = 2010
Variance = Callable[[int, int], float]
GLOROT = "2 / (n_in + n_out)"
SCHEMES: dict[str, Variance] = {
    GLOROT: lambda n_in, n_out: 2 / (n_in + n_out),
    "1 / (3 n_in)": lambda n_in, n_out: 1 / (3 * n_in),
}


def check(scale: str) -> Evidence:
    n, n_networks = (1000, 200) if scale == "full" else (150, 400)
    rows, curves = [], {}
    for name, widths in (("equal widths", (n,) * 6), ("unequal widths", (n, 2 * n, n, n // 2, n, 2 * n))):
        for scheme, variance in SCHEMES.items():
            forward, backward = measured(variance, widths, n_networks)
            curves[name, scheme] = (forward, backward)
            layers = list(pairwise(widths))
            signal = np.cumprod([a * variance(a, b) for a, b in layers])
            gradient = np.cumprod([b * variance(a, b) for a, b in layers][:0:-1])[::-1]
            about: dict[str, Any] = {"kind": "estimated", "weights": scheme, "widths": name}
            for quantity, values, predicted in (("signal", forward[:, 1:], signal[1:]), ("gradient", backward[:, :-1], gradient)):
                mean, error = values.mean(0), values.std(0, ddof=1) / sqrt(n_networks)
                for i in (0, len(mean) - 1):
                    numbers: dict[str, Any] = {"standard_error": float(error[i]), "tolerance": 1e-3}
                    what = f"variance of the {quantity}, layer {i + (quantity == 'signal')}"
                    expected = 1.0 if (name, scheme) == ("equal widths", GLOROT) else float(predicted[i])  # it stays
                    rows.append(row(float(mean[i]), "=", expected, quantity=what, **numbers, **about))
    for a, b in ((100, 100), (100, 300), (300, 100)):
        named = {"weight_std_of": weight_std_of("glorot", n_in=a, n_out=b) ** 2 / a, "torch's xavier": of_torch(a, b)}
        for who, found in named.items():
            where = {"weights": who, "widths": f"{a} to {b}", "quantity": "variance of a weight"}
            rows.append(row(found, "=", 2 / (a + b), tolerance=1e-2 if "torch" in who else 1e-12, **where))  # type: ignore[arg-type]
    return Evidence(rows, draw=partial(draw, curves), seed=SEED)


def of_torch(n_in: int, n_out: int) -> float:
    """The variance of U(-a, a), from the largest weight that torch draws: a^2 / 3."""
    import torch

    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(SEED)
        return float(torch.nn.init.xavier_uniform_(torch.empty(n_out, n_in)).abs().max()) ** 2 / 3


def measured(variance: Variance, widths: tuple[int, ...], n_networks: int) -> tuple[np.ndarray, np.ndarray]:
    """Mean squares (networks, layers) of signal and gradient, in units of the input's and the last layer's."""
    forward, backward = [], []
    for i in range(n_networks):
        rng = np.random.default_rng([SEED, i])
        bounds = [sqrt(3 * variance(a, b)) for a, b in pairwise(widths)]
        matrices = [rng.uniform(-r, r, (b, a)) for (a, b), r in zip(pairwise(widths), bounds, strict=True)]
        z, slopes, squares = np.full(widths[0], 1e-3), [], []
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
    for color, scheme in zip(SERIES, SCHEMES, strict=False):
        forward, backward = curves["equal widths", scheme]
        ax.plot(forward.mean(0), "o-", color=color, markersize=4, label=f"{scheme}: signal")
        ax.plot(backward.mean(0), "s--", color=color, markersize=4, label=f"{scheme}: gradient")
    clean(ax, "layer", "variance", yscale="log")
