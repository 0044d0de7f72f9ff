r"""The exact growth of lengths through a random ReLU network.

Claim
    With Gaussian weights N(0, sigma_w^2 / n) and any symmetric bias, one layer multiplies the expected length of every curve by
    c = sigma_w n_in^{-1/2} E[chi_K], K a fair binomial of n_out; at He's initialization c = 1 - 5/(8n) + ... and lengths shrink.
Source
    Derived in plica.theory.lengths.relu_length_factor; agrees with B. Hanin, R. Jeong, D. Rolnick, ICLR 2022 [hanin2022].
Prediction
    plica.theory.lengths.relu_expected_length, the product of the layers' factors
Measurement
    the mean length of the image of a random segment over random networks with biases (plica.measure.Ensemble)
"""

from __future__ import annotations

from math import sqrt
from typing import TYPE_CHECKING, Any

import numpy as np

from plica._palette import SERIES
from plica.claims import Evidence, row
from plica.geometry import Segment
from plica.measure import Ensemble
from plica.theory.lengths import relu_expected_length, relu_length_factor

if TYPE_CHECKING:
    from matplotlib.axes import Axes

STATEMENT = "theorem"
EXPECTED = "holds"
KIND = "estimated"
SEE = ("slide-raghu-relu", "price-tanner-2019")
SEED = 2022


def check(scale: str) -> Evidence:
    n_networks = 60_000 if scale == "full" else 6_000
    rows = []
    for widths, weight_std in (((4, 4, 4, 4, 4), 2.0), ((8, 16, 8), sqrt(2.0)), ((16, 16, 16), sqrt(2.0)), ((2, 1), 1.0)):
        ensemble = Ensemble(widths, n_networks=n_networks, seed=SEED, weight_std=weight_std, bias_std=0.5, activation="relu")
        start, stop = np.random.default_rng(SEED).standard_normal((2, widths[0]))
        lengths = ensemble.estimate_lengths(Segment(start, stop), n_points=4)
        for depth, (mean, error) in enumerate(zip(lengths.mean, lengths.standard_error, strict=True), start=1):
            measured, doubt = float(mean / lengths.input), float(error / lengths.input)
            about: dict[str, Any] = {"kind": "estimated", "standard_error": doubt, "widths": widths, "depth": depth}
            rows.append(row(measured, "=", relu_expected_length(widths[: depth + 1], weight_std=weight_std), **about))
    return Evidence(rows, draw=draw, seed=SEED)


def draw(ax: Axes) -> None:
    """The factor of one layer against width."""
    widths = list(range(1, 65))
    cases = ((sqrt(2.0), "He: $\\sigma_w^2 = 2$"), (2.0, "$\\sigma_w = 2$"))
    for (std, label), color in zip(cases, SERIES, strict=False):
        ax.plot(widths, [relu_length_factor(n, n, weight_std=std) for n in widths], color=color, label=label)
        ax.axhline(std / sqrt(2.0), color=color, linewidth=0.8, linestyle=":")
    ax.set_xlabel("width")
    ax.set_ylabel("factor of one layer")
    ax.legend(frameon=False)
    ax.spines[["top", "right"]].set_visible(False)
