r"""Approximation "for arbitrary eps", as printed.

Claim
    A network f eps-approximates a function F if |f(x) - F(x)| < eps for all x, for arbitrary eps > 0; and networks
    eps-approximate x^2 on [0, 1] in this sense.
Source
    Summer@ICERM 2020, definition on the slides on universal approximation [icerm-2020].
Prediction
    one network with an error below every eps
Measurement
    the largest deviation of the networks of plica.construct.squaring from x^2, exactly
Remark
    The quantifier stands inside: only F itself is that near to F, and x^2 is not piecewise linear. What is meant is that for
    every eps there is a network, which the claim yarotsky-2017-square has: its m-th network is within 2^(-2m-2), and not
    nearer.
"""

from __future__ import annotations

from fractions import Fraction
from functools import partial
from typing import TYPE_CHECKING

from plica._palette import BOUND, MEASUREMENT
from plica.claims import Evidence, Row, control, counterexample
from plica.construct import squaring

if TYPE_CHECKING:
    from matplotlib.axes import Axes

STATEMENT = "misprint (text)"
EXPECTED = "refuted"
KIND = "exact"
SEE = ("yarotsky-2017-square", "hornik-1991")


def check(scale: str) -> Evidence:
    rows = []
    for m in range(1, 8 if scale == "full" else 6):
        built = squaring(m)
        assert built.certificate is not None
        error, eps = Fraction(built.certificate.true_error.high), Fraction(1, 4 ** (m + 2))
        # an interpolant of x^2 at points h apart is h^2 / 4 above it in the middle
        rows.append(counterexample(error, "<", eps, truth=Fraction(1, 2**m) ** 2 / 4, m=m, eps=eps))
        rows.append(control(error, "<", Fraction(1, 4**m), m=m, eps=Fraction(1, 4**m)))
    return Evidence(rows, draw=partial(draw, rows))


def draw(rows: list[Row], ax: Axes) -> None:
    """Every network has one error, and there is an eps below it."""
    chosen = [r for r in rows if r.role == "counterexample"]
    m = [r.parameters["m"] for r in chosen]
    ax.semilogy(m, [float(r.measured) for r in chosen], "o", color=MEASUREMENT, label="error of network m")
    ax.semilogy(m, [float(r.predicted) for r in chosen], "_", color=BOUND, markersize=14, label=r"an $\varepsilon$ below it")
    ax.set_xlabel("m")
    ax.legend(frameon=False, fontsize=8)
    ax.spines[["top", "right"]].set_visible(False)
