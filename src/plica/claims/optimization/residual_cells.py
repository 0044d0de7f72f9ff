r"""How many cells do residual networks have at the start, beside plain ones of the same size?

Claim
    With first weights that keep plain networks at the edge (variance 2/n) and residual branches at 1/n, both have about the
    number N^2 / 2 of cells on a square that random networks of N units have, while they are shallow. With depth residual
    networks fall far below: at 16 layers of 8 units they have about half, and less than three quarters, of the cells of plain
    ones.
Source
    Asked here, after B. Hanin, D. Rolnick, Deep ReLU Networks Have Surprisingly Few Activation Patterns, NeurIPS 2019
    [hanin2019b], and K. He, X. Zhang, S. Ren, J. Sun, CVPR 2016 [he2016].
Prediction
    at most plica.theory.regions.hanin_rolnick_2019_regions_estimate(N, 2) in deep networks of either kind; residual over plain
    below three quarters at 16 layers, and between 4/5 and 5/4 at 2 layers
Measurement
    exact cells (plica.decompose) of plica.models.deep.DeepNetwork with drawn weights on a square, geometric means over seeds
"""

from __future__ import annotations

from functools import cache, partial
from typing import TYPE_CHECKING, Any

import numpy as np

from plica._palette import REFERENCE, SERIES
from plica._types import Array
from plica.claims import Evidence, row
from plica.claims.optimization._chains import mean_and_error
from plica.geometry import Box, decompose
from plica.theory.regions import hanin_rolnick_2019_regions_estimate

if TYPE_CHECKING:
    from matplotlib.axes import Axes

STATEMENT = "question"
EXPECTED = "answered"
KIND = "estimated"
SEE = ("residual-depth", "shattered-gradients", "hanin-rolnick-2019-plane")
SEED = 16
WIDTH = 8


@cache
def n_cells(layers: str, n_layers: int, seed: int) -> int:
    """Cells on the square of side 6; the first of the layers goes from the plane to the width."""
    import torch

    import plica
    from plica.models import build
    from plica.models.deep import DeepConfig, DeepNetwork

    model = build(DeepNetwork, DeepConfig(2, 1, width=WIDTH, n_layers=n_layers - 1, layers=layers), seed=seed).double()
    rng = np.random.default_rng(seed)
    with torch.no_grad():
        for part in model.modules():
            if isinstance(part, torch.nn.Linear):
                variance = 1.0 if layers == "residual" and part.in_features == WIDTH else 2.0
                weight = rng.standard_normal(part.weight.shape) * np.sqrt(variance / part.in_features)
                part.weight.copy_(torch.from_numpy(weight))
                part.bias.copy_(torch.from_numpy(0.1 * rng.standard_normal(part.bias.shape)))
    return decompose(plica.from_torch(model.eval()), Box([-3, -3], [3, 3])).n_cells


def counts(layers: str, n_layers: int, n_seeds: int) -> Array:
    return np.array([n_cells(layers, n_layers, SEED + i) for i in range(n_seeds)], dtype=np.float64)


def check(scale: str) -> Evidence:
    n_seeds = 60 if scale == "full" else 20
    rows, means = [], {}
    depths = (2, 4, 8, 16)
    for n_layers in depths if scale == "full" else (2, 16):
        found = {kind: counts(kind, n_layers, n_seeds) for kind in ("plain", "residual")}
        means[n_layers] = {kind: float(np.exp(np.log(values).mean())) for kind, values in found.items()}
        logs, error = mean_and_error(np.log(found["residual"] / found["plain"]))
        about: dict[str, Any] = {"kind": "estimated", "layers": n_layers}
        what = "cells, residual over plain"
        if n_layers == 2:
            for relation, limit in ((">", 0.8), ("<", 1.25)):
                rows.append(
                    row(float(np.exp(logs)), relation, limit, standard_error=float(np.exp(logs)) * error, what=what, **about)
                )
        if n_layers == 16:
            rows.append(row(float(np.exp(logs)), "<", 0.75, standard_error=float(np.exp(logs)) * error, what=what, **about))
            for kind, values in found.items():
                mean, error = mean_and_error(values)
                bound = float(hanin_rolnick_2019_regions_estimate(WIDTH * n_layers, 2))
                rows.append(row(mean, "<", bound, standard_error=error, what=f"mean cells, {kind}", **about))
    return Evidence(rows, draw=partial(draw, means), seed=SEED)


def draw(means: dict[int, dict[str, float]], ax: Axes) -> None:
    """Cells against layers, and N^2 / 2."""
    depths = list(means)
    for color, kind in zip(SERIES, ("plain", "residual"), strict=False):
        ax.plot(depths, [means[d][kind] for d in depths], "o-", color=color, label=kind)
    ax.plot(depths, [(WIDTH * d) ** 2 / 2 for d in depths], "--", color=REFERENCE, label=r"$N^2/2$")
    ax.set(xscale="log", yscale="log", xlabel="layers of 8 units", ylabel="cells on a square, geometric mean")
    ax.legend(frameon=False)
