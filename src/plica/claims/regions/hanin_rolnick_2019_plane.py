r"""Hanin and Rolnick: in the plane, random networks have about N^2 / 2 cells, at any depth.

Claim
    At initialization a ReLU network with N neurons and two inputs has about N^2 / 2 cells, whatever the depth: wide networks as
    many as N lines, 1 + N + C(N, 2). In a square their expected number per area is at most (T N)^2 / 2, T = 2^5 C_grad C_bias.
Source
    B. Hanin, D. Rolnick, Deep ReLU Networks Have Surprisingly Few Activation Patterns, NeurIPS 2019, arXiv 1906.00904, Theorem
    5 and Figure 3, the constant 2^5 also in code that others published for it [hanin2019b]; that wide networks have Zaslavsky's
    number follows from the remark.
Prediction
    plica.theory.regions.hanin_rolnick_2019_regions_estimate(N, 2), plica.theory.regions.zaslavsky(N, 2), and
    plica.theory.regions.hanin_rolnick_2019_regions_upper_bound with the moments of the gradient that simulated networks have
Measurement
    cells of random networks with the same N and different depths in all of R^2 and in a square around the origin, exactly for
    each network (plica.count_regions), averaged over seeds
Remark
    In a wide network two neurons and their gradients are, at every point, distributed like two affine functions, so by the
    formula of Kac and Rice their folds cross once in expectation, and each fold crosses a large circle twice: V = C(N, 2) and N
    ends in pairs, which Euler's formula turns into the number of cells. Per area at the origin one layer has C(N, 2) C_bias^2
    crossings, so a T of the size of C_grad C_bias is needed, and 2^5 is room in the proof.
"""

from __future__ import annotations

from functools import partial
from math import pi, sqrt
from statistics import mean, stdev
from typing import TYPE_CHECKING, Any

import numpy as np

