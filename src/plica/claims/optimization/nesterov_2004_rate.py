r"""Nesterov's constant scheme on quadratics: 1 - 1 / sqrt(condition).

Claim
    With step 1/L and momentum (sqrt(k) - 1) / (sqrt(k) + 1), k = L/c, and the gradient taken ahead, the error on quadratics
    with eigenvalues from c to L falls by 1 - 1/sqrt(k) a step: slower than the best heavy ball, by a factor of two in the
    exponent.
Source
    Yu. Nesterov, Introductory Lectures on Convex Optimization (2004), section 2.2.1, "constant step scheme, III"
    [nesterov2004]; it is scheme (2.2.22) of the second edition (2018).
Prediction
    1 - 1/sqrt(k), and plica.theory.optimization.nesterov_radius with plica.theory.optimization.nesterov_parameters
Measurement
    one step of plica.learn.SGD with nesterov=True as a matrix, found by running it on a basis; its eigenvalues by LAPACK
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from plica._palette import MEASUREMENT, PREDICTION, REFERENCE
from plica.claims import Evidence, row
from plica.claims.optimization._linear import spectral_radius
from plica.theory.optimization import nesterov_parameters, nesterov_radius

if TYPE_CHECKING:
    from matplotlib.axes import Axes

STATEMENT = "theorem"
EXPECTED = "holds"
KIND = "estimated"
SEE = ("polyak-1964-heavy-ball",)
DOUBLE_ROOT = 5e-8


def check(scale: str) -> Evidence:
    n = 10_000 if scale == "full" else 1000
    rows = []
    for smoothness, convexity in ((4.0, 1.0), (3.0, 0.03), (50.0, 0.005)):
        values = np.geomspace(convexity, smoothness, n)
        best = nesterov_parameters(smoothness, convexity)
        about: dict[str, Any] = {"L": smoothness, "c": convexity}
        estimate: dict[str, Any] = {"kind": "estimated", "standard_error": DOUBLE_ROOT}
        measured = spectral_radius(values, *best, nesterov=True)
        rows.append(row(measured, "=", 1 - float(np.sqrt(convexity / smoothness)), what="rate", **estimate, **about))
        for rate, momentum in ((0.5 / smoothness, 0.9), (1.2 / smoothness, 0.3)):
            other = spectral_radius(values, rate, momentum, nesterov=True)
            shown: dict[str, Any] = about | {"rate": round(rate, 5), "momentum": momentum}
            rows.append(row(other, "=", nesterov_radius(values, rate, momentum), what="other parameters", **estimate, **shown))
        ratio = np.log(spectral_radius([convexity, smoothness], *_heavy(smoothness, convexity))) / np.log(measured)
        if smoothness / convexity > 1000:
            rows.append(
                row(float(ratio), "=", 2.0, kind="estimated", standard_error=1e-4, tolerance=0.02,
                    what="exponent of the heavy ball over this one", **about)
            )  # fmt: skip
    return Evidence(rows, draw=draw)


def _heavy(smoothness: float, convexity: float) -> tuple[float, float]:
    """Polyak's parameters, written out."""
    big, small = np.sqrt(smoothness), np.sqrt(convexity)
    return float(4 / (big + small) ** 2), float(((big - small) / (big + small)) ** 2)


def draw(ax: Axes) -> None:
    """The modulus of the slower root for every eigenvalue of a quadratic with condition 100."""
    values = np.geomspace(0.01, 1, 200)
    ahead = [spectral_radius([v], *nesterov_parameters(1.0, 0.01), nesterov=True) for v in values]
    heavy = [spectral_radius([v], *_heavy(1.0, 0.01)) for v in values]
    ax.plot(values, ahead, color=MEASUREMENT, label="Nesterov")
    ax.plot(values, heavy, color=REFERENCE, label="heavy ball")
    ax.axhline(0.9, color=PREDICTION, linestyle="--", linewidth=0.8)
    ax.annotate("$1 - 1/\\sqrt{100}$", (0.011, 0.905))
    ax.set(xscale="log", xlabel="eigenvalue", ylabel="factor of one step", ylim=(0, 1))
    ax.legend(frameon=False, loc="lower left")
