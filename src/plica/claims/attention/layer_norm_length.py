r"""A normalized row has length sqrt(d).

Claim
    (z - mean(z)) / std(z) has squared Euclidean length d for every row z of d numbers that are not all equal.
Source
    J. L. Ba, J. R. Kiros, G. Hinton, Layer Normalization (2016) [ba2016].
Prediction
    d
Measurement
    the squared length for random integer rows, in exact rationals
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

import numpy as np

from plica.claims import Evidence, row

STATEMENT = "theorem"
EXPECTED = "holds"
KIND = "exact"
SEE = ("slide-layer-norm",)
SEED = 16


def squared_length(z: Sequence[int]) -> Fraction:
    """|LN(z)|^2: the standard deviation enters only squared, so the result is rational."""
    mean = Fraction(sum(z), len(z))
    centered = [v - mean for v in z]
    variance = sum((c * c for c in centered), Fraction(0)) / len(z)
    return sum((c * c / variance for c in centered), Fraction(0))


def check(scale: str) -> Evidence:
    rng = np.random.default_rng(SEED)
    sizes = (2, 3, 8, 64, 512) + ((12288,) if scale == "full" else ())
    return Evidence([row(squared_length(rng.integers(-99, 100, d).tolist()), "=", d, d=d) for d in sizes], seed=SEED)
