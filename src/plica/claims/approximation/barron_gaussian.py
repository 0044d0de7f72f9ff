r"""Barron's constant of a Gaussian.

Claim
    f(x) = exp(-|x|^2 / (2 sigma^2)) on R^d has Barron constant C = sqrt(2) Gamma((d+1)/2) / (sigma Gamma(d/2)) <= sqrt(d) /
    sigma.
Source
    A. Barron, IEEE Trans. Inf. Theory 39 (1993), section IX [barron1993].
Prediction
    plica.theory.approximation.barron_constant_gaussian(d, sigma=sigma), and sqrt(d) / sigma as an upper bound
Measurement
    the integral of |w| |F(w)| that defines C, F computed from f: the Fourier transform of a radial function by Bessel functions,
    both integrals by Gauss's rule; its error is the difference to a finer rule
Remark
    The University of Washington lecture prints an amplitude (2 pi sigma^2)^{d/2}: the claim slide-gaussian-amplitude.
"""

from __future__ import annotations

from functools import partial
from math import gamma, pi, sqrt
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.special import jv

from plica._palette import BOUND, MEASUREMENT, PREDICTION
from plica.claims import Evidence, row
from plica.theory.approximation import barron_constant_gaussian

if TYPE_CHECKING:
    from matplotlib.axes import Axes

STATEMENT = "theorem"
EXPECTED = "holds"
KIND = "estimated"
SEE = ("slide-fourier-pair", "slide-gaussian-amplitude")


def transformed_constant(d: int, sigma: float, *, amplitude: float = 1.0, n: int = 160) -> float:
    """C of amplitude times the Gaussian, from the function itself, with n nodes in each integral."""
    nodes, weights = np.polynomial.legendre.leggauss(n)
    r, dr = 6 * sigma * (nodes + 1), 6 * sigma * weights  # the function is 1e-31 at 12 sigma
    rho, drho = 6 / sigma * (nodes + 1), 6 / sigma * weights
    f = amplitude * np.exp(-(r**2) / (2 * sigma**2))
    # F(rho) = (2 pi)^(-d) (2 pi)^(d/2) rho^(1 - d/2) int f(r) J_(d/2 - 1)(rho r) r^(d/2) dr
    bessel = jv(d / 2 - 1, np.outer(rho, r))
    F = (2 * pi) ** (-d / 2) * rho ** (1 - d / 2) * (bessel @ (f * r ** (d / 2) * dr))
    surface = 2 * pi ** (d / 2) / gamma(d / 2)
    return float(surface * np.abs(F) @ (rho**d * drho))


def check(scale: str) -> Evidence:
    rows = []
    for d in (2, 3, 5, 10) + ((4, 20) if scale == "full" else ()):
        for sigma in (1.0, 0.5):
            measured = transformed_constant(d, sigma)
            error = abs(measured - transformed_constant(d, sigma, n=240)) + 1e-9
            about: dict[str, Any] = {"kind": "estimated", "standard_error": error, "d": d, "sigma": sigma}
            rows.append(row(measured, "=", barron_constant_gaussian(d, sigma=sigma), **about))
            rows.append(row(measured, "<=", sqrt(d) / sigma, **about))
    # one dimension: twice the integral of w e^(-w^2/2) / sqrt(2 pi)
    rows.append(row(barron_constant_gaussian(1, sigma=2.0), "=", sqrt(2 / pi) / 2, tolerance=1e-12, d=1, sigma=2.0))
    return Evidence(rows, draw=partial(draw, {d: transformed_constant(d, 1.0) for d in range(2, 11)}))


def draw(found: dict[int, float], ax: Axes) -> None:
    """The constant against the dimension, below the root of the dimension."""
    d = list(found)
    ax.plot(d, [barron_constant_gaussian(k, sigma=1.0) for k in d], color=PREDICTION, linewidth=1, label="closed form")
    ax.plot(d, list(found.values()), "o", color=MEASUREMENT, markersize=5, label="from the transform")
    ax.plot(d, np.sqrt(d), "--", color=BOUND, linewidth=1, label="root of d")
    ax.set(xlabel="dimension d", ylabel=r"Barron constant, $\sigma = 1$")
    ax.legend(frameon=False, fontsize=8)
    ax.spines[["top", "right"]].set_visible(False)
