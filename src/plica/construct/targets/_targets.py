"""What a network approximates: polynomials, piecewise polynomials and smooth functions given by formulas."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from itertools import combinations_with_replacement, pairwise
from types import MappingProxyType
from typing import Any

import numpy as np

from plica._lazy import cached_property
from plica._types import Array
from plica.construct._arguments import integer_argument
from plica.construct.targets._expressions import Expression, expression, variables
from plica.construct.targets._intervals import Interval
from plica.construct.targets._numbers import Number, rational
from plica.construct.targets._polynomial import Polynomial
from plica.errors import InvalidInput


class PiecewisePolynomial:
    """Polynomials in one variable between knots: ``pieces[i]`` on [knots[i], knots[i + 1]], and beyond the outer knots.

    It must be continuous at its inner knots.

    Examples
    --------
    >>> tent = PiecewisePolynomial([0, Fraction(1, 2), 1], [Polynomial([0, 2]), Polynomial([2, -2])])
    >>> tent.exact([Fraction(3, 4)])
    Fraction(1, 2)
    """

    n_variables = 1

    def __init__(self, knots: Sequence[Number], pieces: Sequence[Polynomial]) -> None:
        self.knots = tuple(rational(k) for k in knots)
        self.pieces = tuple(pieces)
        if len(self.knots) != len(self.pieces) + 1 or any(b <= a for a, b in pairwise(self.knots)):
            raise InvalidInput(f"{len(self.pieces)} pieces need {len(self.pieces) + 1} increasing knots, got {len(self.knots)}.")
        if any(p.n_variables != 1 for p in self.pieces):
            raise InvalidInput("the pieces of a piecewise polynomial have one variable.")
        for knot, (left, right) in zip(self.knots[1:-1], pairwise(self.pieces), strict=True):
            if left.exact([knot]) != right.exact([knot]):
                raise InvalidInput(f"the pieces jump at {knot}: {left.exact([knot])} and {right.exact([knot])}.")

    @property
    def degree(self) -> int:
        return max(p.degree for p in self.pieces)

    def exact(self, x: Sequence[Fraction]) -> Fraction:
        """The value at a rational point."""
        return self.pieces[self.index(x[0])].exact(x)

    def index(self, x: Fraction) -> int:
        """The number of the piece at a point."""
        inner = self.knots[1:-1]
        low, high = 0, len(inner)
        while low < high:
            middle = (low + high) // 2
            low, high = (middle + 1, high) if inner[middle] <= x else (low, middle)
        return low

    def along(self, directions: Sequence[Sequence[Fraction]], origin: Sequence[Fraction]) -> PiecewisePolynomial:
        """The function of u with x = origin + u * direction."""
        if len(directions) != 1:
            raise InvalidInput("a piecewise polynomial has one variable; the domain has more.")
        slope, start = directions[0][0], origin[0]
        knots, pieces = [(k - start) / slope for k in self.knots], [p.along(directions, origin) for p in self.pieces]
        return PiecewisePolynomial(knots, pieces) if slope > 0 else PiecewisePolynomial(knots[::-1], pieces[::-1])

    def __call__(self, x: Any) -> Array:
        """Values at points, in floating point."""
        t = np.asarray(x, dtype=np.float64).reshape(-1)
        which = np.searchsorted(np.array([float(k) for k in self.knots[1:-1]]), t, side="right")
        out = np.empty(len(t))
        for i, piece in enumerate(self.pieces):
            out[which == i] = piece(t[which == i][:, None])
        return out

    def __repr__(self) -> str:
        return f"PiecewisePolynomial({len(self.pieces)} pieces of degree {self.degree} on [{self.knots[0]}, {self.knots[-1]}])"


class Smooth:
    """A function given by an expression; its derivatives come from the expression, and so do their bounds.

    Parameters
    ----------
    formula
        An :class:`Expression`.
    n_variables
        How many variables it has; more than the formula shows if it does not depend on the last ones.
    bounds
        Stated bounds of derivatives by their order: ``{1: 3}`` says that all first partial derivatives are at most 3 in absolute
        value. Proofs do not use them (bounds are computed from the formula), but a domain on which one is false is refused.

    Examples
    --------
    >>> from plica.construct import Smooth, sin, variables
    >>> (x,) = variables(1)
    >>> f = Smooth(sin(3 * x))
    >>> f.first([Interval(np.zeros(1), np.ones(1))], 0).high
    array([3.])
    """

    degree = None

    bounds: Mapping[int, Number] = MappingProxyType({})

    def __init__(
        self, formula: Expression, *, n_variables: int | None = None, bounds: Mapping[int, Number] | None = None
    ) -> None:
        self.formula = expression(formula)
        self.bounds = dict(bounds or {})
        if any(isinstance(k, bool) or not isinstance(k, int) or k < 0 or not b >= 0 for k, b in self.bounds.items()):
            raise InvalidInput(f"bounds of derivatives are numbers >= 0 by order, got {self.bounds}.")
        self.n_variables = max(1, self.formula.n_variables) if n_variables is None else n_variables
        if self.formula.n_variables > self.n_variables:
            raise InvalidInput(f"the formula has {self.formula.n_variables} variables, not {self.n_variables}.")

    @cached_property
    def _gradient(self) -> list[Expression]:
        return [self.formula.derivative(i) for i in range(self.n_variables)]

    @cached_property
    def _hessian(self) -> list[list[Expression]]:
        return [[g.derivative(j) for j in range(self.n_variables)] for g in self._gradient]

    def enclose(self, x: Sequence[Interval]) -> Interval:
        """An interval that holds all values for variables in the given intervals."""
        return spread_to(self.formula.enclose(x), x)

    def first(self, x: Sequence[Interval], i: int) -> Interval:
        """The derivative by variable i, enclosed."""
        return spread_to(self._gradient[i].enclose(x), x)

    def second(self, x: Sequence[Interval], i: int, j: int) -> Interval:
        """The second derivative by variables i and j, enclosed."""
        return spread_to(self._hessian[i][j].enclose(x), x)

    def refuse_false_bounds(self, points: Array) -> None:
        """Raise if a stated bound is false at one of the given points (rows)."""
        columns = [Interval.of(points[:, a]) for a in range(points.shape[1])]
        for order, bound in self.bounds.items():
            for k in combinations_with_replacement(range(self.n_variables), order):
                g = self.formula
                for i in k:
                    g = g.derivative(i)
                sizes = spread_to(g.enclose(columns), columns).mignitude()
                worst = int(sizes.argmax())
                if sizes[worst] > bound:
                    seen = f"{sizes[worst]:.6g} at ({', '.join(f'{v:.6g}' for v in points[worst])})"
                    raise InvalidInput(
                        f"a derivative of order {order} is stated to be at most {float(bound):g}; it is {seen}.",
                        hint="state a larger bound, or none: it is found from the formula",
                    )

    def exact(self, x: Sequence[Fraction]) -> Fraction | None:
        """The value at a rational point, None where it is not computed in rationals."""
        return self.formula.exact(x)

    def along(self, directions: Sequence[Sequence[Fraction]], origin: Sequence[Fraction]) -> Smooth:
        """The function of u with x = origin + sum of u_j directions_j."""
        u = variables(len(directions))
        lines = [expression(o) for o in origin]
        for j, direction in enumerate(directions):
            lines = [line + u[j] * c for line, c in zip(lines, direction, strict=True)]
        return Smooth(self.formula.substitute(lines), n_variables=len(directions))

    def __call__(self, x: Any) -> Array:
        """Values at rows of points, in floating point."""
        return self.formula(x)

    def __repr__(self) -> str:
        return f"Smooth({self.formula!r})"


class SmoothPolynomial(Smooth):
    """A polynomial seen as a smooth function: the same questions, answered by its coefficients."""

    def __init__(self, polynomial: Polynomial) -> None:
        self.polynomial = polynomial
        self.n_variables = polynomial.n_variables
        n = range(self.n_variables)
        self._first = [polynomial.derivative(i) for i in n]
        self._second = [[g.derivative(j) for j in n] for g in self._first]

    def enclose(self, x: Sequence[Interval]) -> Interval:
        return self.polynomial.enclose(x)

    def first(self, x: Sequence[Interval], i: int) -> Interval:
        return self._first[i].enclose(x)

    def second(self, x: Sequence[Interval], i: int, j: int) -> Interval:
        return self._second[i][j].enclose(x)

    def exact(self, x: Sequence[Fraction]) -> Fraction | None:
        return self.polynomial.exact(x)

    def along(self, directions: Sequence[Sequence[Fraction]], origin: Sequence[Fraction]) -> Smooth:
        return SmoothPolynomial(self.polynomial.along(directions, origin))

    def __call__(self, x: Any) -> Array:
        return self.polynomial(x)


Target = Polynomial | PiecewisePolynomial | Smooth


def as_target(value: Any, n_variables: int) -> Target:
    """A target as it is, an expression as a smooth function, a number as a constant; checked against the domain."""
    if isinstance(value, Expression):
        value = Smooth(value, n_variables=max(n_variables, value.n_variables))
    if isinstance(value, (int, float, Fraction)) and not isinstance(value, bool):
        value = Polynomial.constant(value, n_variables)
    if not isinstance(value, (Polynomial, PiecewisePolynomial, Smooth)):
        raise InvalidInput(
            f"a target cannot be a {type(value).__name__}.",
            hint="give a Polynomial, a PiecewisePolynomial, an expression such as sin(x), or another Network",
        )
    if value.n_variables != n_variables:
        raise InvalidInput(f"the target has {value.n_variables} variables, the domain lies in R^{n_variables}.")
    return value


def spread_to(value: Interval, x: Sequence[Interval]) -> Interval:
    """A value with the shape of its arguments (a constant has none of its own)."""
    shape = np.broadcast_shapes(np.shape(value.low), np.shape(x[0].low))
    return Interval(np.broadcast_to(value.low, shape), np.broadcast_to(value.high, shape))


def smooth(target: Target) -> Smooth:
    """A target with first and second derivatives."""
    if isinstance(target, Polynomial):
        return SmoothPolynomial(target)
    assert isinstance(target, Smooth)
    return target


def dimension_of(target: Any, stated: int | None) -> int:
    """The stated number of variables, or that of the target; a constant is a function of one."""
    if stated is not None:
        return integer_argument("n_variables", stated)
    return max(1, int(getattr(target, "n_variables", 1)))
