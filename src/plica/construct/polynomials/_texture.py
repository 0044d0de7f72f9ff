r"""Oscillatory textures: a wave whose phase and height are polynomials."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from plica.construct._arguments import error_argument
from plica.construct._construction import Construction
from plica.construct.circuits._bounded import BoundedWire, clipped, multiplied
from plica.construct.circuits._circuit import Circuit
from plica.construct.circuits._square import tooth
from plica.construct.errors._certificate import Certificate
from plica.construct.polynomials._chebyshev import chebyshev_polynomials, expansion
from plica.construct.polynomials._cosine import FLOAT_PI, MAX_FREQUENCY, folds_of_phase, half_period
from plica.construct.polynomials._polynomial_network import teeth_needed
from plica.construct.targets._expressions import Variable, cos
from plica.construct.targets._numbers import Number, rational
from plica.construct.targets._polynomial import Polynomial
from plica.construct.targets._targets import Smooth
from plica.errors import InvalidInput
from plica.geometry import Segment


def texture_network(phase: Polynomial, envelope: Polynomial, frequency: Number, error: Number) -> Construction:
    r"""cos(a g(x)) h(x) on [-1, 1] with O(log^2(1/error) + log^2 a) units, of bounded width [elbraechter2021]_.

    The phase g to an accuracy of error / a, then the folds and the half period of :func:`cosine_network`, and one product.

    Parameters
    ----------
    phase, envelope
        Polynomials in one variable whose Chebyshev coefficients have a sum of absolute values of at most 1.

    Examples
    --------
    >>> chirp = texture_network(Polynomial([0, 0, 1]), Polynomial([1, 0, -1]), 100, 1e-2)
    >>> float(chirp.certificate.bound) <= 1e-2, chirp.parameters["folds"]
    (True, 5)
    """
    a, allowed = rational(frequency), error_argument(error)
    if not 0 < a <= MAX_FREQUENCY:
        raise InvalidInput(f"the frequency must lie between 0 and {MAX_FREQUENCY:,}, got {float(a):g}.")
    g, h = _in_chebyshev("phase", phase), _in_chebyshev("envelope", envelope)
    folds, lost = folds_of_phase(a, a, allowed)
    coefficients, gap = half_period((allowed - lost) / 4)

    def phase_of(c: Circuit, teeth: int) -> BoundedWire:
        value = clipped(c, expansion(c, c.inputs[0], g, teeth))
        return BoundedWire(value.wire, value.size, a * value.error)  # a wave is at most a times as far off as its phase

    phase_teeth = teeth_needed(lambda k: phase_of(Circuit(1), k).error, allowed / 4)

    def attempt(m: int) -> tuple[Circuit, BoundedWire]:
        c = Circuit(1)
        bent = phase_of(c, phase_teeth)
        v = c.absolute(bent.wire * Fraction(float(a / (FLOAT_PI * 2**folds))))
        for _ in range(folds):
            v = tooth(c, v)
        half = expansion(c, 2 * v - 1, coefficients, m)
        missed = half.error + gap + lost + bent.error
        wave = clipped(c, BoundedWire(half.wire, half.size, missed))
        return c, multiplied(c, wave, clipped(c, expansion(c, c.inputs[0], h, m)), m)

    m = teeth_needed(lambda k: attempt(k)[1].error, allowed)
    c, value = attempt(m)
    net = c.network(value.wire, name=f"texture of frequency {float(a):g}")
    x: Any = Variable(0)
    target = Smooth(cos(_formula(phase, x) * a) * _formula(envelope, x))
    return Construction(
        name="texture",
        network=net,
        parameters={"phase": phase, "envelope": envelope, "frequency": frequency, "error": error, "folds": folds, "teeth": m},
        theorem={"error": allowed, "depth": "O(log^2(1/error) + log^2 a)", "width": "bounded"},
        sources=("elbraechter2021",),
        certificate=Certificate(
            value.error, "sup", Segment([-1.0], [1.0]), "phase, folds of a half period, and a product", target, net
        ),
    )


def _in_chebyshev(name: str, given: Polynomial) -> list[Fraction]:
    """The coefficients of a polynomial in T_k, exactly, from the highest down."""
    if not isinstance(given, Polynomial) or given.n_variables != 1:
        raise InvalidInput(f"the {name} is a polynomial in one variable, got {given!r}.", hint="Polynomial([0, 0, 1]) is x^2")
    rest, found = given, [Fraction(0)] * (given.degree + 1)
    for k, t in reversed(list(enumerate(chebyshev_polynomials(given.degree)))):
        found[k] = rest.coefficients.get((k,), Fraction(0)) / t.coefficients[k,]
        rest = rest + t * -found[k]
    if sum(map(abs, found)) > 1:
        raise InvalidInput(
            f"the Chebyshev coefficients of the {name} add up to {float(sum(map(abs, found))):g}, more than 1.",
            hint="divide it by that, and multiply the frequency or the result",
        )
    return found


def _formula(p: Polynomial, x: Any) -> Any:
    total: Any = 0
    for k in range(p.degree, -1, -1):
        total = total * x + p.coefficients.get((k,), Fraction(0))
    return total
