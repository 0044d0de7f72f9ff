r"""Interpolation of smooth functions of one variable: a knot for each unit of one hidden layer."""

from __future__ import annotations

from fractions import Fraction
from itertools import pairwise
from math import ceil, sqrt
from typing import Any

import numpy as np

from plica._types import Array
from plica.construct._arguments import error_argument, integer_argument, interval_argument
from plica.construct._construction import Construction
from plica.construct.circuits._circuit import Circuit
from plica.construct.errors._certificate import Certificate
from plica.construct.targets._numbers import rational
from plica.construct.targets._slopes import curvature_bound, values_at
from plica.construct.targets._targets import as_target
from plica.errors import BudgetExceeded, InvalidInput
from plica.geometry import Segment
from plica.network import Network

MAX_UNITS = 2**20


def through_knots(knots: Array, values: Array, *, name: str) -> tuple[Network, float]:
    """The network that is linear between knots and constant before the first, and how far rounding moves it at the knots."""
    circuit = Circuit(1)
    (x,) = circuit.inputs
    xs, ys = [rational(k) for k in knots], [rational(v) for v in values]
    slopes = [Fraction(0)] + [(b - a) / (q - p) for a, b, p, q in zip(ys[:-1], ys[1:], xs[:-1], xs[1:], strict=True)]
    turns = [rational(float(b - a)) for a, b in pairwise(slopes)]
    out = circuit.total([circuit.relu(x - k) * c for k, c in zip(xs, turns, strict=False)]) + ys[0]
    level, slope, worst = ys[0], Fraction(0), Fraction(0)  # the stored network at the knots, in rationals
    for i, turn in enumerate(turns):
        slope += turn
        level += slope * (xs[i + 1] - xs[i])
        worst = max(worst, abs(level - ys[i + 1]))
    return circuit.network(out, name=name), float(worst) * (1 + 2.0**-50)


def spline(
    target: Any, n: int | None = None, *, error: float | None = None, interval: tuple[float, float] = (0.0, 1.0)
) -> Construction:
    r"""The piecewise-linear interpolant of a smooth function at n + 1 equally spaced knots, n ReLUs in one hidden layer.

    Its error is at most :math:`h^2 \sup|g''| / 8` with h the distance of knots. Give the number of pieces, or the error and
    get the number from it.

    Examples
    --------
    >>> from plica.construct import sin, variables
    >>> (x,) = variables(1)
    >>> f = spline(sin(3 * x), error=1e-3)
    >>> f.n_units, float(f.certificate.bound) <= 1e-3
    (34, True)
    """
    low, high = interval_argument(interval)
    goal = as_target(target, 1)
    if (n is None) == (error is None):
        raise InvalidInput("give either the number of pieces or the error.")
    curvature = curvature_bound(goal, [low], [high])
    if n is None:
        wanted = float(error_argument(error))
        n = max(1, ceil((high - low) * sqrt(curvature / (8 * wanted)) * (1 + 1e-9)))
    n = integer_argument("n", n)
    if n > MAX_UNITS:
        raise BudgetExceeded(
            f"the error {error} needs {n:,} units; the limit is {MAX_UNITS:,}.", hint="a larger error", partial={"n_units": n}
        )
    knots = np.linspace(low, high, n + 1)
    values, slack = values_at(goal, knots[:, None])
    network, moved = through_knots(knots, values, name="spline")
    h = float(np.nextafter(np.diff(knots).max(), np.inf))
    bound = h * h * curvature / 8 * (1 + 1e-12) + slack + moved
    certificate = Certificate(bound, "sup", Segment([low], [high]), "h^2 sup|g''| / 8", goal, network)
    theorem = {"units": n, "depth": 1, "error": h * h * curvature / 8}
    return Construction("spline", network, {"n": n, "interval": (low, high)}, theorem, ("telgarsky2021",), certificate)
