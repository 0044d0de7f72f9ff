r"""Does pruning lower the spectral norm?

Claim
    Setting weights of a matrix to zero does not increase its spectral norm, so sparser layers have smaller Lipschitz
    bounds.
Source
    Theories of Deep Learning, lecture 15, on sparsity and robustness through the Lipschitz bound [oxford-lecture-15].
Prediction
    the squared spectral norm before pruning
Measurement
    the largest eigenvalue of W^T W before and after one entry is set to zero, as exact roots of quadratic equations: for 2
    x 2 integer matrices with t = |W|_F^2 and d = det(W)^2, twice the eigenvalue is t + sqrt(t^2 - 4 d), compared in exact
    integers
Remark
    The smallest counterexample is ((1, 1), (1, -1)) with norm 1.414: without one entry the norm is 1.618. Norms that are
    monotone in |W| do fall: the claim pruning-max-norm.
"""

from __future__ import annotations

from fractions import Fraction
from itertools import product
from math import isqrt

from plica.claims import Evidence, row

EXPECTED = "refuted"
KIND = "exact"
SEE = ("pruning-max-norm",)
DIGITS = 10**12


def scaled_norm_squared(a: int, b: int, c: int, d: int) -> int:
    """10^12 times 2 lambda_max(W^T W), rounded down."""
    t, det = a * a + b * b + c * c + d * d, (a * d - b * c) ** 2
    return t * DIGITS + isqrt((t * t - 4 * det) * DIGITS**2)


def check(scale: str) -> Evidence:
    rows = []
    for entries in product((1, -1, 2, -2, 3, -3) if scale == "full" else (1, -1), repeat=4):
        before, after = scaled_norm_squared(*entries), scaled_norm_squared(entries[0], entries[1], entries[2], 0)
        shown = f"(({entries[0]}, {entries[1]}), ({entries[2]}, {entries[3]}))"
        rows.append(row(Fraction(after, 2 * DIGITS), "<=", Fraction(before, 2 * DIGITS), matrix=shown, pruned="lower right"))
    return Evidence(rows)
