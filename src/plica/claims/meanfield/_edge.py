"""The edge of chaos found a second way: adaptive quadrature, iteration to the fixed length, bisection on sigma_w."""

from __future__ import annotations

from collections.abc import Callable
from math import exp, pi, sqrt
from typing import TYPE_CHECKING, Any

import numpy as np

from plica._palette import SERIES
from plica.claims import Row, row
from plica.claims.meanfield._inputs import clean
from plica.theory.meanfield import edge_of_chaos, edge_of_chaos_curve

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Function = Callable[[float], float]


def average(f: Function, q: float) -> float:
    """E f(sqrt(q) z) by adaptive Gauss-Kronrod quadrature."""
    from scipy.integrate import quad

    s = sqrt(q)
    value, _ = quad(lambda z: f(s * z) * exp(-z * z / 2), 0.0, 12.0, epsabs=1e-13, epsrel=1e-12, limit=200)
    return 2 * value / sqrt(2 * pi)  # the squares of odd functions and of their slopes are even


def edge_by_bisection(squared: Function, squared_slope: Function, bias_variance: float, bracket: tuple[float, float]) -> float:
    """sigma_w^2 at which chi_1, at the length reached by iteration, is one."""
    from scipy.optimize import brentq

    def excess(weight_variance: float) -> float:
        q = float(brentq(lambda q: weight_variance * average(squared, q) + bias_variance - q, 1e-9, 50.0, xtol=1e-13))
        return weight_variance * average(squared_slope, q) - 1

    return float(brentq(excess, *bracket, xtol=1e-10))


def edge_rows(name: str, squared: Function, squared_slope: Function, printed: dict[float, float]) -> list[Row]:
    """Both ways for each bias variance, and the printed digits."""
    rows = []
    for bias_variance, digits in printed.items():
        predicted = edge_of_chaos(name, bias_std=sqrt(bias_variance)).weight_std ** 2
        measured = edge_by_bisection(squared, squared_slope, bias_variance, (0.9 * digits, 1.1 * digits))
        about: dict[str, Any] = {"sigma_b^2": bias_variance}
        numbers: dict[str, Any] = {"kind": "estimated", "standard_error": 2e-9}  # what both quadratures and root finders leave
        rows.append(row(measured, "=", predicted, quantity="sigma_w^2, found twice", **numbers, **about))
        rows.append(row(round(measured, 5), "=", digits, quantity="sigma_w^2 to six digits", **numbers, **about))
    return rows


def draw_edge(name: str, ax: Axes) -> None:
    """The edge of chaos in the plane of the two scales."""
    biases = np.linspace(0.0, 1.0, 25)
    for color, other in zip(SERIES, (name, "hard-tanh", "sine"), strict=False):
        ax.plot(edge_of_chaos_curve(other, bias_stds=biases), biases, color=color, label=other)
    clean(ax, r"$\sigma_w$", r"$\sigma_b$")
