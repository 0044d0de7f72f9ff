r"""Heavy ball on quadratics: the best step and momentum, and the square root of the condition.

Claim
    On quadratics with eigenvalues from c to L the step 4 / (sqrt(L) + sqrt(c))^2 and the momentum ((sqrt(k) - 1) / (sqrt(k) +
    1))^2, k = L/c, make the error fall by (sqrt(k) - 1) / (sqrt(k) + 1) a step, in place of (k - 1) / (k + 1) without
    momentum; no other step and momentum make it fall faster.
Source
    B. Polyak, Some Methods of Speeding up the Convergence of Iteration Methods, USSR Comput. Math. Math. Phys. 4 (1964)
    [polyak1964].
Prediction
    plica.theory.optimization.heavy_ball_parameters, plica.theory.optimization.heavy_ball_radius and
    plica.theory.optimization.gradient_descent_radius
Measurement
    one step of plica.learn.SGD as a matrix, found by running it on a basis; its eigenvalues by LAPACK, over a thousand
    eigenvalues of the quadratic
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from plica._palette import MEASUREMENT, PREDICTION, REFERENCE
from plica.claims import Evidence, row
from plica.claims.optimization._linear import spectral_radius
from plica.theory.optimization import gradient_descent_radius, heavy_ball_parameters, heavy_ball_radius

if TYPE_CHECKING:
    from matplotlib.axes import Axes

STATEMENT = "theorem"
EXPECTED = "holds"
KIND = "estimated"
SEE = ("nesterov-2004-rate", "nesterov-2004-lower-bound", "lessard-2016-cycle")
#: At the best parameters two eigenvalues coincide, and rounding moves a double root by its square root.
DOUBLE_ROOT = 5e-8


def check(scale: str) -> Evidence:
    n = 10_000 if scale == "full" else 1000
    rows = []
    for smoothness, convexity in ((4.0, 1.0), (3.0, 0.03), (50.0, 0.005)):
        values = np.geomspace(convexity, smoothness, n)
        root = np.sqrt(smoothness / convexity)
        best = heavy_ball_parameters(smoothness, convexity)
        about: dict[str, Any] = {"L": smoothness, "c": convexity}
        estimate: dict[str, Any] = {"kind": "estimated", "standard_error": DOUBLE_ROOT}
        measured = spectral_radius(values, *best)
        rows.append(row(measured, "=", float((root - 1) / (root + 1)), what="rate", **estimate, **about))
        for rate, momentum in ((best.rate * 0.9, best.momentum), (best.rate, best.momentum * 0.9), (best.rate, 0.5)):
            other = spectral_radius([convexity, smoothness], rate, momentum)
            predicted = heavy_ball_radius([convexity, smoothness], rate, momentum)
            shown: dict[str, Any] = about | {"rate": round(rate, 5), "momentum": round(momentum, 5)}
            rows.append(row(other, "=", predicted, what="other parameters", **estimate, **shown))
        kappa = root**2
        plain = spectral_radius([convexity, smoothness], 2 / (smoothness + convexity), 0.0)
        estimate["standard_error"] = 1e-14
        rows.append(row(plain, "=", float((kappa - 1) / (kappa + 1)), what="without momentum", **estimate, **about))
        rows.append(
            row(plain, "=", gradient_descent_radius([convexity, smoothness], 2 / (smoothness + convexity)),
                what="the same, by formula", **estimate, **about)
        )  # fmt: skip
        rates = np.linspace(0.05, 3.9, 60) / smoothness
        least = min(spectral_radius([convexity, smoothness], r, m) for r in rates for m in np.linspace(0, 0.999, 40))
        rows.append(row(least, ">", measured, kind="estimated", standard_error=DOUBLE_ROOT, what="best of a grid", **about))
    return Evidence(rows, draw=draw)


def draw(ax: Axes) -> None:
    """Rates against the condition: steps to a tenth of the error."""
    conditions = np.geomspace(2, 1e4, 30)

    def steps(radius: float) -> float:
        return float(np.log(0.1) / np.log(radius))

    measured = [steps(spectral_radius([1.0, k], *heavy_ball_parameters(k, 1.0))) for k in conditions]
    plain = [steps(gradient_descent_radius([1.0, k], 2 / (k + 1))) for k in conditions]
    ax.plot(conditions, plain, color=REFERENCE, label="gradient descent")
    ax.plot(conditions, measured, "o", color=MEASUREMENT, markersize=3, label="heavy ball")
    ax.plot(conditions, [steps((np.sqrt(k) - 1) / (np.sqrt(k) + 1)) for k in conditions], color=PREDICTION, linewidth=0.8)
    ax.set(xscale="log", yscale="log", xlabel="condition", ylabel="steps to a tenth of the error")
    ax.legend(frameon=False)
