r"""The square of a wire by sawteeth, each half as wide as the one before."""

from __future__ import annotations

from fractions import Fraction

from plica.construct.circuits._circuit import Circuit, Wire

HALF = Fraction(1, 2)


def tooth(c: Circuit, x: Wire) -> Wire:
    r"""The tent :math:`2\,\mathrm{ReLU}(x) - 4\,\mathrm{ReLU}(x - 1/2)` of [0, 1], two units."""
    return 2 * c.relu(x) - 4 * c.relu(x - HALF)


def square(c: Circuit, x: Wire, m: int) -> Wire:
    r"""The interpolant of x^2 at k / 2^m, for a wire with values in [0, 1]: 2 m units, m layers."""
    total, g = x, x
    for s in range(1, m + 1):
        g = tooth(c, g)
        total = total - g / 4**s
    return total
