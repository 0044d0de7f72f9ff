r"""Approximation, estimation, optimization: three parts of one error.

Claim
    The excess risk of what was learned is the sum of an approximation error of the best network, an estimation error from
    finitely many data, and an optimization error from finitely many steps. For p fixed features and the square loss they are
    the distance of the target from the features, sigma^2 p / n, and what gradient descent has left on each eigenvector, (1 -
    eta lambda)^2t of it.
Source
    University of Washington lecture, decomposition of the error [washington-lecture]; the three formulas are textbook.
Prediction
    the error of the best linear spline for x^2, h^4 / 180; sigma^2 p / n over data; the powers of 1 - eta lambda
Measurement
    ReLU networks with p hats as features, fitted to noisy values of x^2: by least squares on the whole interval, on n points,
    and by t steps of gradient descent on these; risks by quadrature on a fine grid, averaged over data
"""

from __future__ import annotations

from functools import partial
from math import sqrt
from typing import TYPE_CHECKING, Any

import numpy as np

from plica._palette import SERIES
from plica._types import Array
from plica.claims import Evidence, Row, control, row
from plica.construct import interpolant

if TYPE_CHECKING:
    from matplotlib.axes import Axes

STATEMENT = "theorem"
EXPECTED = "holds"
KIND = "estimated"
SEE = ("average-norm",)
SEED, NOISE, P = 2024, 0.1, 9
GRID = (np.arange(1600) + 0.5) / 1600


def hats(x: Array) -> Array:
    """The p hats at k / (p - 1), each a ReLU network, at the points (rows)."""
    knots = np.arange(P) / (P - 1)
    return np.stack([interpolant(knots, np.eye(P)[k])(x[:, None])[:, 0] for k in range(P)], axis=1)


def draw_data(n: int, rng: np.random.Generator, pool: Array) -> tuple[Array, Array, Array]:
    """Features, Gram matrix and right-hand side of n noisy values of x^2, at points of the grid whose features are known."""
    rows = rng.integers(0, len(GRID), n)
    features, y = pool[rows], GRID[rows] ** 2 + NOISE * rng.standard_normal(n)
    return features, features.T @ features / n, features.T @ y / n


def descend(gram: Array, right: Array, steps: int) -> Array:
    """Gradient descent from zero with the step 1 / (largest eigenvalue)."""
    found, eta = np.zeros(len(right)), 1 / np.linalg.eigvalsh(gram)[-1]
    for _ in range(steps):
        found = found - eta * (gram @ found - right)
    return found


def parts(n: int, steps: int, rng: np.random.Generator, pool: Array, best: Array) -> list[float]:
    """Approximation, estimation and optimization error of one data set, and the excess risk as a whole."""
    _, gram, right = draw_data(n, rng, pool)
    learned = (best, np.linalg.solve(gram, right), descend(gram, right, steps))
    risk = [float(((pool @ c - GRID**2) ** 2).mean()) for c in learned]
    return [risk[0], risk[1] - risk[0], risk[2] - risk[1], risk[2]]


def check(scale: str) -> Evidence:
    n_data = 4000 if scale == "full" else 900
    rng, pool = np.random.default_rng(SEED), hats(GRID)
    best = np.linalg.lstsq(pool, GRID**2, rcond=None)[0]
    rows = []
    for n, steps in ((300, 400), (1200, 400), (1200, 2)):
        found = np.array([parts(n, steps, rng, pool, best) for _ in range(n_data)])
        means, errors = found.mean(0), found.std(0, ddof=1) / sqrt(n_data)
        about: dict[str, Any] = {"n": n, "steps": steps, "kind": "estimated"}
        allowed: dict[str, Any] = {"standard_error": float(errors[1]), "tolerance": P / n}
        rows.append(row(float(means[1]), "=", NOISE**2 * P / n, what="estimation", **allowed, **about))
        total = float(means[:3].sum())
        rows.append(control(total, "=", float(means[3]), standard_error=1e-12, tolerance=1e-9, what="sum of the parts", **about))
        relation = ">" if steps == 2 else "<"
        doubt = float(errors[2])
        rows.append(row(float(means[2]), relation, float(means[1]), standard_error=doubt, what="optimization", **about))
    h = 1 / (P - 1)
    approximation = float(((pool @ best - GRID**2) ** 2).mean())
    exact: dict[str, Any] = {"kind": "estimated", "standard_error": 1e-12}
    rows.append(row(approximation, "=", h**4 / 180, tolerance=0.02, what="approximation, best spline of x^2", **exact))
    for steps in (1, 3, 8):
        _, gram, right = draw_data(200, rng, pool)
        values, vectors = np.linalg.eigh(gram)
        fit = np.linalg.solve(gram, right)
        gap = descend(gram, right, steps) - fit
        predicted = float((values * (1 - values / values[-1]) ** (2 * steps) * (vectors.T @ fit) ** 2).sum())
        rows.append(
            row(
                float(gap @ gram @ gap),
                "=",
                predicted,
                tolerance=1e-6,
                what="left on the data",
                steps=steps,
                kind="estimated",
                standard_error=1e-9 * predicted,
            )
        )
    return Evidence(rows, draw=partial(draw, rows, approximation), seed=SEED)


def draw(rows: list[Row], approximation: float, ax: Axes) -> None:
    """The parts for three choices of data and steps."""
    cases = list(dict.fromkeys((r.parameters["n"], r.parameters["steps"]) for r in rows if "n" in r.parameters))
    by_what = {
        "approximation": [approximation] * len(cases),
        "estimation": [r.measured for r in rows if r.parameters["what"] == "estimation"],
        "optimization": [r.measured for r in rows if r.parameters["what"] == "optimization"],
    }
    for k, ((name, values), color) in enumerate(zip(by_what.items(), SERIES, strict=False)):
        ax.bar(np.arange(len(cases)) + 0.27 * (k - 1), np.maximum(values, 1e-9), width=0.25, color=color, label=name)
    ax.set_yscale("log")
    ax.set_ylim(1e-8, 1e-1)
    ax.set_xticks(range(len(cases)), [f"{n} data\n{steps} steps" for n, steps in cases])
    ax.set_ylabel("excess risk")
    ax.legend(frameon=False, fontsize=8, ncols=3)
    ax.spines[["top", "right"]].set_visible(False)
