r"""Heavy ball can cycle for ever on a strongly convex function.

Claim
    For the one-dimensional f with f'(x) = 25 x below 1, x + 24 from 1 to 2 and 25 x - 24 above, which has L = 25 and c = 1, heavy
    ball with the step 1/9 and momentum 4/9, its best for quadratics, has an attracting cycle of three points, 792/1225,
    -2208/1225 and 2592/1225, and never comes to the minimum 0; without momentum it does.
Source
    L. Lessard, B. Recht, A. Packard, Analysis and Design of Optimization Algorithms via Integral Quadratic Constraints, SIAM J.
    Optim. 26 (2016), section 4.6, equation (4.11), and Appendix B [lessard2016].
Prediction
    the three fractions; a run from 3.3 ends on them
Measurement
    three steps from two neighboring points of the cycle, in fractions; the linear map of three steps, whose eigenvalues are below
    one; runs of plica.learn.SGD in floating point
"""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING, TypeVar

import numpy as np

from plica._palette import INK, MEASUREMENT, REFERENCE
from plica.claims import Evidence, control, row
from plica.learn import SGD, Stepper
from plica.theory.optimization import heavy_ball_parameters

if TYPE_CHECKING:
    from matplotlib.axes import Axes

STATEMENT = "theorem"
EXPECTED = "holds"
KIND = "estimated"
SEE = ("polyak-1964-heavy-ball",)
Number = TypeVar("Number", Fraction, float)
CYCLE = (Fraction(792, 1225), Fraction(-2208, 1225), Fraction(2592, 1225))


def slope(x: Number) -> Number:
    """f'(x): between 1 and 25 times differences of x, so f has L = 25 and c = 1."""
    return 25 * x if x < 1 else (x + 24 if x < 2 else 25 * x - 24)


def run(start: float, rate: float, momentum: float, n_steps: int) -> list[float]:
    """The points that an optimizer of plica.learn visits."""
    w = np.array([start])
    stepper = Stepper(
        [w], lambda step: (0.0, [np.array([float(slope(float(w[0])))])]), optimizer=SGD(momentum=momentum), rate=lambda s: rate
    )
    found = [start]
    for _ in range(n_steps):
        stepper.advance()
        found.append(float(w[0]))
    return found


def check(scale: str) -> Evidence:
    rate, momentum = Fraction(1, 9), Fraction(4, 9)
    rows = [
        control(Fraction(heavy_ball_parameters(25, 1).rate).limit_denominator(100), "=", rate, what="best step for quadratics"),
        control(Fraction(heavy_ball_parameters(25, 1).momentum).limit_denominator(100), "=", momentum, what="best momentum"),
    ]
    points = list(CYCLE)
    before, here = points[2], points[0]
    for expected in (points[1], points[2], points[0]):
        before, here = here, here - rate * slope(here) + momentum * (here - before)
        rows.append(row(str(here), "=", str(expected), what="next point of the cycle"))
    three = np.eye(2)
    for x in points:  # the map of (x, x before) on the piece where x lies
        curvature = 1 if 1 < x < 2 else 25
        three = np.array([[1 + float(momentum) - float(rate) * curvature, -float(momentum)], [1.0, 0.0]]) @ three
    growth = float(np.abs(np.linalg.eigvals(three)).max())
    rows.append(row(growth, "<", 1.0, kind="estimated", standard_error=1e-14, what="growth of a deviation in three steps"))
    n_steps = 3000 if scale == "full" else 600
    end = sorted(run(3.3, 1 / 9, 4 / 9, n_steps)[-3:])
    for found, expected in zip(end, sorted(CYCLE), strict=True):
        rows.append(row(found, "=", float(expected), kind="estimated", standard_error=1e-13, what="end of a run from 3.3"))
    plain = run(3.3, 2 / 26, 0.0, n_steps)[-1]
    rows.append(control(plain, "=", 0.0, kind="estimated", standard_error=1e-13, unit=1.0, what="without momentum"))
    return Evidence(rows, draw=draw)


def draw(ax: Axes) -> None:
    """The slope of the function, and a run that ends on three points."""
    x = np.linspace(-2.2, 3.4, 400)
    ax.plot(x, [slope(float(t)) for t in x], color=REFERENCE, linewidth=1.2)
    points = run(3.3, 1 / 9, 4 / 9, 80)
    ax.plot(points, [slope(p) for p in points], "-o", color=MEASUREMENT, markersize=2.5, linewidth=0.5)
    ax.plot([float(c) for c in CYCLE], [float(slope(c)) for c in CYCLE], "s", color=INK, markersize=6, fillstyle="none")
    ax.axhline(0, color=REFERENCE, linewidth=0.5)
    ax.set(xlabel="x", ylabel="slope of f at the iterates")
