r"""The square on [0, 1]: a linear interpolant on a grid that halves with every layer."""

from __future__ import annotations

from fractions import Fraction

from plica.construct._arguments import depth_argument
from plica.construct._construction import Construction
from plica.construct.circuits._circuit import Circuit
from plica.construct.circuits._square import square
from plica.construct.errors._certificate import Certificate
from plica.construct.targets._polynomial import Polynomial
from plica.geometry import Segment


def squaring(m: int) -> Construction:
    r"""Yarotsky's network for the square on [0, 1] [yarotsky2017]_.

    .. math:: f_m(x) = x - \sum_{s=1}^m g_s(x) / 4^s

    where :math:`g_s` is the s-fold tent. It is the linear interpolant of :math:`x^2` at :math:`k/2^m`, so that its largest
    error is exactly :math:`2^{-2m-2}`. All weights are dyadic.

    Examples
    --------
    >>> s = squaring(4)
    >>> s.certificate.bound, s.n_units, s.depth
    (Fraction(1, 1024), 8, 4)
    >>> s([0.5])
    array([0.25])
    """
    m = depth_argument("m", m)
    c = Circuit(1)
    net = c.network(square(c, c.inputs[0], m), name=f"square with {m} teeth")
    bound = Fraction(1, 4 ** (m + 1))
    return Construction(
        name="squaring",
        network=net,
        parameters={"m": m},
        theorem={"error": bound, "depth": m, "units": 3 * m},
        sources=("yarotsky2017",),
        certificate=Certificate(
            bound, "sup", Segment([0.0], [1.0]), "interpolation of x^2 at k / 2^m", Polynomial([0, 0, 1]), net
        ),
    )
