r"""Does pruning lower the spectral norm?

Claim
    Not always: setting one entry of a matrix to zero can raise its spectral norm, and with it the Lipschitz bound of a layer.
Source
    Lecture 15 of Theories of Deep Learning relates sparsity to robustness through the Lipschitz bound; the statement itself is
    nobody's [oxford-lecture-15].
Prediction
    half of the 2 x 2 matrices of signs are orthogonal up to a factor, with squared norm 2; pruned, (3 + sqrt(5)) / 2. The other
    half have rank one and squared norm 4; pruned they have the same. So the norm rises for 8 of 16
Measurement
    the largest eigenvalue of W^T W before and after one entry is set to zero, as exact roots of quadratic equations: for 2
    x 2 integer matrices with t = |W|_F^2 and d = det(W)^2, twice the eigenvalue is t + sqrt(t^2 - 4 d), compared in exact
    integers; and by plica.measure.lipschitz, which encloses the norm
Remark
    The smallest counterexample is ((1, 1), (1, -1)) with norm 1.414: without one entry the norm is 1.618. Norms that are
    monotone in |W| do fall: the claim pruning-max-norm.
"""

from __future__ import annotations

from fractions import Fraction
from functools import partial
from itertools import product
from math import isqrt
from typing import TYPE_CHECKING, Any

import numpy as np

from plica._palette import BOUND, MEASUREMENT
from plica.claims import Evidence, row
from plica.geometry import Segment, decompose
from plica.measure import lipschitz
from plica.network import Linear, Network

if TYPE_CHECKING:
    from matplotlib.axes import Axes


STATEMENT = "question"
EXPECTED = "answered"
KIND = "certified"
SEE = ("pruning-max-norm",)
DIGITS = 10**12


def scaled_norm_squared(a: int, b: int, c: int, d: int) -> int:
    """10^12 times 2 lambda_max(W^T W), rounded down."""
    t, det = a * a + b * b + c * c + d * d, (a * d - b * c) ** 2
    return t * DIGITS + isqrt((t * t - 4 * det) * DIGITS**2)


def by_library(*entries: int) -> tuple[Fraction, Fraction]:
    """Bounds of the square of the norm of a 2 x 2 matrix, from the constant of a network that is the matrix."""
    network = Network.sequential(2, [Linear(np.array(entries, dtype=float).reshape(2, 2))])
    value = lipschitz(decompose(network, Segment(np.zeros(2), np.ones(2)))).value
    return Fraction(value.low) ** 2, Fraction(value.high) ** 2


def check(scale: str) -> Evidence:
    rows = []
    golden = Fraction(3 * DIGITS + isqrt(5 * DIGITS**2), 2 * DIGITS)
    for a, b, c, d in product((1, -1), repeat=4):
        before, after = (Fraction(scaled_norm_squared(a, b, c, e), 2 * DIGITS) for e in (d, 0))
        about: dict[str, Any] = {"matrix": f"(({a}, {b}), ({c}, {d}))", "pruned": "lower right"}
        rows.append(row(before, "=", 2 if a * b * c * d < 0 else 4, what="before", **about))
        rows.append(row(after, "=", golden, what="after", **about))
        for found, entry, what in ((before, d, "library, before"), (after, 0, "library, after")):
            for end, side in zip(by_library(a, b, c, entry), ("at least", "at most"), strict=True):
                rows.append(row(float(end), "=", found, kind="certified", tolerance=1e-9, what=f"{what}, {side}", **about))
        rows.append(row(after, ">" if a * b * c * d < 0 else "<", before, what="after, against before", **about))
    if scale == "full":
        entries = list(product((1, -1, 2, -2, 3, -3), repeat=4))
        rising = sum(scaled_norm_squared(a, b, c, 0) > scaled_norm_squared(a, b, c, d) for a, b, c, d in entries)
        norms = [np.linalg.norm(np.array([(a, b, c, e) for a, b, c, d in entries for e in (d, 0)]).reshape(-1, 2, 2), 2, (1, 2))]
        by_singular_values = int((norms[0][1::2] > norms[0][::2] * (1 + 1e-9)).sum())
        rows.append(row(rising, "=", by_singular_values, matrices=len(entries), what="matrices whose norm rises"))
    compared = [r for r in rows if r.parameters["what"] == "after, against before"]
    return Evidence(rows, draw=partial(draw, [(float(r.predicted), float(r.measured)) for r in compared]))


def draw(pairs: list[tuple[float, float]], ax: Axes) -> None:
    """The squared norms of the sixteen matrices before and after one entry is set to zero."""
    for before, after in pairs:
        ax.plot((0, 1), (before, after), "o-", color=BOUND if after > before else MEASUREMENT, linewidth=1)
    ax.set_xticks((0, 1), ("before", "one entry set to zero"))
    ax.set(xlim=(-0.3, 1.3), ylabel="squared spectral norm")
    ax.spines[["top", "right"]].set_visible(False)
