r"""Infinitely wide networks made finite: quadrature and sampling.

Claim
    A smooth function on [0, 1] is g(0) + int 1{x >= b} g'(b) db = g(0) + g'(0) x + int ReLU(x - b) g''(b) db; n thresholds at
    midpoints have the error O(1/n) with steps and O(1/n^2) with ReLUs, and n random ones O(1/sqrt(n)).
Source
    University of Washington lecture, infinite-width networks [washington-lecture]; M. Telgarsky, Deep Learning Theory Lecture
    Notes (2021), Section 3 [telgarsky2021].
Prediction
    the slopes -1, -2 and -1/2 of log error against log n
Measurement
    least-squares slopes of certified sup errors of plica.construct.integral_network, for random thresholds averaged over networks
"""

from __future__ import annotations

from collections.abc import Callable
from math import sqrt
from typing import TYPE_CHECKING

import numpy as np

from plica._palette import SERIES
from plica.claims import Evidence, row
from plica.construct import estimate_effective_dimension, exp, integral_network, sin, variables

if TYPE_CHECKING:
    from matplotlib.axes import Axes

STATEMENT = "theorem"
EXPECTED = "holds"
KIND = "estimated"
SEE = ("threshold-network", "barron-rate")
SEED = 2021
SLOPES = {("step", "quadrature"): -1.0, ("relu", "quadrature"): -2.0, ("step", "random"): -0.5, ("relu", "random"): -0.5}


def errors(target: object, n: int, units: str, rule: str, n_networks: int) -> tuple[float, float]:
    """The certified error, averaged over networks where they are random, and its standard error."""
    found = []
    for k in range(n_networks if rule == "random" else 1):
        built = integral_network(target, n, units=units, rule=rule, seed=SEED + 1000 * n + k)
        assert built.certificate is not None
        found.append(float(built.certificate.bound))
    return float(np.mean(found)), float(np.std(found) / sqrt(len(found)))


def check(scale: str) -> Evidence:
    full = scale == "full"
    (x,) = variables(1)
    sizes, n_networks = ((16, 64, 256, 512), 12) if full else ((8, 32, 128), 6)
    rows = []
    curves: dict[str, list[float]] = {}
    for name, target in (("exp x", exp(x)), ("sin 5x", sin(5 * x))) if full else (("exp x", exp(x)),):
        for (units, rule), slope in SLOPES.items():
            measured = [errors(target, n, units, rule, n_networks) for n in sizes]
            means = [m for m, _ in measured]
            t = np.log(sizes) - np.mean(np.log(sizes))
            relative = np.array([s for _, s in measured]) / means
            spread = float(np.sqrt(t**2 @ relative**2) / (t @ t)) + 1e-3
            found = estimate_effective_dimension(sizes, means).slope
            rows.append(
                row(found, "=", slope, kind="estimated", standard_error=spread, tolerance=0.1, f=name, units=units, rule=rule)
            )
            curves[f"{name}, {units}, {rule}"] = means
    return Evidence(rows, draw=figure(sizes, curves), seed=SEED)


def figure(sizes: tuple[int, ...], curves: dict[str, list[float]]) -> Callable[[Axes], None]:
    """Certified errors against n."""

    def draw(ax: Axes) -> None:
        for (name, values), color in zip(curves.items(), SERIES, strict=False):
            ax.loglog(sizes, values, "o-", color=color, markersize=4, label=name)
        ax.set_xlabel("units")
        ax.set_ylabel("certified error")
        ax.legend(frameon=False, fontsize="small")
        ax.spines[["top", "right"]].set_visible(False)

    return draw
