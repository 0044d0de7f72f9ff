r"""The sawtooth: a tent composed with itself, and teeth of any number per layer."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from math import prod

import numpy as np

from plica.construct._arguments import depth_argument, integer_argument
from plica.construct._construction import Construction
from plica.construct.errors._certificate import Certificate
from plica.construct.representations._folding import accordion
from plica.construct.targets._polynomial import Polynomial
from plica.construct.targets._targets import PiecewisePolynomial
from plica.errors import BudgetExceeded, InvalidInput
from plica.geometry import Segment
from plica.network import Linear, Network, Rectifier

MAX_PIECES = 2**20  # of the closed form that a certificate compares with


def zigzag_function(n: int) -> PiecewisePolynomial:
    """The function on [0, 1] that goes up and down between 0 and 1 in n straight pieces."""
    pieces = [Polynomial([-k, n]) if k % 2 == 0 else Polynomial([k + 1, -n]) for k in range(n)]
    return PiecewisePolynomial([Fraction(k, n) for k in range(n + 1)], pieces)


def _certificate(net: Network, n: int) -> Certificate | None:
    """The network is the zigzag with n pieces, exactly; no certificate where the closed form would fill the memory."""
    if n > MAX_PIECES:
        return None
    return Certificate(Fraction(0), "sup", Segment([0.0], [1.0]), "composition of tents", zigzag_function(n), net)


def sawtooth(depth: int) -> Construction:
    r"""The tent map :math:`f(x) = \mathrm{ReLU}(2\,\mathrm{ReLU}(x) - 4\,\mathrm{ReLU}(x - 1/2))` composed with itself.

    It is the network of [telgarsky2015]_.

    All weights are 1, 2, -4 and -1/2. It has :math:`2^{depth}` pieces on [0, 1].

    Examples
    --------
    >>> import numpy as np
    >>> sawtooth(3)(np.array([[0.0], [0.125], [0.25], [0.5]])).ravel()
    array([0., 1., 0., 0.])
    """
    depth = depth_argument("depth", depth)
    pair = Linear(np.array([[1.0], [1.0]]), np.array([0.0, -0.5]))
    tent = Linear(np.array([[2.0, -4.0]]))
    ops = [op for _ in range(depth) for op in (pair, Rectifier(), tent, Rectifier())]
    net = Network.sequential(1, ops, name=f"sawtooth of depth {depth}")
    return Construction(
        name="sawtooth",
        network=net,
        parameters={"depth": depth},
        theorem={"pieces": 2**depth, "units": 3 * depth, "depth": 2 * depth, "error": 0},
        sources=("telgarsky2015",),
        certificate=_certificate(net, 2**depth),
    )


def teeth(widths: Sequence[int]) -> Construction:
    r"""Layers of p ReLUs that each fold [0, 1] p times onto itself: :math:`\prod p` pieces [montufar2014]_.

    Layer by layer :math:`x \mapsto p\,\mathrm{ReLU}(x) + 2p \sum_{k=1}^{p-1} (-1)^k \mathrm{ReLU}(x - k/p)`, written with integer
    weights.

    Examples
    --------
    >>> t = teeth([3, 2])
    >>> t.theorem["pieces"], t.network.widths, t([0.25])
    (6, (1, 3, 2, 1), array([0.5]))
    """
    widths = [integer_argument("a width", p) for p in widths]
    if not widths:
        raise InvalidInput("teeth need at least one layer.")
    n = prod(widths)
    if n.bit_length() > 1000:
        raise BudgetExceeded(f"2^{n.bit_length() - 1} teeth are beyond the floats.", hint="use fewer layers")
    ops: list[Linear | Rectifier] = []
    back = np.ones((1, 1))
    for p in widths:
        weight, bias, out, _ = accordion(p)
        ops += [Linear(weight[:, None] @ back, bias), Rectifier()]
        back = out[None, :]
    net = Network.sequential(1, [*ops, Linear(back)], name="teeth " + " x ".join(map(str, widths)))
    return Construction(
        name="teeth",
        network=net,
        parameters={"widths": widths},
        theorem={"pieces": n, "units": sum(widths), "depth": len(widths), "error": 0},
        sources=("montufar2014", "telgarsky2015"),
        certificate=_certificate(net, n),
    )
