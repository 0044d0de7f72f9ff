r"""Infinitely wide networks made finite: quadrature and sampling.

Claim
    A smooth function on [0, 1] is g(0) + int_0^x g'(b) db = g(0) + int_0^1 1{x >= b} g'(b) db, and g(0) + g'(0) x + int_0^1
    ReLU(x - b) g''(b) db: infinitely many units, with thresholds b. Thresholds at n midpoints have an error of max |g'| / (2n)
    with steps and O(1/n^2) with ReLUs; n random ones with density |g'| or |g''| have the mean squared error V(x) / n, V the
    variance of one of them.
Source
    University of Washington lecture, infinite-width networks [washington-lecture]; M. Telgarsky, Deep Learning Theory Lecture
    Notes (2021), Section 3 [telgarsky2021].
Prediction
    for e^x: e/2, the limit of n times the error with steps; the slope -2 with ReLUs; for random thresholds V(x) =
    (e^x - 1)(e - e^x) with steps and (e - 1)(2 e^x - x^2 - 2x - 2) - (e^x - 1 - x)^2 with ReLUs
Measurement
    certified sup errors of plica.construct.integral_network with midpoints; for random thresholds the mean and
    variance of the units of such networks, read off their weights, and the error of each network at 1/2, at most 4 (V/n)^{1/2}
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from math import e, exp, log, sqrt
from typing import TYPE_CHECKING, Any

import numpy as np

from plica._palette import PREDICTION, SERIES
from plica.claims import Evidence, row
from plica.construct import exp as exponential
from plica.construct import integral_network, variables
from plica.network import Linear

if TYPE_CHECKING:
    from matplotlib.axes import Axes

STATEMENT = "theorem"
EXPECTED = "holds"
KIND = "estimated"
SEE = ("threshold-network", "barron-rate")
SEED = 2021
VARIANCES: dict[str, Callable[[float], float]] = {
    "step": lambda x: (exp(x) - 1) * (e - exp(x)),
    "relu": lambda x: (e - 1) * (2 * exp(x) - x * x - 2 * x - 2) - (exp(x) - 1 - x) ** 2,
}
PLACES = {"step": (0.5, 0.75), "relu": (0.75, 1.0)}


def quadrature_error(n: int, units: str) -> float:
    (x,) = variables(1)
    built = integral_network(exponential(x), n, units=units)
    assert built.certificate is not None
    return float(built.certificate.bound)


def units_of(units: str, n: int, seed: int) -> tuple[np.ndarray, np.ndarray, float]:
    """Thresholds and coefficients of a network of n random thresholds, read off its weights, and its error at 1/2."""
    (x,) = variables(1)
    built = integral_network(exponential(x), n, units=units, rule="random", seed=seed)
    off = float(built(np.array([[0.5]]))[0, 0]) - exp(0.5)
    network: Any = built.network
    if units == "step":
        (weight, bias), (out, _) = network.hidden[0], network.output
    else:
        first, last = (node.op for node in network.nodes if isinstance(node.op, Linear))
        weight, bias, out = first.weight, first.bias, last.weight
    return -bias / weight[:, 0], out[0, -n:], off  # before them stands the weight of x itself


def check(scale: str) -> Evidence:
    more = 8 if scale == "full" else 1
    rows, curves = [], {}
    for n in (64, 256):
        measured = n * quadrature_error(n, "step")
        rows.append(row(measured, "=", e / 2, kind="certified", tolerance=2 / n, units="step", n=n, what="n times the error"))
    sizes = (16, 64, 256)
    for units in ("step", "relu"):
        curves[f"{units}, midpoints"] = [quadrature_error(n, units) for n in sizes]
    slope = log(curves["relu, midpoints"][2] / curves["relu, midpoints"][1]) / log(sizes[2] / sizes[1])
    rows.append(row(slope, "=", -2.0, kind="certified", tolerance=0.01, units="relu", n="64 to 256", what="slope"))
    for units, n, n_networks in (("step", 2000, 2 * more), ("relu", 400, 8 * more)):
        drawn = [units_of(units, n, SEED + k) for k in range(n_networks)]
        for x in PLACES[units]:
            terms = []
            for b, c, _ in drawn:
                unit = (x >= b).astype(float) if units == "step" else np.maximum(x - b, 0.0)
                terms.append(n * c * unit)
            values = np.concatenate(terms)
            variance = float(values.var())
            error = float(np.std((values - values.mean()) ** 2) / sqrt(len(values)))
            about: dict[str, Any] = {"kind": "estimated", "units": units, "n": n, "x": x}
            rows.append(row(variance, "=", VARIANCES[units](x), standard_error=error, what="variance of one unit", **about))
            expected = exp(x) - 1 if units == "step" else exp(x) - 1 - x
            spread = sqrt(VARIANCES[units](x) / len(values))
            rows.append(row(float(values.mean()), "=", expected, standard_error=spread, what="mean of one unit", **about))
        off = np.array([o for _, _, o in drawn]) / sqrt(VARIANCES[units](0.5) / n)
        worst = float(np.abs(off).max())
        rows.append(row(worst, "<=", 4.0, units=units, n=n, x=0.5, what="largest error of a network, in (V/n)^(1/2)"))
    return Evidence(rows, draw=partial(draw, sizes, curves), seed=SEED)


def draw(sizes: tuple[int, ...], curves: dict[str, list[float]], ax: Axes) -> None:
    """Errors against n: midpoints certified, random thresholds as predicted."""
    for (name, values), color in zip(curves.items(), SERIES, strict=False):
        ax.loglog(sizes, values, "o-", color=color, markersize=4, label=name)
    for units, style in (("step", "--"), ("relu", ":")):
        expected = [sqrt(VARIANCES[units](0.5) / n) for n in sizes]
        ax.loglog(sizes, expected, style, color=PREDICTION, linewidth=1, label=f"{units}, random, at 1/2")
    ax.set(xlabel="units n", ylabel="error for the exponential")
    ax.legend(frameon=False, fontsize=8)
    ax.spines[["top", "right"]].set_visible(False)
