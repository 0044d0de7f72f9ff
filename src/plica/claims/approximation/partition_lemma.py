r"""The partition lemma: values in boxes are as near as the function changes over a box.

Claim
    If |g(x) - g(y)| <= eps where |x_i - y_i| <= delta for all i, the step function with the value of g at any point of each of
    rectangles with sides at most delta is within eps of g everywhere; with the values at their centers within the change over
    delta / 2.
Source
    University of Washington lecture, partition lemma [washington-lecture]; M. Telgarsky, Deep Learning Theory Lecture Notes
    (2021) [telgarsky2021].
Prediction
    the modulus of continuity at 1 / n and at 1 / (2n), by calculus: both are attained by functions that rise in every coordinate
Measurement
    the largest deviation of plica.construct.step_function on n^d boxes, exactly: a function that rises in every coordinate is
    extreme at corners of a box
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from itertools import product
from typing import TYPE_CHECKING

import numpy as np

from plica._palette import MEASUREMENT, PREDICTION
from plica.claims import Evidence, row
from plica.construct import Polynomial, step_function

if TYPE_CHECKING:
    from matplotlib.axes import Axes

STATEMENT = "theorem"
EXPECTED = "holds"
KIND = "exact"
SEE = ("three-layer-network", "threshold-network")

Modulus = Callable[[Fraction], Fraction]


def rising() -> dict[str, tuple[Polynomial, Modulus]]:
    """Polynomials that rise in every coordinate on the unit cube, and how much they change over a distance h at most."""
    return {
        "3x": (Polynomial([0, 3]), lambda h: 3 * h),
        "x^2": (Polynomial([0, 0, 1]), lambda h: 1 - (1 - h) ** 2),
        "x + 2y": (Polynomial({(1, 0): 1, (0, 1): 2}), lambda h: 3 * h),
        "x y": (Polynomial({(1, 1): 1}), lambda h: 1 - (1 - h) ** 2),
        "x y z": (Polynomial({(1, 1, 1): 1}), lambda h: 1 - (1 - h) ** 3),
    }


def largest_error(g: Polynomial, n: int, value: str) -> Fraction:
    """sup |g - steps|, from the corners of every box."""
    edges, values = step_function(g, n=n, value=value)
    d = values.ndim
    worst = Fraction(0)
    for box in product(range(n), repeat=d):
        level = Fraction(float(values[box]))
        for corner in product((0, 1), repeat=d):
            at = [edges[k + c] for k, c in zip(box, corner, strict=True)]
            worst = max(worst, abs(g.exact(at) - level))
    return worst


def check(scale: str) -> Evidence:
    rows = []
    for name, (g, modulus) in rising().items():
        for n in (2, 4, 8) if scale == "quick" else (2, 4, 8, 16):
            found = largest_error(g, n, "corner")
            rows.append(row(found, "=", modulus(Fraction(1, n)), g=name, n=n, value="corner"))
            # the last box changes most, and more above its center than below
            found = largest_error(g, n, "center")
            rows.append(row(found, "=", modulus(Fraction(1, 2 * n)), g=name, n=n, value="center, over half a side"))
    return Evidence(rows, draw=draw)


def draw(ax: Axes) -> None:
    """x^2 and its steps with the values at the corners and at the centers of eight boxes."""
    x = np.linspace(0, 1, 401)
    ax.plot(x, x**2, color=PREDICTION, label="x²")
    for value, style in (("corner", "-"), ("center", ":")):
        edges, values = step_function(rising()["x^2"][0], n=8, value=value)
        ax.stairs(
            values, [float(k) for k in edges], baseline=None, color=MEASUREMENT, linestyle=style, label=f"value at the {value}"
        )
    ax.legend(frameon=False, fontsize=8)
    ax.spines[["top", "right"]].set_visible(False)
