r"""Yarotsky: the square with error 2^(-2m-2).

Claim
    f_m(x) = x - sum_{s=1}^m g_s(x) / 4^s, with g_s the s-fold tent, is a ReLU network of depth m with O(m) units, and
    sup |f_m(x) - x^2| = 2^(-2m-2) on [0, 1].
Source
    D. Yarotsky, Neural Networks 94 (2017), Proposition 2 and its proof [yarotsky2017].
Prediction
    2^(-2m-2), also as certified; depth m, at most 3 m units
Measurement
    plica.construct.squaring(m): the largest deviation from x^2 on every piece in exact rationals
    (plica.construct.approximation_error), its depth and its units
"""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np

from plica._palette import SERIES
from plica.claims import Evidence, row
from plica.construct import squaring

if TYPE_CHECKING:
    from matplotlib.axes import Axes

STATEMENT = "theorem"
EXPECTED = "holds"
KIND = "exact"
SEE = ("yarotsky-2017-product", "sawtooth-unit-interval")


def check(scale: str) -> Evidence:
    rows = []
    for m in range(1, 11 if scale == "full" else 8):
        built = squaring(m)
        assert built.certificate is not None
        rows.append(row(built.certificate.true_error.high, "=", Fraction(1, 4 ** (m + 1)), what="largest error", m=m))
        rows.append(row(built.certificate.bound, "=", built.certificate.true_error.high, what="certified bound", m=m))
        rows.append(row(built.depth, "=", m, what="depth", m=m))
        rows.append(row(built.n_units, "<=", 3 * m, what="units", m=m))
    return Evidence(rows, draw=draw)


def draw(ax: Axes) -> None:
    """The error of the first networks, in units of their bound."""
    x = np.linspace(0, 1, 1025)
    for m, color in zip((1, 2, 3), SERIES[:3], strict=True):
        error = squaring(m)(x[:, None])[:, 0] - x**2
        ax.plot(x, error, color=color, linewidth=1.2, label=f"m = {m}: at most 1/{4 ** (m + 1)}")
    ax.set_xlabel("x")
    ax.set_ylabel("network $- x^2$")
    ax.legend(frameon=False, fontsize=7, loc="lower center", ncols=3, bbox_to_anchor=(0.5, 1.0))
    ax.spines[["top", "right"]].set_visible(False)
