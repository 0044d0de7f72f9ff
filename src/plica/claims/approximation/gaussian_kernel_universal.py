r"""The Gaussian kernel reaches every continuous function, a polynomial kernel does not.

Claim
    Sums of Gaussian kernels at points of a compact set are dense in its continuous functions: interpolation at any distinct
    points is possible, and the error goes to zero. With a polynomial kernel of degree p it stays above the distance to
    polynomials of degree p.
Source
    C. A. Micchelli, Y. Xu, H. Zhang, Universal Kernels, JMLR 7 (2006) [micchelli2006]; for interpolation I. J. Schoenberg (1938);
    named in the University of Washington lecture [washington-lecture].
Prediction
    exp(-|x - y|^2 / (2 sigma^2)); 0, the error at the points; for |x| on [-1, 1] an error that falls by at least the factor 16 of
    the spacing from 9 to 129 points, and the distance 1/8 of |x| to parabolas as a floor for degree two
Measurement
    plica.construct.kernel_regression with plica.construct.gaussian_kernel and plica.construct.polynomial_kernel; the best
    parabola x^2 + 1/8 is written out, and its error is equal at five points (Chebyshev)
"""

from __future__ import annotations

from functools import partial
from math import exp
from typing import TYPE_CHECKING, Any

import numpy as np

from plica._palette import BOUND, MEASUREMENT
from plica.claims import Evidence, control, row
from plica.construct import gaussian_kernel, kernel_regression, polynomial_kernel

if TYPE_CHECKING:
    from matplotlib.axes import Axes

STATEMENT = "theorem"
EXPECTED = "holds"
KIND = "estimated"
SEE = ("polynomial-kernel", "bernstein-constant")
SIZES = (9, 17, 33, 65, 129)
GRID = np.linspace(-1, 1, 4001)[:, None]


def errors(n: int) -> tuple[float, float]:
    """Of Gaussian kernels twice as wide as the spacing: at the points, and on a fine grid."""
    x = np.linspace(-1, 1, n)[:, None]
    fit = kernel_regression(x, np.abs(x[:, 0]), gaussian_kernel(sigma=4 / (n - 1)))
    return float(np.abs(fit(x) - np.abs(x[:, 0])).max()), float(np.abs(fit(GRID) - np.abs(GRID[:, 0])).max())


def check(scale: str) -> Evidence:
    rows, seen = [], {}
    for sigma, distance in ((1.0, 1.0), (0.5, 1.0), (2.0, 3.0)):
        measured = float(gaussian_kernel(sigma=sigma)(np.zeros((1, 2)), np.array([[distance, 0.0]]))[0, 0])
        predicted = exp(-(distance**2) / (2 * sigma**2))
        rows.append(row(measured, "=", predicted, tolerance=1e-12, what="value", sigma=sigma, distance=distance))
    for n in SIZES:
        at_points, everywhere = errors(n)
        seen[n] = everywhere
        about: dict[str, Any] = {"kernel": "Gaussian", "points": n}
        rows.append(
            row(at_points, "=", 0.0, kind="estimated", standard_error=1e-6, unit=1.0, what="error at the points", **about)
        )
    rows.append(row(seen[9] / seen[129], ">=", 16.0, kernel="Gaussian", points="9 to 129", what="factor of the error"))
    best = GRID[:, 0] ** 2 + 1 / 8
    rows.append(control(float(np.abs(best - np.abs(GRID[:, 0])).max()), "=", 1 / 8, tolerance=1e-12, what="error of x^2 + 1/8"))
    ends = [float(t**2 + 1 / 8 - abs(t)) for t in (-1.0, -0.5, 0.0, 0.5, 1.0)]
    rows.append(control(ends == [1 / 8, -1 / 8, 1 / 8, -1 / 8, 1 / 8], "=", True, what="equal at five points, signs alternate"))
    for n in SIZES:
        x = np.linspace(-1, 1, n)[:, None]
        fit = kernel_regression(x, np.abs(x[:, 0]), polynomial_kernel(2), ridge=1e-9)
        error = float(np.abs(fit(GRID) - np.abs(GRID[:, 0])).max())
        rows.append(row(error, ">=", 1 / 8, kernel="polynomial, degree 2", points=n, what="error"))
    values = np.sign(np.random.default_rng(0).normal(size=40))
    points = np.random.default_rng(1).uniform(-1, 1, (40, 3))
    fit = kernel_regression(points, values, gaussian_kernel(sigma=0.2))
    off = float(np.abs(fit(points) - values).max())
    about = {"kernel": "Gaussian", "points": "40 in R^3"}
    rows.append(
        row(off, "=", 0.0, kind="estimated", standard_error=1e-8, unit=1.0, what="random labels, error at the points", **about)
    )
    return Evidence(rows, draw=partial(draw, seen))


def draw(seen: dict[int, float], ax: Axes) -> None:
    """Error for |x| against the number of points."""
    ax.loglog(list(seen), list(seen.values()), "o-", color=MEASUREMENT, label="Gaussian kernel")
    ax.loglog(list(seen), [1 / 8] * len(seen), "--", color=BOUND, label="best parabola: 1/8")
    ax.set(xlabel="points", ylabel="largest error for |x|")
    ax.legend(frameon=False, fontsize=8)
    ax.spines[["top", "right"]].set_visible(False)
