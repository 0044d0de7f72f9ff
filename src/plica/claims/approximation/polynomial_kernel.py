r"""The polynomial kernel is a product of C(d + p, p) features.

Claim
    (x . y + c)^p is the inner product of C(d + p, p) weighted monomials of x and of y; matrices of the kernel have at most that
    rank, and reach it; ridge regression with the kernel and with the features are one function.
Source
    University of Washington lecture, kernels [washington-lecture]; T. Hofmann, B. Schölkopf, A. J. Smola, Annals of Statistics 36
    (2008) [hofmann2008].
Prediction
    C(d + p, p), the features and the rank; 0, the difference of the two predictors
Measurement
    the rank of integer matrices of the kernel in rationals; plica.construct.polynomial_features against
    plica.construct.polynomial_kernel; plica.construct.kernel_regression against the normal equations of the features
"""

from __future__ import annotations

from math import comb
from typing import Any

import numpy as np

from plica.claims import Evidence, row
from plica.claims.approximation._lines import lines
from plica.construct import kernel_regression, polynomial_features, polynomial_kernel
from plica.exact import rank

STATEMENT = "theorem"
EXPECTED = "holds"
KIND = "estimated"
SEE = ("gaussian-kernel-universal", "random-fourier-features", "polynomial-regression")
SEED = 46
ROUNDING: dict[str, Any] = {"kind": "estimated", "standard_error": 1e-11, "unit": 1.0}


def exact_rank(points: np.ndarray, p: int, c: int) -> int:
    """Of the matrix (x_i . x_j + c)^p of integer points."""
    return rank([[(sum(int(a) * int(b) for a, b in zip(x, y, strict=True)) + c) ** p for y in points] for x in points])


def check(scale: str) -> Evidence:
    rng = np.random.default_rng(SEED)
    rows = []
    for d, p in ((1, 3), (2, 2), (2, 4), (3, 2)) + (((4, 3),) if scale == "full" else ()):
        size = comb(d + p, p)
        about: dict[str, Any] = {"d": d, "p": p}
        points = rng.choice(np.arange(-20, 21), (size + 3, d), replace=d > 1)
        rows.append(row(exact_rank(points, p, 1), "=", size, what="rank of the kernel's matrix", **about))
        rows.append(row(exact_rank(points[: size - 1], p, 1), "=", size - 1, what="rank with one point fewer", **about))
        for c in (1.0, 2.5):
            x, z = rng.uniform(-1, 1, (2, 12, d))
            phi = polynomial_features(x, p, constant=c)
            written = (np.einsum("id,jd->ij", x, x) + c) ** p
            rows.append(row(phi.shape[1], "=", size, what="features", c=c, **about))
            rows.append(
                row(float(np.abs(phi @ phi.T - written).max()), "=", 0.0, what="features, the kernel", c=c, **ROUNDING, **about)
            )
            y = rng.normal(size=12)
            kernel = polynomial_kernel(p, constant=c)
            rows.append(
                row(float(np.abs(kernel(x, x) - written).max()), "=", 0.0, what="kernel, written out", c=c, **ROUNDING, **about)
            )
            dual = kernel_regression(x, y, kernel, ridge=0.3)(z)
            w = np.linalg.solve(phi.T @ phi + 0.3 * np.eye(size), phi.T @ y)
            primal = polynomial_features(z, p, constant=c) @ w
            rows.append(row(float(np.abs(dual - primal).max()), "=", 0.0, what="dual, primal", c=c, **ROUNDING, **about))
    degrees = tuple(range(1, 9))
    shown = [(degrees, [polynomial_features(np.zeros((1, d)), p).shape[1] for p in degrees], f"d = {d}") for d in (1, 2, 5)]
    return Evidence(rows, draw=lines(shown, x="degree p", y="features", log="y"), seed=SEED)
