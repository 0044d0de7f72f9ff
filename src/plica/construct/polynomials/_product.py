r"""The product of two numbers as a difference of squares."""

from __future__ import annotations

from fractions import Fraction

from plica.construct._arguments import depth_argument
from plica.construct._construction import Construction
from plica.construct.circuits._bounded import BoundedWire, multiplied, power_of_two
from plica.construct.circuits._circuit import Circuit
from plica.construct.errors._certificate import Certificate
from plica.construct.targets._numbers import Number, rational
from plica.construct.targets._polynomial import Polynomial
from plica.errors import InvalidInput
from plica.geometry import Box


def product(m: int, *, size: Number = 1, form: str = "three") -> Construction:
    r"""Yarotsky's network for x y on [-M, M]^2 [yarotsky2017]_.

    With ``form="three"``, :math:`2M^2 [\mathrm{sq}(|x+y|/2M) - \mathrm{sq}(|x|/2M) - \mathrm{sq}(|y|/2M)]`: the error is at most
    :math:`M^2 2^{-2m}`, and the network is exactly zero where x or y is. With ``form="four"``,
    :math:`M^2 [\mathrm{sq}(|x+y|/2M) - \mathrm{sq}(|x-y|/2M)]`: the error is at most :math:`M^2 2^{-2m-2}`.

    Parameters
    ----------
    m
        Teeth of each square.
    size
        M, rounded up to a power of two, so that all weights are dyadic.
    form
        ``"three"`` or ``"four"``.

    Examples
    --------
    >>> p = product(4)
    >>> p.certificate.bound, p([0.0, 0.75]), p([0.5, 0.25])
    (Fraction(1, 256), array([0.]), array([0.125]))
    """
    m = depth_argument("m", m)
    if form not in ("three", "four"):
        raise InvalidInput(f"unknown form {form!r}.", hint="three or four, by the number of squares in the formula of the proof")
    if not rational(size) > 0:
        raise InvalidInput(f"size must be positive, got {size}.")
    s = power_of_two(rational(size))
    c = Circuit(2)
    x, y = (BoundedWire(w, s) for w in c.inputs)
    result = multiplied(c, x, y, m, form=form)
    net = c.network(result.wire, name=f"product by {form} squares with {m} teeth")
    box = Box([-float(s)] * 2, [float(s)] * 2)
    return Construction(
        name="product",
        network=net,
        parameters={"m": m, "size": s, "form": form},
        theorem={"error": result.error, "depth": m + 1, "units": (3 if form == "three" else 2) * (3 * m + 2)},
        sources=("yarotsky2017",),
        certificate=Certificate(result.error, "sup", box, "squares of sums", Polynomial({(1, 1): Fraction(1)}), net),
    )
