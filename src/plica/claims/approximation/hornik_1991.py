r"""Hornik: bounded and non-constant is enough, in the mean and uniformly.

Claim
    With a bounded, continuous activation networks of one hidden layer are dense in the continuous functions on a compact set,
    and in L^p for every finite measure, if and only if it is not constant; it need not be sigmoidal.
Source
    K. Hornik, Neural Networks 4 (1991), Theorems 1 and 2 [hornik1991]; Summer@ICERM 2020 omits "non-constant" [icerm-2020].
Prediction
    with cosines, bounded and not sigmoidal, the errors of |x| on [-1, 1] in L^2 and in the largest deviation are the tails of its
    Fourier series; for the measure that sits at three points the error is zero with three units; with a constant activation the
    largest error of x is 1 and its L^2 error sqrt(2 / 3), whatever the width
Measurement
    networks of cosines (plica.construct.Perceptron) on fine grids, and fitted to three points
    (plica.construct.feature_regression); networks with the constant activation 1, whose output weights are the best in each
    norm
"""

from __future__ import annotations

from functools import partial
from math import pi, sqrt
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.optimize import linprog

from plica._palette import BOUND, PREDICTION, SERIES
from plica.claims import Evidence, Row, row
from plica.claims.approximation._fourier import cosine_features, cosine_tail, cosines
from plica.construct import feature_regression

if TYPE_CHECKING:
    from matplotlib.axes import Axes

STATEMENT = "theorem"
EXPECTED = "holds"
KIND = "estimated"
SEE = ("slide-hornik", "cybenko-1989", "stone-weierstrass-density", "leshno-1993-polynomial-activation")
SEED = 1991


def constant_errors(n: int) -> tuple[float, float]:
    """The largest and the L2 error of x on [-1, 1] for n units that are 1 everywhere, each with its best output weights."""
    x = np.linspace(-1, 1, 2001)
    units = np.ones((len(x), n))
    ones = np.ones((len(x), 1))
    program = linprog(
        [0.0] * n + [1.0],
        A_ub=np.block([[units, -ones], [-units, -ones]]),
        b_ub=np.concatenate([x, -x]),
        bounds=[(None, None)] * n + [(0.0, None)],
    )
    best = np.linalg.lstsq(units, x, rcond=None)[0]
    return float(program.fun), sqrt(float(np.trapezoid((units @ best - x) ** 2, x)))


def check(scale: str) -> Evidence:
    rows = []
    float64: dict[str, Any] = {"kind": "estimated", "standard_error": 1e-12}
    x = np.linspace(-1, 1, 160_001 if scale == "full" else 40_001)  # the sum of 512 cosines turns 1,023 times
    for n in (2, 8, 32) + ((128, 512) if scale == "full" else ()):
        gap = np.abs(cosines(n)(x[:, None])[:, 0] - np.abs(x))
        about: dict[str, Any] = {"activation": "cos", "units": n}
        largest = 4 / pi**2 * cosine_tail(n, 2)
        rows.append(row(float(gap.max()), "=", largest, tolerance=1e-5, norm="largest", **about, **float64))
        mean_square = 4 / pi**2 * sqrt(cosine_tail(n, 4))
        found = sqrt(float(np.trapezoid(gap**2, x)))
        rows.append(row(found, "=", mean_square, tolerance=1e-3, norm="L2", **about, **float64))
    points = np.array([[-0.7], [0.1], [0.4]])
    random = np.random.default_rng(SEED)
    start = cosine_features(random.normal(size=(3, 1)) * 3, random.normal(size=3))
    fitted = feature_regression(points, np.abs(points[:, 0]), start)
    left = float(np.abs(fitted(points)[:, 0] - np.abs(points[:, 0])).max())
    rows.append(row(left, "<=", 1e-10, kind="certified", activation="cos", units=3, norm="L2 at three points"))
    for n in (1, 16):
        largest, square = constant_errors(n)
        rows.append(row(largest, "=", 1.0, tolerance=1e-9, activation="constant", units=n, norm="largest", **float64))
        rows.append(row(square, "=", sqrt(2 / 3), tolerance=1e-5, activation="constant", units=n, norm="L2", **float64))
    return Evidence(rows, draw=partial(draw, rows), seed=SEED)


def draw(rows: list[Row], ax: Axes) -> None:
    """Errors of cosines fall with the width; a constant activation stays where it is."""
    for norm, color in zip(("largest", "L2"), SERIES, strict=False):
        chosen = [r for r in rows if r.parameters["activation"] == "cos" and r.parameters["norm"] == norm]
        n = [r.parameters["units"] for r in chosen]
        ax.loglog(n, [r.predicted for r in chosen], color=PREDICTION, linewidth=0.8)
        ax.loglog(n, [r.measured for r in chosen], "o", color=color, label=f"cosines, {norm}")
    ax.axhline(1.0, color=BOUND, linestyle="--", linewidth=1, label="constant activation, largest")
    ax.set_xlabel("units")
    ax.set_ylabel("error")
    ax.legend(frameon=False, fontsize=8)
    ax.spines[["top", "right"]].set_visible(False)
