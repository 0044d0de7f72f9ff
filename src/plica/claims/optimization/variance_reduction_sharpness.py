r"""How far from the truth are the rates that are proved for SVRG and SAGA?

Claim
    Where the second moments can be followed exactly, the factor of an epoch of SVRG is one half of its first term for one summand
    and small steps, and a quarter of its second term, times 1 - 1/n, where one of n summands has all the curvature; the
    logarithm of SAGA's rate is twice the proved c/(3L) for one summand, and tends to 16/5 times the proved 1/(4n) for n
    summands of equal curvature.
Source
    Asked here, of R. Johnson, T. Zhang, NIPS 2013, Theorem 1 [johnson2013], and A. Defazio, F. Bach, S. Lacoste-Julien, NIPS
    2014, Corollary 1 [defazio2014].
Prediction
    second moments step by step, written out for the two families; the limits 1/2, (1 - 1/n)/4, 2 and 16/5 of their quotients with
    plica.theory.optimization.svrg_rate and plica.theory.optimization.saga_rate
Measurement
    means over many runs of plica.learn.svrg and plica.learn.saga on the same families
"""

from __future__ import annotations

from math import log
from typing import TYPE_CHECKING, Any

import numpy as np

from plica._palette import BOUND, MEASUREMENT, PREDICTION
from plica._types import Array
from plica.claims import Evidence, row
from plica.claims.optimization._chains import mean_and_error
from plica.learn import FiniteSum, saga, svrg
from plica.theory.optimization import saga_rate, svrg_rate

if TYPE_CHECKING:
    from matplotlib.axes import Axes

STATEMENT = "question"
EXPECTED = "answered"
KIND = "estimated"
SEE = ("variance-reduction",)
SEED = 2013
ROUNDING = 1e-12


def svrg_factor(rate: float, n_inner: int, *, smoothness: float, convexity: float) -> float:
    """The expected square after an epoch from 1, where one summand is (L/2) w^2 and the others are 0: L = n c.

    A step moves by a (w - 1) + c, where a is L with probability c / L and otherwise 0.
    """
    mean, second, total = 1.0, 1.0, 0.0
    for _ in range(n_inner):
        total += second
        spread = smoothness * convexity * (second - 2 * mean + 1) + 2 * convexity**2 * (mean - 1) + convexity**2
        second += -2 * rate * convexity * second + rate**2 * spread
        mean *= 1 - rate * convexity
    return total / n_inner


def saga_step(n: int, rate: float) -> Array:
    """What a step does to E w^2, E w m, E m^2 and E q: m and q are the table's mean and mean square, and f_i = (w - b_i)^2 / 2.

    A step replaces w by (1 - r) w + r (t_i - m) and the entry t_i by w.
    """
    r = rate
    return np.array(
        [
            [(1 - r) ** 2, 0, -(r**2), r**2],
            [(1 - r) / n, (1 - r) * (1 - 1 / n), r / n, -r / n],
            [1 / n**2, 2 / n - 2 / n**2, 1 - 2 / n, 1 / n**2],
            [1 / n, 0, 0, 1 - 1 / n],
        ]
    )


def curved(n: int) -> FiniteSum:
    """One summand (n/2) w^2, the others 0: smoothness n, convexity 1."""
    return FiniteSum(n, lambda w, i: np.where(i == 0, float(n), 0.0)[:, None] * w)


def shifted(n: int) -> FiniteSum:
    """(w - b_i)^2 / 2 with b_i that add up to 0."""
    values = np.linspace(-1, 1, n)
    return FiniteSum(n, lambda w, i: w - values[i][:, None])


