r"""Wires that know what they approximate: how large the true value is and how far they are from it, as fractions."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from plica.construct.circuits._circuit import Circuit, Wire
from plica.construct.circuits._square import square
from plica.construct.targets._numbers import Number, rational


@dataclass(frozen=True, eq=False)
class BoundedWire:
    """A wire within ``error`` of a true value of size at most ``size``; the wire itself is also at most ``size`` in size."""

    wire: Wire
    size: Fraction
    error: Fraction = Fraction(0)

    def __add__(self, other: BoundedWire) -> BoundedWire:
        return BoundedWire(self.wire + other.wire, self.size + other.size, self.error + other.error)

    def __mul__(self, factor: Number) -> BoundedWire:
        c = rational(factor)
        return BoundedWire(self.wire * c, abs(c) * self.size, abs(c) * self.error)

    __rmul__ = __mul__

    def shifted(self, constant: Number) -> BoundedWire:
        c = rational(constant)
        return BoundedWire(self.wire + c, self.size + abs(c), self.error)

    def __sub__(self, other: BoundedWire) -> BoundedWire:
        return self + other * -1


def power_of_two(size: Fraction) -> Fraction:
    """The least power of two that is not below a positive number."""
    bound = Fraction(1)
    while bound < size:
        bound *= 2
    while bound / 2 >= size:
        bound /= 2
    return bound


def clipped(c: Circuit, x: BoundedWire, size: Number = 1) -> BoundedWire:
    """The wire cut off at -size and size, between which the true value lies: two units, no error of their own."""
    s = rational(size)
    return BoundedWire(c.relu(x.wire + s) - c.relu(x.wire - s) - s, s, x.error)


def squared(c: Circuit, x: BoundedWire, m: int) -> BoundedWire:
    r"""x^2 as :math:`M^2\,\mathrm{sq}(|x| / M)`, within :math:`M^2 2^{-2m-2}` of the square of the wire."""
    s = power_of_two(x.size)
    wire = s * s * square(c, c.absolute(x.wire) / s, m)
    return BoundedWire(wire, s * s, s * s / 4 ** (m + 1) + x.error * (2 * x.size))


def multiplied(c: Circuit, x: BoundedWire, y: BoundedWire, m: int, *, form: str = "three") -> BoundedWire:
    r"""x y by squares, with M a power of two that is not below both sizes.

    ``four``: :math:`M^2 [\mathrm{sq}(|x+y|/2M) - \mathrm{sq}(|x-y|/2M)]`, error :math:`M^2 2^{-2m-2}`.
    ``three``: :math:`2M^2 [\mathrm{sq}(|x+y|/2M) - \mathrm{sq}(|x|/2M) - \mathrm{sq}(|y|/2M)]`, error :math:`M^2 2^{-2m}`, and
    exactly zero where x or y is.
    """
    s = power_of_two(max(x.size, y.size))
    a, b = x.wire / (2 * s), y.wire / (2 * s)
    if form == "four":
        wire = s * s * (square(c, c.absolute(a + b), m) - square(c, c.absolute(a - b), m))
        own = s * s / 4 ** (m + 1)
    else:
        parts = [square(c, c.absolute(w), m) for w in (a + b, a, b)]
        wire = 2 * s * s * (parts[0] - parts[1] - parts[2])
        own = s * s / 4**m
    # |xy - x'y'| <= |x - x'| |y| + |x'| |y - y'|, and the true sizes are at most those of the wires
    return BoundedWire(wire, x.size * y.size + own, own + x.error * y.size + x.size * y.error)
