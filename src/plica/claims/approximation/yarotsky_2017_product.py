r"""Yarotsky: products from squares, exactly zero with a zero factor.

Claim
    On [-M, M]^2 the network 2M^2 [sq(|x+y|/2M) - sq(|x|/2M) - sq(|y|/2M)] is within M^2 2^(-2m) of x y and exactly zero where
    x = 0 or y = 0; M^2 [sq(|x+y|/2M) - sq(|x-y|/2M)] is within M^2 2^(-2m-2).
Source
    D. Yarotsky, Neural Networks 94 (2017), Proposition 3 [yarotsky2017].
Prediction
    both errors, which are attained, and zero on the axes
Measurement
    plica.construct.product(m, size=M, form=...): the largest deviation from x y on every cell of the exact complex of the square,
    in rationals (plica.construct.approximation_error), and the same against 0 on both axes; the bound of its certificate
"""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np

from plica.claims import Evidence, row
from plica.construct import approximation_error, product
from plica.geometry import Segment

if TYPE_CHECKING:
    from matplotlib.axes import Axes

STATEMENT = "theorem"
EXPECTED = "holds"
KIND = "exact"
SEE = ("yarotsky-2017-square",)


def check(scale: str) -> Evidence:
    rows = []
    for size in (1, 4):
        for m in range(1, 6 if scale == "full" else 4):
            for form, factor in (("three", 1), ("four", 4)):
                built = product(m, size=size, form=form)
                assert built.certificate is not None
                predicted = Fraction(size * size, factor * 4**m)
                rows.append(row(built.certificate.true_error.high, "=", predicted, squares=form, m=m, M=size))
                rows.append(row(built.certificate.bound, "=", predicted, what="certified", squares=form, m=m, M=size))
            net = product(m, size=size).network
            for end in ([size, 0], [0, size]):
                axis = Segment([-float(e) for e in end], [float(e) for e in end])
                rows.append(row(approximation_error(net, 0, axis).high, "=", 0, what="on an axis", m=m, M=size))
    return Evidence(rows, draw=draw)


def draw(ax: Axes) -> None:
    """The error of the three-square form with m = 3."""
    grid = np.linspace(-1, 1, 257)
    points = np.stack(np.meshgrid(grid, grid), axis=-1).reshape(-1, 2)
    error = np.abs(product(3)(points)[:, 0] - points.prod(1)).reshape(257, 257)
    shown = ax.imshow(error, origin="lower", extent=(-1, 1, -1, 1), cmap="cividis")
    ax.figure.colorbar(shown, ax=ax, label="|network - x y|, m = 3")
    ax.set_xlabel("x")
    ax.set_ylabel("y")