def check(scale: str) -> Evidence:
    n_runs = 200_000 if scale == "full" else 20_000
    rows = []
    for n, rate, n_inner in ((4, 0.02, 50), (4, 0.05, 200), (10, 0.01, 100)):
        w = svrg(curved(n), np.ones((n_runs, 1)), rate=rate, n_inner=n_inner, n_epochs=1, seed=SEED)[-1]
        mean, error = mean_and_error(w[:, 0] ** 2)
        about: dict[str, Any] = {"n": n, "step": rate, "m": n_inner}
        exact = svrg_factor(rate, n_inner, smoothness=n, convexity=1)
        rows.append(row(mean, "=", exact, kind="estimated", standard_error=error, what="SVRG, factor of an epoch", **about))
        bound = svrg_rate(rate, n_inner, smoothness=n, convexity=1)
        rows.append(row(mean, "<=", bound, kind="estimated", standard_error=error, what="SVRG, bound", **about))
    rounded: dict[str, Any] = {"kind": "estimated", "standard_error": ROUNDING}
    share = svrg_factor(1e-3, 10_000, smoothness=1, convexity=1) / svrg_rate(1e-3, 10_000, smoothness=1, convexity=1)
    # 1 / (c eta m) is a tenth and 2 L eta is 0.002: the first term is 0.98 of the bound
    rows.append(row(share, "=", 0.5 / 1.02, **rounded, tolerance=5e-3, what="SVRG, share of the bound, one summand"))
    for n in (2, 5):
        rate, n_inner = 1e-3 / n, 4_000_000
        late = rate * (n - 1) / (2 - rate * n)  # the fixed point of the second moment, from a mean of 0
        start = svrg_factor(rate, 20_000, smoothness=n, convexity=1) * 20_000 / n_inner
        share = (late + start) / svrg_rate(rate, n_inner, smoothness=n, convexity=1)
        first = 1 / (rate * n_inner) / (2 * n * rate)  # first term over second
        truth = ((1 - 1 / n) / 4 + first / 2) / (1 + first)
        rows.append(row(share, "=", truth, **rounded, tolerance=0.02, what="SVRG, share of the bound, many inner steps", n=n))
    for n, steps in ((2, (3, 6)), (10, (10, 30))):
        start_at = 3.0
        found = saga(shifted(n), np.full((n_runs, 1), start_at), rate=1 / 3, steps=steps, seed=SEED)
        moments = np.full(4, start_at**2)
        moments_at = {k: (np.linalg.matrix_power(saga_step(n, 1 / 3), k) @ moments)[0] for k in steps}
        for k, w in zip(steps, found, strict=True):
            mean, error = mean_and_error(w[:, 0] ** 2)
            rows.append(row(mean, "=", float(moments_at[k]), kind="estimated", standard_error=error, what="SAGA", n=n, steps=k))
    radius = float(np.abs(np.linalg.eigvals(saga_step(1000, 1 / 3))).max())
    quotient = log(radius) / log(saga_rate(1000, smoothness=1, convexity=1))
    # squares of the table decay by (1 - 1/5)/n a step, where 1/5 = (1/9) / (1 - 4/9) is their share in the square of w
    rows.append(
        row(quotient, "=", 16 / 5, **rounded, tolerance=0.01, what="SAGA, logarithm of the rate over the proved one", n=1000)
    )
    (w,) = saga(FiniteSum(1, lambda w, i: w * np.array([1.0, 0.01])), np.array([[0.0, 1.0]]), rate=1 / 3, steps=(50,), seed=0)
    quotient = log(float(w[0, 1] ** 2)) / 50 / log(saga_rate(1, smoothness=1, convexity=0.01))
    rows.append(row(quotient, "=", 2.0, **rounded, what="SAGA, logarithm of the rate over the proved one", n=1))
    return Evidence(rows, draw=draw, seed=SEED)


def draw(ax: Axes) -> None:
    """The factor of an epoch of SVRG against its length: bound, exact, and 1,000 runs."""
    inner = np.unique(np.geomspace(20, 2000, 15).astype(int))
    rate, n = 0.02, 4
    ax.plot(inner, [svrg_rate(rate, int(m), smoothness=n, convexity=1) for m in inner], "--", color=BOUND, label="proved")
    ax.plot(inner, [svrg_factor(rate, int(m), smoothness=n, convexity=1) for m in inner], color=PREDICTION, label="exact")
    some = inner[::4]
    means = [(svrg(curved(n), np.ones((1000, 1)), rate=rate, n_inner=int(m), n_epochs=1, seed=1)[-1] ** 2).mean() for m in some]
    ax.plot(some, means, "o", color=MEASUREMENT, label="1,000 runs")
    ax.set(xscale="log", yscale="log", xlabel="inner steps m", ylabel="factor of an epoch of SVRG")
    ax.legend(frameon=False)
