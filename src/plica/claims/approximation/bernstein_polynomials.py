r"""Bernstein: polynomials for every continuous function, at the rate of its modulus of continuity.

Claim
    |B_n f - f| <= (5/4) w(f, n^{-1/2}) on [0, 1], where B_n f = sum_k f(k/n) C(n, k) x^k (1-x)^{n-k} and w is the modulus of
    continuity of f; for x^2 the largest error is exactly 1/(4n), and for |x - 1/2| it falls no faster than n^{-1/2}.
Source
    G. G. Lorentz, Bernstein Polynomials, 2nd ed. (1986), chapter 1 [lorentz1986].
Prediction
    1/(4n); (5/4) n^{-1/2} for functions with Lipschitz constant 1; at least (1/2) (2n)^{-1/2} at x = 1/2 for |x - 1/2|, n even
Measurement
    plica.construct.bernstein_polynomial in exact rationals: x (1-x)/n at x = 1/2 for x^2, the value at 1/2 for |x - 1/2|, and the
    largest deviation of a tent at points k/16; the networks of plica.construct.bernstein, whose distances from the polynomial and
    from the tent are enclosed on their pieces (plica.construct.approximation_error)
Remark
    The theorem needs a continuous f: claim slide-weierstrass.
"""

from __future__ import annotations

from fractions import Fraction
from math import comb
from typing import TYPE_CHECKING, Any

from plica._palette import ALTERNATIVE, MEASUREMENT, REFERENCE
from plica.claims import Evidence, row
from plica.construct import Polynomial, approximation_error, bernstein, bernstein_polynomial, variables
from plica.geometry import Segment

if TYPE_CHECKING:
    from matplotlib.axes import Axes

STATEMENT = "theorem"
EXPECTED = "holds"
KIND = "certified"
SEE = ("slide-weierstrass", "chebyshev-interpolation", "bernstein-constant")
HALF = Fraction(1, 2)


def tent_value(n: int, x: Fraction) -> Fraction:
    """The Bernstein polynomial of |x - 1/2| at x."""
    weights = (comb(n, k) * x**k * (1 - x) ** (n - k) for k in range(n + 1))
    return sum((w * abs(Fraction(k, n) - HALF) for k, w in enumerate(weights)), Fraction(0))


def check(scale: str) -> Evidence:
    rows = []
    for n in (2, 4, 8, 16) + ((32,) if scale == "full" else ()):
        square = bernstein_polynomial([Fraction(k, n) ** 2 for k in range(n + 1)]) - Polynomial([0, 0, 1])
        # x (1 - x) / n, whose largest value is at 1/2
        rows.append(
            row(square == Polynomial([0, Fraction(1, n), Fraction(-1, n)]), "=", True, what="error of x^2 is x (1-x)/n", n=n)
        )
        rows.append(row(square.exact([HALF]), "=", Fraction(1, 4 * n), what="largest error of x^2", n=n))
    for n in (4, 16, 64) + ((256, 1024) if scale == "full" else ()):
        at_kink = tent_value(n, HALF)
        rows.append(row(at_kink**2, ">=", Fraction(1, 8 * n), what="|x - 1/2|: square of the error at 1/2", n=n))
        seen = max(abs(tent_value(n, Fraction(k, 16)) - abs(Fraction(k, 16) - HALF)) for k in range(17))
        rows.append(row(seen**2, "<=", Fraction(25, 16 * n), what="|x - 1/2|: square of the error at k/16", n=n))
    (x,) = variables(1)
    tent, unit = abs(x - HALF), Segment([0.0], [1.0])
    for n, asked in ((3, Fraction(1, 50)), (4, Fraction(1, 100))):
        built = bernstein(tent, n, asked)
        polynomial = bernstein_polynomial([abs(Fraction(k, n) - HALF) for k in range(n + 1)])
        about: dict[str, Any] = {"n": n, "kind": "certified"}
        lost = float(approximation_error(built.network, polynomial, unit).high)
        rows.append(row(lost, "<=", float(asked), what="network: distance from the polynomial, within what was asked", **about))
        true = approximation_error(built.network, tent, unit)
        assert built.certificate is not None
        rows.append(row(float(true.high), "<=", float(built.certificate.bound), what="network: error, within its bound", **about))
        largest = float(tent_value(n, HALF))  # at the kink; between polynomial and network there is the rest
        rows.append(row(float(true.low), ">=", largest - lost, what="network: error, with the polynomial's", **about))
    return Evidence(rows, draw=draw)


def draw(ax: Axes) -> None:
    """Errors against the degree."""
    degrees = [2, 4, 8, 16, 32, 64, 128]
    ax.loglog(degrees, [1.25 * n**-0.5 for n in degrees], ":", color=REFERENCE, label=r"$\frac{5}{4} n^{-1/2}$")
    ax.loglog(degrees, [float(tent_value(n, HALF)) for n in degrees], "o-", color=MEASUREMENT, markersize=4, label="|x - 1/2|")
    ax.loglog(degrees, [1 / (4 * n) for n in degrees], "s-", color=ALTERNATIVE, markersize=4, label="$x^2$: 1/(4n)")
    ax.set_xlabel("degree")
    ax.set_ylabel("largest error")
    ax.legend(frameon=False, fontsize=8)
    ax.spines[["top", "right"]].set_visible(False)
