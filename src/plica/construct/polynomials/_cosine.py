r"""High frequencies by folding: one period of the cosine behind a sawtooth."""

from __future__ import annotations

from fractions import Fraction
from math import pi
from typing import Any

from plica.construct._arguments import error_argument
from plica.construct._construction import Construction
from plica.construct.circuits._circuit import Circuit, Wire
from plica.construct.circuits._square import tooth
from plica.construct.errors._certificate import Certificate
from plica.construct.polynomials._chebyshev import chebyshev_polynomials, expansion, interpolation_coefficients
from plica.construct.polynomials._polynomial_network import teeth_needed
from plica.construct.polynomials._univariate import function_argument, missed
from plica.construct.targets._expressions import Variable, cos, sin
from plica.construct.targets._numbers import Number, rational
from plica.construct.targets._polynomial import Polynomial
from plica.construct.targets._targets import Smooth
from plica.errors import BudgetExceeded, InvalidInput
from plica.geometry import Segment

MAX_FREQUENCY = 2**20
FLOAT_PI = Fraction(884279719003555, 281474976710656)  # the float pi, 1.2e-16 below pi


def cosine_network(frequency: Number, error: Number) -> Construction:
    r"""cos(a x) on [-1, 1] with O(log^2(1/error) + log a) units [elbraechter2021]_.

    With :math:`v = a|x| / (\pi 2^s)` in [0, 1] and the tent T, :math:`\cos(a x) = \cos(\pi T^s(v))`: s folds, and one half period
    that a Chebyshev expansion makes.

    Examples
    --------
    >>> c = cosine_network(100, 1e-2)
    >>> float(c.certificate.bound) <= 1e-2, c.parameters["folds"]
    (True, 5)
    """
    return _wave("cosine", frequency, error)


def sine_network(frequency: Number, error: Number) -> Construction:
    r"""sin(a x) = cos(a x - pi/2) on [-1, 1], in the same way [elbraechter2021]_.

    Examples
    --------
    >>> float(round(sine_network(20, 1e-2)([0.1])[0], 1))
    0.9
    """
    return _wave("sine", frequency, error)


def half_period(allowed: Fraction) -> tuple[list[Fraction], Fraction]:
    """Coefficients in T_k(2y - 1) for cos(pi y) on [0, 1], and a certified bound of what they miss."""
    z = Variable(0)
    shape = sin(z * Fraction(-pi) / 2)  # cos(pi y) with z = 2y - 1, for the float pi
    for n in range(3, 40, 2):
        a = [c if k % 2 else Fraction(0) for k, c in enumerate(interpolation_coefficients(shape, n))]  # it is odd
        p = Polynomial([0])
        for c, t in zip(a, chebyshev_polynomials(n), strict=True):
            p = p + c * t
        gap = missed(function_argument(shape), p, -1)
        if gap <= allowed:
            return a, gap
    raise BudgetExceeded(f"no expansion reaches the error {float(allowed):.3g}.")


def folds_of_phase(frequency: Fraction, largest: Fraction, allowed: Fraction) -> tuple[int, Fraction]:
    """How often phases up to the largest are folded into a half period, and what floats lose of them."""
    folds = 0
    while largest > FLOAT_PI * 2**folds:
        folds += 1
    # pi and a / (pi 2^s) are rounded to floats: phases up to 2 pi 2^s are off by a few units
    lost = Fraction(2**folds, 2**45) + Fraction(1, 2**40)
    if lost >= allowed / 2:
        raise InvalidInput(
            f"phases of frequency {float(frequency):g} are known to {float(lost):.2g} in float64, "
            f"too little for {float(allowed):.2g}."
        )
    return folds, lost


def _wave(name: str, frequency: Number, error: Number) -> Construction:
    a, allowed = rational(frequency), error_argument(error)
    if not 0 < a <= MAX_FREQUENCY:
        raise InvalidInput(f"the frequency must lie between 0 and {MAX_FREQUENCY:,}, got {float(a):g}.")
    shift = Fraction(0) if name == "cosine" else -FLOAT_PI / 2
    folds, lost = folds_of_phase(a, a - shift, allowed)
    coefficients, gap = half_period((allowed - lost) / 4)

    def build(m: int) -> tuple[Circuit, Wire, Fraction]:
        c = Circuit(1)
        v = c.absolute(c.inputs[0] * Fraction(float(a / (FLOAT_PI * 2**folds))) + Fraction(float(shift / (FLOAT_PI * 2**folds))))
        for _ in range(folds):
            v = tooth(c, v)
        value = expansion(c, 2 * v - 1, coefficients, m)
        return c, value.wire, value.error

    m = teeth_needed(lambda k: build(k)[2], allowed - lost - gap)
    c, wire, own = build(m)
    net = c.network(wire, name=f"{name} of frequency {float(a):g}")
    x: Any = Variable(0)
    target = Smooth((cos if name == "cosine" else sin)(x * a))
    return Construction(
        name=name,
        network=net,
        parameters={"frequency": frequency, "error": error, "folds": folds, "teeth": m},
        theorem={"error": allowed, "depth": "O(log^2(1/error) + log a)", "width": "bounded"},
        sources=("elbraechter2021",),
        certificate=Certificate(
            gap + own + lost, "sup", Segment([-1.0], [1.0]), "folds of a half period, and errors of squares", target, net
        ),
    )