from plica._palette import BOUND, PREDICTION, SERIES
from plica.claims import Evidence, Row, control, row
from plica.geometry import Box, Space, count_regions
from plica.network import random_network
from plica.theory.regions import (
    hanin_rolnick_2019_regions_estimate,
    hanin_rolnick_2019_regions_upper_bound,
    zaslavsky,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes

STATEMENT = "published result"
EXPECTED = "reproduced"
KIND = "estimated"
SEE = ("hanin-rolnick-2019-line", "hanin-rolnick-2019-space")
SEED = 1906
BIAS = 0.3


def counts(hidden: list[int], domain: Box | Space, n_networks: int) -> tuple[float, float]:
    """The mean number of cells and its standard error."""
    nets = (random_network([2, *hidden, 1], seed=SEED + k, weights="he-normal", bias_std=BIAS) for k in range(n_networks))
    found = [count_regions(net, domain, cells_only=True).n_cells for net in nets]
    return mean(found), stdev(found) / sqrt(n_networks)


def gradient_constant(hidden: list[int], n_samples: int = 2000) -> float:
    """max_z max(E|grad z|^2, sqrt(E|grad z|^4))^(1/2), by random networks at a random point each."""
    rng = np.random.default_rng(SEED)
    h, J = rng.standard_normal((n_samples, 2)), np.tile(np.eye(2), (n_samples, 1, 1))
    largest = 0.0
    for n in hidden:
        W = sqrt(2 / h.shape[1]) * rng.standard_normal((n_samples, n, h.shape[1]))
        gradient = W @ J
        squares = (gradient**2).sum(-1)
        largest = max(largest, sqrt(squares.mean()), (squares**2).mean() ** 0.25)
        z = (W @ h[..., None])[..., 0] + BIAS * rng.standard_normal((n_samples, n))
        h, J = np.maximum(z, 0), np.where(z[..., None] > 0, gradient, 0.0)
    return largest


def check(scale: str) -> Evidence:
    n_networks = 600 if scale == "full" else 75
    rows = []
    for n in (48, 96) if scale == "full" else (96,):  # counts of wide networks spread less
        for depth in (2, 3):
            measured, error = counts([n // depth] * depth, Space(2), n_networks * depth if scale == "full" else 90)
            about: dict[str, Any] = {"neurons": n, "depth": depth, "kind": "estimated", "standard_error": error}
            rows.append(row(measured, "=", zaslavsky(n, 2), tolerance=0.02, against="N lines", **about))
            law = float(hanin_rolnick_2019_regions_estimate(n, 2))
            rows.append(row(measured, "=", law, tolerance=0.03, against="N^2 / 2", **about))
    for n, d, printed in ((4, 2, 128**2 / 2), (3, 3, 96**3 / 6), (1, 2, 2.0)):  # (T N)^d / d! at T = 2^5, 2^N where N < d
        bound = hanin_rolnick_2019_regions_upper_bound(n, d, c_grad=1.0, c_bias=1.0)
        rows.append(control(bound, "=", printed, against="the bound as printed", neurons=n, depth="any", inputs=d))
    side, c_bias = 0.5, 1 / (BIAS * sqrt(2 * pi))
    square = Box([-side / 2, -side / 2], [side / 2, side / 2])
    for n, depth in ((24, 1), (48, 1), (48, 2), (48, 3)):
        hidden = [n // depth] * depth
        measured, error = counts(hidden, square, 4 * n_networks if depth == 1 else n_networks // 3)
        bound = hanin_rolnick_2019_regions_upper_bound(n, 2, c_grad=gradient_constant(hidden), c_bias=c_bias)
        about = {"neurons": n, "depth": depth, "kind": "estimated", "standard_error": error / side**2}
        rows.append(row(measured / side**2, "<=", bound, against="(T N)^2 / 2 per area", **about))
        if depth == 1:
            about["standard_error"] = error
            rows.append(row(measured, "=", one_layer(n, side), against="one layer in the square", **about))
    return Evidence(rows, draw=partial(draw, rows), seed=SEED)


def one_layer(n: int, side: float) -> float:
    """Expected cells of n random lines in a square around the origin.

    A pair crosses with density sigma / (2 pi (sigma^2 + r^2)^(3/2)); a line meets the border twice where it meets the square.
    """
    nodes, weights = np.polynomial.legendre.leggauss(48)
    x, w = nodes * side / 2, weights * side / 2
    r2 = x[:, None] ** 2 + x[None] ** 2
    crossings = float((w[:, None] * w[None] * BIAS / (2 * pi * (BIAS**2 + r2) ** 1.5)).sum())
    half = side / 2
    border = 4 * 2 / pi * np.arctan(half / sqrt(half**2 + BIAS**2)) / 2  # arctan(t / sqrt(r^2 + sigma^2)) on each of four sides
    return 1 + n * border + n * (n - 1) / 2 * crossings


def draw(rows: list[Row], ax: Axes) -> None:
    """Cells over N^2 / 2 in all of the plane, by depth."""
    for n, color in zip((48, 96), SERIES, strict=False):
        chosen = [r for r in rows if r.parameters["neurons"] == n and r.parameters["against"] == "N lines"]
        if not chosen:
            continue
        depths = [1, *(r.parameters["depth"] for r in chosen)]
        half = n * n / 2
        found = [zaslavsky(n, 2) / half, *(r.measured / half for r in chosen)]
        errors = [0.0, *(2 * (r.standard_error or 0.0) / half for r in chosen)]
        ax.errorbar(depths, found, yerr=errors, fmt="o", color=color, capsize=3, label=f"{n} neurons")
        ax.axhline(zaslavsky(n, 2) / half, color=color, linewidth=0.8)
    ax.axhline(1.0, color=PREDICTION, linewidth=0.8, linestyle=":", label="N² / 2")
    ax.plot([1, 3], [1, 4], color=BOUND, linestyle="--", linewidth=1, label="if depth doubled them")
    ax.set_ylim(0, 2)
    ax.set_xticks([1, 2, 3])
    ax.set_xlabel("depth")
    ax.set_ylabel("cells of the plane / (N² / 2)")
    ax.legend(frameon=False, fontsize=8)
    ax.spines[["top", "right"]].set_visible(False)
