r"""A normalized row has length sqrt(d).

Claim
    (z - mean(z)) / std(z) has squared Euclidean length d for every row z of d numbers that are not all equal. With epsilon added
    to the variance, as in every program, it is d var / (var + epsilon).
Source
    J. L. Ba, J. R. Kiros, G. Hinton, Layer Normalization (2016) [ba2016].
Prediction
    d for the definition in exact rationals; the rational d var / (var + 10^-5) for the layer
Measurement
    the squared length of random integer rows, by the definition and after the norm of a plica.models.attention.Block in double
    precision, at three scales of the row
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
import torch

from plica._palette import MEASUREMENT, PREDICTION
from plica.claims import Evidence, row
from plica.models.attention import Block

if TYPE_CHECKING:
    from matplotlib.axes import Axes

STATEMENT = "theorem"
EXPECTED = "holds"
KIND = "estimated"
SEE = ("slide-layer-norm", "slide-layer-norm-on-values")
SEED = 16
EPSILON = Fraction(1, 100_000)
ROUNDING = 1e-12


def squared_length(z: Sequence[int | Fraction], epsilon: Fraction = Fraction(0)) -> Fraction:
    """|LN(z)|^2: the standard deviation enters only squared, so the result is rational."""
    values = [Fraction(v) for v in z]
    mean = sum(values, Fraction(0)) / len(values)
    centered = [v - mean for v in values]
    variance = sum((c * c for c in centered), Fraction(0)) / len(z)
    return sum((c * c / (variance + epsilon) for c in centered), Fraction(0))


def normalized(z: Sequence[float]) -> np.ndarray:
    """The row after the norm that stands before the attention of a block."""
    with torch.random.fork_rng(devices=[]), torch.no_grad():
        norm = Block(len(z), 1).double().attention_norm
        return np.asarray(norm(torch.tensor([z], dtype=torch.float64))[0])


def check(scale: str) -> Evidence:
    rng = np.random.default_rng(SEED)
    rows = []
    seen: dict[int, float] = {}
    for d in (2, 3, 8, 64, 512) + ((4096,) if scale == "full" else ()):
        z = rng.integers(-99, 100, d).tolist()
        rows.append(row(squared_length(z), "=", d, d=d, norm="definition"))
        for exponent in (0, 10, 18):  # epsilon counts when the row is small
            scaled = [Fraction(v, 2**exponent) for v in z]
            found = normalized([float(v) for v in scaled])
            measured = float(found @ found)
            predicted = float(squared_length(scaled, EPSILON))
            seen[d] = seen.get(d, measured)
            about: dict[str, Any] = {"d": d, "norm": f"of a block, row times 2^-{exponent}"}
            rows.append(row(measured, "=", predicted, kind="estimated", standard_error=ROUNDING * predicted, **about))
    return Evidence(rows, draw=partial(draw, seen), seed=SEED)


def draw(seen: dict[int, float], ax: Axes) -> None:
    """Squared length after the norm against the width, and the line d."""
    ax.plot(list(seen), list(seen), "--", color=PREDICTION, linewidth=1, label="d")
    ax.plot(list(seen), list(seen.values()), "o", color=MEASUREMENT, markersize=5, label="after the norm of a block")
    ax.axhline(1, color=PREDICTION, linestyle=":", linewidth=1, label="unit length")
    ax.set(xlabel="width d of the row", ylabel="squared length", xscale="log", yscale="log")
    ax.legend(frameon=False, fontsize=8)
    ax.spines[["top", "right"]].set_visible(False)
