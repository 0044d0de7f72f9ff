r"""Pennington and Bahri: below which loss a critical point has no descending direction.

Claim
    If a Hessian is the sum of a Wishart matrix of the ratio phi = parameters / data and a free Wigner matrix of variance 2 eps,
    the share of negative eigenvalues is zero below eps_c = (1 - 20 phi - 8 phi^2 + (1 + 8 phi)^(3/2)) / 16, and grows from there
    with the power 3/2 of the distance. "With enough data the loss is locally convex" means small phi: eps_c is 0 at phi = 1.
Source
    J. Pennington, Y. Bahri, Geometry of Neural Network Loss Surfaces via Random Matrix Theory, ICML 2017
    [penningtonbahri2017]; the sentence of lecture 15 is about their picture [oxford-lecture-15].
Prediction
    plica.theory.landscape.critical_energy and plica.theory.landscape.hessian_index, from the cubic of the resolvent
Measurement
    eigenvalues of sums of random matrices, counted; the loss at which the cubic gets its first negative eigenvalue, by halving;
    the power from indices at two distances
"""

from __future__ import annotations

from functools import partial
from math import log
from typing import TYPE_CHECKING

import numpy as np

from plica._palette import MEASUREMENT, PREDICTION
from plica.claims import Evidence, control, row
from plica.theory.landscape import critical_energy, hessian_index

if TYPE_CHECKING:
    from matplotlib.axes import Axes

STATEMENT = "theorem"
EXPECTED = "holds"
KIND = "estimated"
SEE = ("relu-curvature-folds", "sagun-2018-outliers")
SEED = 17


def negative_shares(energy: float, phi: float, n: int, n_draws: int, rng: np.random.Generator) -> list[float]:
    """Shares of negative eigenvalues of Wishart plus Wigner matrices."""
    m, found = round(n / phi), []
    for _ in range(n_draws):
        X, A = rng.normal(size=(n, m)), rng.normal(size=(n, n))
        H = X @ X.T / m + (2 * energy) ** 0.5 * (A + A.T) / (2 * n) ** 0.5
        found.append(float((np.linalg.eigvalsh(H) < 0).mean()))
    return found


def first_negative(phi: float) -> float:
    """The energy from which on the cubic at z = 0 has a pair of complex roots, by halving."""
    low, high = 1e-6, 1.0
    for _ in range(60):
        middle = (low + high) / 2
        roots = np.roots([2 * middle * phi, -2 * middle, phi - 1, -1.0])
        low, high = (low, middle) if np.abs(np.imag(roots)).max() > 0 else (middle, high)
    return high


def check(scale: str) -> Evidence:
    rng = np.random.default_rng(SEED)
    n, n_draws = (1500, 8) if scale == "full" else (250, 6)
    rows, shown = [], []
    for phi in (1 / 16, 1 / 4, 1 / 2):
        eps_c = critical_energy(phi)
        rows.append(row(first_negative(phi), "=", eps_c, tolerance=1e-6, what="first negative eigenvalue of the cubic", phi=phi))
        below = negative_shares(0.7 * eps_c, phi, n, n_draws, rng)
        rows.append(row(max(below), "=", 0.0, unit=1 / n, what="index at 0.7 eps_c", phi=phi))
        for factor in (3.0, 8.0, 400.0):  # far above, where half are negative in the end
            seen = negative_shares(factor * eps_c, phi, n, n_draws, rng)
            error = max(float(np.std(seen, ddof=1)), 0.5 / n) / n_draws**0.5
            index = hessian_index(factor * eps_c, phi)
            what = f"index at {factor:g} eps_c"
            loose = "finite matrices" if 4 * error > 0.1 * index else ""
            rows.append(
                row(
                    float(np.mean(seen)), "=", index, kind="estimated", standard_error=error, what=what, phi=phi,
                    order_of_magnitude=loose,
                )
            )  # fmt: skip
            shown.append((phi, factor, float(np.mean(seen)), index))
        near, far = (hessian_index((1 + d) * eps_c, phi) for d in (0.005, 0.01))
        rows.append(row(log(far / near) / log(2), "=", 1.5, tolerance=0.01, what="power of the distance to eps_c", phi=phi))
    rows.append(control(critical_energy(1.0), "=", 0.0, unit=1.0, what="eps_c as many data as parameters"))
    return Evidence(rows, draw=partial(draw, shown), seed=SEED)


def draw(shown: list[tuple[float, float, float, float]], ax: Axes) -> None:
    """The index against the loss over eps_c: curves from the cubic, points from matrices."""
    factors = np.linspace(0.5, 8, 30)
    for phi in sorted({s[0] for s in shown}):
        eps_c = critical_energy(phi)
        values = [hessian_index(f * eps_c, phi, n_points=400) for f in factors]
        ax.plot(factors, values, color=PREDICTION)
        ax.annotate(f"phi = {phi:g}", (factors[-1], values[-1]), fontsize=7, va="bottom", ha="right")
    ax.plot([s[1] for s in shown], [s[2] for s in shown], "o", color=MEASUREMENT)
    ax.set(xlabel=r"loss / $\varepsilon_c$", ylabel="share of negative eigenvalues")
    ax.spines[["top", "right"]].set_visible(False)
