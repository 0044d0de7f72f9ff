r"""Leshno, Lin, Pinkus and Schocken: a polynomial activation has an error floor, and no other has.

Claim
    Networks with one hidden layer and a locally bounded, piecewise continuous activation approximate every continuous function on
    compact sets if and only if the activation is not a polynomial.
Source
    M. Leshno, V. Lin, A. Pinkus, S. Schocken, Neural Networks 6 (1993), Theorem 1 [leshno1993].
Prediction
    with an activation of degree 2 or 3 every network is a polynomial of that degree, and its distance to |x| on [-1, 1] is at
    least 1/8, attained by x^2 + 1/8; two ReLUs are |x| exactly, two softplus units within 2 log 2 over their slope, n cosines
    within the tail of the Fourier series, steps within their height
Measurement
    networks with random weights and output weights fitted by least squares, at the points -1, -1/2, 0, 1/2, 1 in exact rationals:
    |x| - p alternates there for the best p; networks of softplus units, cosines (plica.construct.Perceptron) and steps
    (plica.construct.threshold), the latter exactly
"""

from __future__ import annotations

from fractions import Fraction
from math import log, pi
from typing import TYPE_CHECKING, Any

import numpy as np

from plica._palette import CONTROL, MEASUREMENT, REFERENCE
from plica.claims import Evidence, Row, row
from plica.claims.approximation._fourier import cosine_tail, cosines
from plica.claims.approximation.threshold_network import largest_error
from plica.construct import Perceptron, PiecewisePolynomial, Polynomial, approximation_error, interpolant, threshold
from plica.geometry import Segment

if TYPE_CHECKING:
    from matplotlib.axes import Axes

STATEMENT = "theorem"
EXPECTED = "holds"
KIND = "estimated"
SEE = ("bernstein-constant", "chebyshev-interpolation")
SEED = 1993
POINTS = [Fraction(k, 2) for k in range(-2, 3)]
FLOOR = Fraction(1, 8)


def fitted(activation: Polynomial, width: int, seed: int) -> Polynomial:
    """A network with random first weights and the best output weights for |x| on a grid, as the polynomial that it is."""
    rng = np.random.default_rng(seed)
    weight, bias = rng.integers(-8, 9, width) / 4, rng.integers(-8, 9, width) / 4
    x = np.linspace(-1, 1, 401)
    features = activation((np.outer(x, weight) + bias).reshape(-1, 1)).reshape(len(x), width)
    out = np.linalg.lstsq(np.hstack([features, np.ones((len(x), 1))]), np.abs(x), rcond=None)[0]
    total = Polynomial([Fraction(float(out[-1]))])
    for w, b, c in zip(weight, bias, out[:-1], strict=True):
        total = total + Fraction(float(c)) * activation.along([[Fraction(float(w))]], [Fraction(float(b))])
    return total


def deviation(p: Polynomial) -> Fraction:
    """The largest deviation from |x| at the five points."""
    return max(abs(abs(x) - p.exact([x])) for x in POINTS)


def check(scale: str) -> Evidence:
    rows = []
    widths = (2, 8, 32) + ((128, 512) if scale == "full" else ())
    for name, activation in (("t^2", Polynomial([0, 0, 1])), ("t^3 - t^2 + t", Polynomial([0, 1, -1, 1]))):
        for width in widths:
            for k in range(3):
                p = fitted(activation, width, SEED + k)
                rows.append(row(deviation(p), ">=", FLOOR, activation=name, width=width, seed=SEED + k))
    rows.append(row(deviation(Polynomial([FLOOR, 0, 1])), "=", FLOOR, what="x^2 + 1/8", width=1))
    two = interpolant([0.0], [0.0], left=-1.0, right=1.0).network
    for piece, half in ((Polynomial([0, -1]), Segment([-1.0], [0.0])), (Polynomial([0, 1]), Segment([0.0], [1.0]))):
        rows.append(row(approximation_error(two, piece, half).high, "=", 0, what="two ReLUs", width=2))
    rows += not_polynomial(scale)
    return Evidence(rows, draw=draw, seed=SEED)


def not_polynomial(scale: str) -> list[Row]:
    """Networks with activations that are no polynomials fall below the floor, at known rates: smooth, periodic, with jumps."""
    rows = []
    float64: dict[str, Any] = {"kind": "estimated", "standard_error": 1e-12}
    x = np.linspace(-1, 1, 20_001)
    for steep in (8.0, 64.0) + ((512.0,) if scale == "full" else ()):
        slopes = np.array([[steep], [-steep]])
        pair = Perceptron.shallow(slopes, np.zeros(2), np.full(2, 1 / steep), activation="softplus")
        found = float(np.abs(pair(x[:, None])[:, 0] - np.abs(x)).max())
        rows.append(row(found, "=", 2 * log(2) / steep, tolerance=1e-9, activation="softplus", width=2, steep=steep, **float64))
    for n in (8, 64):
        found = float(np.abs(cosines(n)(x[:, None])[:, 0] - np.abs(x)).max())
        tail = 4 / pi**2 * cosine_tail(n, 2)
        rows.append(row(found, "=", tail, tolerance=1e-5, activation="cosine", width=n, **float64))
        rows.append(row(found, "<", float(FLOOR), activation="cosine", width=n, what="below the floor", **float64))
    vee = PiecewisePolynomial([Fraction(0), Fraction(1, 2), Fraction(1)], [Polynomial([1, -2]), Polynomial([-1, 2])])
    for eps in (Fraction(1, 16), Fraction(1, 64)):  # |x| in the variable (x + 1) / 2
        steps = threshold(vee, error=eps, lipschitz=2)
        rows.append(row(largest_error(steps.network, vee), "=", eps, activation="step", width=steps.n_units))
    return rows


def draw(ax: Axes) -> None:
    """Fits of |x| with activations of degree 2 and 3 do not improve with the width."""
    widths = [1, 2, 4, 8, 16, 32, 64]
    cubic = Polynomial([0, 1, -1, 1])
    for label, activation, style in (("t^2", Polynomial([0, 0, 1]), "o-"), ("t^3 - t^2 + t", cubic, "s--")):
        errors = [float(deviation(fitted(activation, n, SEED))) for n in widths]
        ax.semilogx(widths, errors, style, color=MEASUREMENT if style == "o-" else CONTROL, markersize=4, label=label)
    ax.axhline(0.125, color=REFERENCE, linestyle=":", label="floor 1/8")
    ax.set_xlabel("width")
    ax.set_ylabel("largest deviation from |x|")
    ax.set_ylim(bottom=0)
    ax.legend(frameon=False, fontsize=8)
    ax.spines[["top", "right"]].set_visible(False)
