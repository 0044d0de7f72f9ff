r"""Polynomial regression is one linear system of C(d + p, p) unknowns.

Claim
    Among polynomials of total degree p in d variables one is closest to given values in the sum of squares; its coefficients w
    solve X^T X w = X^T y with a column of X for each of the C(d + p, p) monomials, its residual is orthogonal to all of them, and
    it recovers a polynomial of degree p from as many points in general position.
Source
    University of Washington lecture, generalized linear and polynomial regression [washington-lecture].
Prediction
    the solution of the normal equations in rationals; C(d + p, p) unknowns; 0, the products of the residual with monomials
Measurement
    plica.construct.polynomial_regression in its three bases, on random integer points and values
"""

from __future__ import annotations

from fractions import Fraction
from functools import partial
from itertools import product
from math import comb, prod
from typing import TYPE_CHECKING, Any

import numpy as np

from plica._palette import BOUND, MEASUREMENT, REFERENCE
from plica.claims import Evidence, row
from plica.construct import polynomial_regression
from plica.exact import solve

if TYPE_CHECKING:
    from matplotlib.axes import Axes

STATEMENT = "theorem"
EXPECTED = "holds"
KIND = "estimated"
SEE = ("polynomial-kernel", "slide-weierstrass")
SEED = 45


def monomials(points: np.ndarray, p: int) -> list[list[Fraction]]:
    """A row of all monomials of total degree p at every point, exactly."""
    exponents = [e for e in product(range(p + 1), repeat=points.shape[1]) if sum(e) <= p]
    return [[Fraction(prod(int(v) ** k for v, k in zip(point, e, strict=True))) for e in exponents] for point in points]


def by_normal_equations(X: list[list[Fraction]], y: list[int]) -> list[Fraction]:
    """X^T X w = X^T y, without rounding."""
    columns = list(zip(*X, strict=True))
    left = [[sum((a * b for a, b in zip(c, d, strict=True)), Fraction(0)) for d in columns] for c in columns]
    found = solve(left, [sum((a * b for a, b in zip(c, y, strict=True)), Fraction(0)) for c in columns])
    assert found is not None
    return found


def check(scale: str) -> Evidence:
    rng = np.random.default_rng(SEED)
    rows = []
    for d, p, n in ((1, 3, 12), (2, 2, 15), (3, 2, 20)) + (((3, 4, 60),) if scale == "full" else ()):
        points, y = rng.permutation(np.array(list(product(range(-5, 6), repeat=d))))[:n] if d > 1 else np.arange(n)[:, None], []
        y = rng.integers(-9, 10, len(points)).tolist()
        X = monomials(points, p)
        w = by_normal_equations(X, y)
        fitted = [sum((a * b for a, b in zip(line, w, strict=True)), Fraction(0)) for line in X]
        about: dict[str, Any] = {"d": d, "p": p, "points": len(points)}
        rows.append(row(len(w), "=", comb(d + p, p), what="monomials", **about))
        for basis in ("chebyshev", "legendre", "monomial"):
            fit = polynomial_regression(points.astype(float), y, p, basis=basis)
            rows.append(row(len(fit.coefficients), "=", comb(d + p, p), what=f"unknowns, {basis}", **about))
            values = fit(points.astype(float))
            off = float(np.abs(values - np.array([float(v) for v in fitted])).max())
            doubt: dict[str, Any] = {"kind": "estimated", "standard_error": 1e-10, "unit": 1.0}
            rows.append(row(off, "=", 0.0, what=f"distance to the exact fit, {basis}", **doubt, **about))
            products = np.array(X, dtype=float).T @ (np.array(y) - values) / np.abs(np.array(X, dtype=float)).sum(0)
            rows.append(row(float(np.abs(products).max()), "=", 0.0, what=f"residual times monomials, {basis}", **doubt, **about))
        few, target = points[: comb(d + p, p)], rng.integers(-3, 4, comb(d + p, p))
        exact = [sum((a * int(b) for a, b in zip(line, target, strict=True)), Fraction(0)) for line in monomials(few, p)]
        found = solve(monomials(few, p), exact)
        recovered = found is not None and found == [Fraction(int(v)) for v in target]
        rows.append(row(recovered, "=", True, what="a polynomial from as many points", **about))
    return Evidence(rows, draw=partial(draw, rng.normal(size=30)), seed=SEED)


def draw(noise: np.ndarray, ax: Axes) -> None:
    """Fits of degree 1, 3 and 9 to noisy values of a cosine."""
    x = np.linspace(0, 1, len(noise))
    y = np.cos(5 * x) + 0.2 * noise
    t = np.linspace(0, 1, 300)
    ax.plot(x, y, "o", color=REFERENCE, markersize=4, label="values")
    for color, p in ((BOUND, 1), (MEASUREMENT, 4)):
        ax.plot(t, polynomial_regression(x[:, None], y, p)(t[:, None]), color=color, label=f"degree {p}")
    ax.set(xlabel="x", ylabel="y")
    ax.legend(frameon=False, fontsize=8)
    ax.spines[["top", "right"]].set_visible(False)
