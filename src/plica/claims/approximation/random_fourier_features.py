r"""Random Fourier features: the variance of their kernel.

Claim
    With n features sqrt(2/n) cos(w x + b), w normal and b uniform, the product phi(x) phi(y) has the mean k = exp(-|x - y|^2 / (2
    sigma^2)) and the variance (1 - k^2 + k^4 / 2) / n, whatever the dimension.
Source
    A. Rahimi, B. Recht, Random Features for Large-Scale Kernel Machines, NeurIPS 2007 [rahimi2007].
Prediction
    2 cos(w x + b) cos(w y + b) = cos(w (x - y)) + cos(w (x + y) + 2 b): the first has the variance (1 + k^4) / 2 - k^2, the
    second 1/2, and they are not correlated
Measurement
    mean and n times the mean squared deviation over many feature maps (plica.construct.fourier_features) for pairs of points at
    several distances, in 2 and 20 dimensions, sigma = 1, and in 2 with sigma = 2
"""

from __future__ import annotations

from collections.abc import Callable
from math import exp, sqrt
from typing import TYPE_CHECKING, Any

import numpy as np

from plica._palette import PREDICTION, SERIES
from plica.claims import Evidence, Row, row
from plica.construct import fourier_features

if TYPE_CHECKING:
    from matplotlib.axes import Axes

STATEMENT = "theorem"
EXPECTED = "holds"
KIND = "estimated"
SEE = ("barron-rate",)
SEED = 2007


def check(scale: str) -> Evidence:
    n, n_maps = (64, 20_000) if scale == "full" else (16, 9000)
    rows: list[Row] = []
    for d, sigma in ((2, 1.0), (20, 1.0), (2, 2.0)):
        direction = np.ones(d) / sqrt(d)
        distances = (0.0, 0.5, 1.0, 2.0) if sigma == 1 else (3.0,)
        start = np.linspace(-1, 1, d)
        points = np.array([start, *(start + r * direction for r in distances if r)])
        products = np.array(
            [(phi := fourier_features(d, n, sigma=sigma, seed=SEED + k)(points)) @ phi[0] for k in range(n_maps)]
        )[:, -len(distances) :]
        for i, r in enumerate(distances):
            k = exp(-(r**2) / (2 * sigma**2))
            about: dict[str, Any] = {"kind": "estimated", "d": d, "sigma": sigma, "r": r}
            deviation = products[:, i] - k
            mean_error = float(deviation.std() / sqrt(n_maps))
            rows.append(row(float(products[:, i].mean()), "=", k, standard_error=mean_error, what="mean", **about))
            squares = n * deviation**2
            spread = float(squares.std() / sqrt(n_maps))
            rows.append(row(float(squares.mean()), "=", 1 - k**2 + k**4 / 2, standard_error=spread, what="n variance", **about))
    return Evidence(rows, draw=figure(rows), seed=SEED)


def figure(rows: list[Row]) -> Callable[[Axes], None]:
    """n times the variance against the distance of the points."""

    def draw(ax: Axes) -> None:
        r = np.linspace(0, 2.2, 100)
        k = np.exp(-(r**2) / 2)
        ax.plot(r, 1 - k**2 + k**4 / 2, color=PREDICTION, label="1 - k² + k⁴/2")
        for d, color in zip((2, 20), SERIES, strict=False):
            chosen = [row for row in rows if row.parameters["d"] == d and row.parameters["what"] != "mean"]
            ax.plot(
                [c.parameters["r"] / c.parameters["sigma"] for c in chosen],
                [c.measured for c in chosen],
                "o",
                color=color,
                label=f"d = {d}",
            )
        ax.set_xlabel(r"distance / $\sigma$")
        ax.set_ylabel("n times the variance")
        ax.legend(frameon=False)
        ax.spines[["top", "right"]].set_visible(False)

    return draw
