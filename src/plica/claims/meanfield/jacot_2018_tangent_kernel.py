r"""Jacot, Gabriel and Hongler: the tangent kernel of wide networks is deterministic.

Claim
    As the layers of a random network grow wide, the inner products of its gradients with respect to the parameters converge to
    Theta^L, with Theta^0 = K^0 and Theta^{l+1} = K^{l+1} + Theta^l sigma_w^2 E phi'(u) phi'(v); their spread shrinks like one
    over the root of the width.
Source
    A. Jacot, F. Gabriel, C. Hongler, NeurIPS 2018, Theorem 1 [jacot2018].
Prediction
    plica.theory.kernels.ntk
Measurement
    the mean and the spread over random networks of the tangent kernel, from gradients (plica.measure.Ensemble)
"""

from __future__ import annotations

from functools import partial
from math import sqrt
from typing import TYPE_CHECKING, Any

import numpy as np

from plica._palette import SERIES
from plica.claims import Evidence, row
from plica.claims.meanfield._inputs import clean, relative
from plica.measure import Ensemble
from plica.theory.kernels import ntk

if TYPE_CHECKING:
    from matplotlib.axes import Axes

STATEMENT = "theorem"
EXPECTED = "holds"
KIND = "estimated"
SEE = ("lee-2018-gaussian-process",)
SEED = 1806


def check(scale: str) -> Evidence:
    widths, n_networks = ((64, 256, 1024), 1000) if scale == "full" else ((32, 96, 288), 1600)
    x = np.random.default_rng(SEED).standard_normal((2, 6))
    rows = []
    spreads: dict[str, list[float]] = {}
    for activation, sigma, bias_std in (("relu", sqrt(2.0), 0.1), ("erf", 1.5, 0.3)):
        kernel = ntk(x, depth=2, weight_std=sigma, bias_std=bias_std, activation=activation)
        spreads[activation] = []
        for width in widths:
            found = Ensemble(
                (6, width, width), n_networks=n_networks, seed=SEED, weight_std=sigma, bias_std=bias_std, activation=activation
            ).estimate_kernels(x)
            mean, error = found.mean(found.ntk), found.standard_error(found.ntk)
            about: dict[str, Any] = {"activation": activation, "width": width}
            for i, j in ((0, 0), (0, 1)) if width == widths[-1] else ():
                slack = relative(float(kernel.max()) / width, kernel[i, j])
                numbers: dict[str, Any] = {"kind": "estimated", "standard_error": float(error[i, j]), "tolerance": slack}
                rows.append(row(float(mean[i, j]), "=", float(kernel[i, j]), **numbers, pair=(i, j), **about))
            spreads[activation].append(float(found.ntk[:, 0, 0].std(ddof=1) / kernel[0, 0]))
        logs = np.log(widths) - np.mean(np.log(widths))
        slope = float(logs @ np.log(spreads[activation]) / (logs @ logs))
        error_of_slope = sqrt(1 / (2 * (n_networks - 1)) / float(logs @ logs))  # a spread is known to 1 / sqrt(2 (n - 1))
        rows.append(
            row(
                slope,
                "=",
                -0.5,
                kind="estimated",
                standard_error=error_of_slope,
                activation=activation,
                width="all",
                pair="exponent of spread",
            )
        )
    return Evidence(rows, draw=partial(draw, widths, spreads), seed=SEED)


def draw(widths: tuple[int, ...], spreads: dict[str, list[float]], ax: Axes) -> None:
    """Relative spread of the tangent kernel from network to network against width."""
    for color, (activation, values) in zip(SERIES, spreads.items(), strict=False):
        ax.plot(widths, values, "o-", color=color, label=activation)
        ax.plot(widths, values[0] * np.sqrt(widths[0] / np.array(widths)), ":", color=color)
    clean(ax, "width", "relative spread of the kernel", xscale="log", yscale="log")
