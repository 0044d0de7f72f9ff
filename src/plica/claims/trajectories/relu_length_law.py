r"""The exact growth of lengths through a random ReLU network.

Claim
    With Gaussian weights N(0, sigma_w^2 / n) and any symmetric bias, one layer multiplies the expected length of every curve by
    c = sigma_w n_in^{-1/2} E[chi_K], K a fair binomial of n_out; at He's initialization c = 1 - 5/(8n) + ... and lengths shrink.
Source
    Derived in plica.theory.lengths.relu_length_factor; agrees with B. Hanin, R. Jeong, D. Rolnick, ICLR 2022 [hanin2022].
Prediction
    the product of plica.theory.lengths.relu_length_factor over the layers
Measurement
    the mean length of the image of a unit tangent vector over random networks with biases, by simulation
"""

from __future__ import annotations

from itertools import pairwise
from math import prod, sqrt
from typing import TYPE_CHECKING

from plica._palette import SERIES
from plica.claims import Evidence, row
from plica.claims.trajectories._tangents import tangent_growth
from plica.theory.lengths import relu_length_factor

if TYPE_CHECKING:
    from matplotlib.axes import Axes

STATEMENT = "theorem"
EXPECTED = "holds"
KIND = "estimated"
SEE = ("slide-raghu-relu", "price-tanner-2019")
SEED = 2022


def check(scale: str) -> Evidence:
    n_samples = 200_000 if scale == "full" else 20_000
    rows = []
    for widths, weight_std in (([4, 4, 4, 4, 4], 2.0), ([8, 16, 8], sqrt(2.0)), ([16, 16, 16], sqrt(2.0))):
        growth = tangent_growth(widths, weight_std=weight_std, bias_std=0.5, n_samples=n_samples, seed=SEED)
        factors = [relu_length_factor(n, m, weight_std=weight_std) for n, m in pairwise(widths)]
        for depth, (measured, error) in enumerate(growth, start=1):
            rows.append(
                row(
                    measured,
                    "=",
                    prod(factors[:depth]),
                    kind="estimated",
                    standard_error=error,
                    widths=tuple(widths),
                    depth=depth,
                )
            )
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
