"""Functions that are low at the corners of the boxes of a grid and higher almost everywhere, and their box networks."""

from __future__ import annotations

from fractions import Fraction
from math import factorial

from plica.construct import Circuit, Construction, Polynomial, approximation_error, box_network
from plica.geometry import Box, Segment
from plica.network import Network

BASE = Fraction(1)
STEEP = Fraction(1, 64)  # of a box: where ledges rise
GRAIN = Fraction(1, 2**40)  # edges of boxes are rounded to it


def ledges(n: int, d: int, rise: Fraction, steep: Fraction, base: Fraction = BASE) -> Network:
    """``base`` where the first coordinate is a multiple of 1/n, and base + rise from ``steep`` on: it changes by at most rise."""
    circuit = Circuit(d)
    x = circuit.inputs[0]
    total = circuit.constant(base)
    for k in range(n):
        a, b = Fraction(k, n), Fraction(k + 1, n)
        up = circuit.relu(x - a) - circuit.relu(x - (a + steep))
        down = circuit.relu(x - (b - steep)) - circuit.relu(x - b)
        total = total + (up - down) * (rise / steep)
    return circuit.network(total)


def corner_boxes(n: int, d: int, eps: Fraction) -> Construction:
    """Bumps with the value in the corner of each box: all corners have the value 1."""
    return box_network(Polynomial.constant(BASE, d), error=eps, n_variables=d, modulus=Fraction(1, n), value="corner")


def middle_boxes(n: int, d: int, eps: Fraction) -> Construction:
    """Bumps with the middle of the values in each box, and ramps of eps / 16 of it."""
    middle = Polynomial.constant(BASE + eps / 2, d)
    return box_network(middle, error=eps, n_variables=d, modulus=Fraction(1, n), ramp=eps / (16 * n))


def measured(n: int, d: int, eps: Fraction) -> tuple[Fraction, Construction]:
    """The L1 error of the box network that takes the value in the corner of each box, exactly, and the network."""
    boxes = corner_boxes(n, d, eps)
    return _error(boxes, n, d, eps), boxes


def measured_middle(n: int, d: int, eps: Fraction) -> Fraction:
    """The L1 error of the box network that takes the middle of the values in each box."""
    return _error(middle_boxes(n, d, eps), n, d, eps)


def measured_pyramids(n: int, d: int, eps: Fraction) -> tuple[Fraction, Construction]:
    """The same for ledges from eps to 2 eps, whose ramps may be as wide as boxes are: bumps become pyramids."""
    goal = Polynomial.constant(eps, d)
    ramp = (Fraction(1, n) - GRAIN) / 2
    boxes = box_network(goal, error=eps, n_variables=d, modulus=Fraction(1, n), value="corner", ramp=ramp)
    return _error(boxes, n, d, eps, eps), boxes


def pyramid_error(d: int, eps: Fraction) -> Fraction:
    """The ledges, less the pyramids below them: each fills 1 / (d + 1)! of its box."""
    return eps * (2 - STEEP - Fraction(1, factorial(d + 1)))


def _error(boxes: Construction, n: int, d: int, eps: Fraction, base: Fraction = BASE) -> Fraction:
    error = approximation_error(boxes.network, ledges(n, d, eps, STEEP / n, base), unit_domain(d), norm="L1", exact=True)
    assert error.is_exact
    return Fraction(error.low)


def unit_domain(d: int) -> Segment | Box:
    """[0, 1]^d."""
    return Segment([0.0], [1.0]) if d == 1 else Box([0.0] * d, [1.0] * d)
