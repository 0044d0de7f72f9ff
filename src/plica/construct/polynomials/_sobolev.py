r"""Yarotsky's construction: Taylor polynomials on a grid, glued by a partition of unity, products by squares."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from itertools import product as every
from math import factorial, prod
from typing import Any

import numpy as np

from plica.construct._arguments import MAX_DEPTH, error_argument, integer_argument
from plica.construct._construction import Construction
from plica.construct.circuits._bounded import BoundedWire, clipped, multiplied
from plica.construct.circuits._circuit import Circuit
from plica.construct.errors._certificate import Certificate
from plica.construct.polynomials._partition import bumps
from plica.construct.targets._expressions import Expression, expression
from plica.construct.targets._intervals import Interval
from plica.construct.targets._numbers import Number
from plica.construct.targets._polynomial import Exponents, Polynomial
from plica.construct.targets._targets import Smooth, as_target, spread_to
from plica.errors import BudgetExceeded, InvalidInput
from plica.geometry import Box

MAX_GRID = 4000  # grid points
GRID = 16  # boxes in each direction on which derivatives are bounded


def multi_indices(d: int, order: int) -> list[Exponents]:
    """All exponents of d variables with the given sum."""
    return [k for k in every(range(order + 1), repeat=d) if sum(k) == order]


class Derivatives:
    """Partial derivatives of a formula or of a polynomial on [0, 1]^d: values at points, bounds on the cube."""

    def __init__(self, f: Any, d: int) -> None:
        target = as_target(f, d)
        if not isinstance(target, (Polynomial, Smooth)):
            raise InvalidInput("the construction needs a formula or a polynomial.")
        if isinstance(target, Smooth) and target.bounds:
            target.refuse_false_bounds(np.array(list(every(np.linspace(0.0, 1.0, GRID + 1), repeat=d))))
        self.target, self.d = target, d
        start: Polynomial | Expression = target if isinstance(target, Polynomial) else expression(target.formula)

        @cache
        def derivative(k: Exponents) -> Polynomial | Expression:
            for i, order in enumerate(k):
                if order:
                    return derivative((*k[:i], order - 1, *k[i + 1 :])).derivative(i)
            return start

        self._derivative = derivative
        self._bounds: dict[Exponents, Fraction] = {}

    def at(self, k: Exponents, point: tuple[Fraction, ...]) -> Fraction:
        """The derivative at a rational point, exact or rounded to a float."""
        g = self._derivative(k)
        exact = g.exact(point)
        if exact is not None:
            return exact
        value = float(np.asarray(g.enclose([Interval.of(c) for c in point]).middle()))
        if not np.isfinite(value):
            raise InvalidInput(f"the derivative of order {k} is not finite at {tuple(map(float, point))}.")
        return Fraction(value)

    def bound(self, k: Exponents) -> Fraction:
        """A certified bound of its absolute value on the cube, from a grid of boxes."""
        if k not in self._bounds:
            self._bounds[k] = self._bound(k)
        return self._bounds[k]

    def _bound(self, k: Exponents) -> Fraction:
        ends = np.linspace(0.0, 1.0, GRID + 1)
        corners = np.array(list(every(range(GRID), repeat=self.d)))
        box = [Interval(ends[corners[:, a]], ends[corners[:, a] + 1]) for a in range(self.d)]
        largest = float(spread_to(self._derivative(k).enclose(box), box).magnitude().max())
        if not np.isfinite(largest):
            raise InvalidInput(
                f"the derivative of order {k} is not bounded on [0, 1]^{self.d}.", hint="ask for a smaller smoothness"
            )
        return Fraction(largest)


@dataclass(frozen=True)
class _Plan:
    """The grid and the teeth that reach an error."""

    n: int
    m: int
    taylor: Fraction


def _taylor_error(derivatives: Derivatives, smoothness: int) -> Fraction:
    """sum over |k| = smoothness of sup |D^k f| / k!, times (2/3)^smoothness: the error is this over n^smoothness.

    At x a bump is not zero only within 2/(3n) of its grid point in each coordinate, and the bumps add to one.
    """
    total = sum((derivatives.bound(k) / prod(map(factorial, k)) for k in multi_indices(derivatives.d, smoothness)), Fraction(0))
    return total * Fraction(2, 3) ** smoothness


def _glued(derivatives: Derivatives, smoothness: int, n: int, m: int) -> tuple[Circuit, BoundedWire]:
    """sum over grid points of bump times Taylor polynomial; the error is that of the products."""
    d = derivatives.d
    c = Circuit(d)
    orders = [k for order in range(smoothness) for k in multi_indices(d, order)]
    parts, worst = [], Fraction(0)
    for point, bump in bumps(c, n, m).items():
        center = tuple(Fraction(k, n) for k in point)
        terms = {(0,) * d: bump}
        own = Fraction(0)
        for k in orders:
            if k not in terms:
                i = next(i for i, order in enumerate(k) if order)
                lower = terms[(*k[:i], k[i] - 1, *k[i + 1 :])]
                # the bump is zero beyond 2/(3n): there the true product is too, and so is the network's
                terms[k] = clipped(c, multiplied(c, lower, BoundedWire(c.inputs[i] - center[i], Fraction(1)), m))
            coefficient = derivatives.at(k, center) / prod(map(factorial, k))
            parts.append(terms[k].wire * coefficient)
            own += abs(coefficient) * terms[k].error
        worst = max(worst, own)
    # at most 2^d bumps are not zero at a point, and a product with a zero factor is exactly zero
    return c, BoundedWire(c.total(parts), Fraction(0), 2**d * worst)


def _product_error(derivatives: Derivatives, smoothness: int, m: int) -> Fraction:
    """What the products cost with m teeth, from the bounds of the derivatives."""
    d, own = derivatives.d, Fraction(1, 4**m)
    total = Fraction(0)
    for order in range(smoothness):
        for k in multi_indices(d, order):
            total += derivatives.bound(k) / prod(map(factorial, k)) * own * (d - 1 + order)
    return 2**d * total


def sobolev(f: Any, error: Number, *, dimension: int = 1, smoothness: int = 2) -> Construction:
    r"""Yarotsky's network for a smooth function on [0, 1]^d, within a given error [yarotsky2017]_.

    .. math:: \sum_k \phi_k(x) \sum_{|n| < r} \frac{D^n f(k/N)}{n!} (x - k/N)^n

    with a partition of unity :math:`\phi_k` on a grid of N + 1 points in each coordinate and products by three squares, which are
    exactly zero where a factor is. For functions with r bounded derivatives it has of the order of
    :math:`\varepsilon^{-d/r} \log(1/\varepsilon)` weights. N comes from bounds of the derivatives in interval arithmetic, the
    teeth of the squares from what is left of the error.

    Parameters
    ----------
    f
        A formula in d variables or a :class:`Polynomial`.
    error
        The largest error allowed.
    dimension
        d.
    smoothness
        r, the order of the derivatives that are bounded.

    Examples
    --------
    >>> from plica.construct import sin, variables
    >>> (x,) = variables(1)
    >>> s = sobolev(sin(3 * x), 0.05)
    >>> float(s.certificate.bound) <= 0.05, s.parameters["grid"]
    (True, 8)
    """
    allowed = error_argument(error)
    d, r = integer_argument("dimension", dimension), integer_argument("smoothness", smoothness)
    derivatives = Derivatives(f, d)
    plan = _plan(derivatives, r, allowed)
    c, value = _glued(derivatives, r, plan.n, plan.m)
    net = c.network(value.wire, name=f"Taylor polynomials on a grid of {plan.n}^{d}")
    size = sum((derivatives.bound(k) for order in range(r) for k in multi_indices(d, order)), Fraction(0))
    lost = Fraction(0) if c.is_exact else size * 2**d * Fraction(3 * plan.n + 8, 2**48)
    bound = plan.taylor + value.error + lost
    return Construction(
        name="sobolev",
        network=net,
        parameters={"f": repr(f), "error": error, "dimension": d, "smoothness": r, "grid": plan.n, "teeth": plan.m},
        theorem={"error": allowed, "weights": f"O(error^(-{d}/{r}) log(1/error))", "depth": "O(log(1/error))"},
        sources=("yarotsky2017",),
        certificate=Certificate(
            bound, "sup", Box([0.0] * d, [1.0] * d), "Taylor's remainder, and errors of squares", derivatives.target, net
        ),
    )


@dataclass(frozen=True)
class SobolevSize:
    """What a network of :func:`sobolev` costs, and the bound of its error."""

    bound: Fraction
    grid: int
    teeth: int
    n_units: int
    n_weights: int
    depth: int


def sobolev_size(f: Any, error: Number, *, dimension: int = 1, smoothness: int = 2) -> SobolevSize:
    """The size of the network of :func:`sobolev` with the same arguments, without its matrices.

    Examples
    --------
    >>> from plica.construct import sin, variables
    >>> (x,) = variables(1)
    >>> size = sobolev_size(sin(3 * x), 0.05)
    >>> size.grid, size.n_weights == sobolev(sin(3 * x), 0.05).n_weights
    (8, True)
    """
    allowed = error_argument(error)
    d, r = integer_argument("dimension", dimension), integer_argument("smoothness", smoothness)
    derivatives = Derivatives(f, d)
    plan = _plan(derivatives, r, allowed)
    c, value = _glued(derivatives, r, plan.n, plan.m)
    n_units, n_weights, depth = c.size(value.wire)
    return SobolevSize(plan.taylor + value.error, plan.n, plan.m, n_units, n_weights, depth)


def _plan(derivatives: Derivatives, r: int, allowed: Fraction) -> _Plan:
    """Half of the error for Taylor's remainder, the rest for the products."""
    constant, n = _taylor_error(derivatives, r), 1
    has_products = derivatives.d > 1 or r > 1
    share = allowed * Fraction(3, 4) if has_products else allowed * Fraction(999, 1000)
    while constant > share * n**r:
        n += 1
        if (n + 1) ** derivatives.d > MAX_GRID:
            needed = float(constant / share) ** (1 / r)
            raise BudgetExceeded(
                f"an error of {float(allowed):.3g} needs about {needed:.3g} grid points in each of {derivatives.d} coordinates; "
                f"{MAX_GRID:,} are allowed together.",
                hint="allow a larger error or use more smoothness",
            )
    taylor = constant / n**r
    for m in range(1, MAX_DEPTH):
        if not has_products or _product_error(derivatives, r, m) <= (allowed - taylor) * Fraction(9, 10):
            return _Plan(n, m, taylor)
    raise BudgetExceeded(f"no square reaches the error {float(allowed):.3g}.")
