"""How steep and how curved a target is on a box: bounds from enclosures of its derivatives on small boxes."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from itertools import product

import numpy as np

from plica._types import Array
from plica.construct.targets._intervals import Interval
from plica.construct.targets._numbers import rational
from plica.construct.targets._polynomial import Polynomial
from plica.construct.targets._targets import PiecewisePolynomial, Target, smooth
from plica.errors import InvalidInput

MAX_BOXES = 2**14
ROUNDING = Fraction(1, 2**40)  # by this part a stated constant may be exceeded by what is proved: bounds are that much larger
MAX_EXACT = 2**13  # up to this many values of polynomials are computed in rationals


def small_boxes(low: Sequence[float], high: Sequence[float], n: int) -> list[Interval]:
    """The coordinates of the n^d boxes of a grid, as arrays of intervals."""
    edges = [np.linspace(a, b, n + 1) for a, b in zip(low, high, strict=True)]
    index = np.array(list(product(range(n), repeat=len(edges))))
    return [Interval(e[index[:, i]], e[index[:, i] + 1]) for i, e in enumerate(edges)]


def _largest(f: Callable[[list[Interval]], Array], low: Sequence[float], high: Sequence[float]) -> float:
    """The largest value of a bound over the boxes of the finest grid that is affordable."""
    n = max(1, min(1024, int(MAX_BOXES ** (1 / len(low)))))
    return float(np.max(f(small_boxes(low, high, n))))


def slope_bounds(target: Target, low: Sequence[float], high: Sequence[float]) -> list[float]:
    """For each variable, a bound of the absolute derivative by it on a box."""
    if isinstance(target, PiecewisePolynomial):
        return [max(slope_bounds(piece, [a], [b])[0] for piece, a, b in _pieces_within(target, low[0], high[0]))]
    g = smooth(target)
    return [_largest(lambda x, i=i: g.first(x, i).magnitude(), low, high) for i in range(g.n_variables)]  # type: ignore[misc]


def _pieces_within(target: PiecewisePolynomial, low: float, high: float) -> Iterator[tuple[Polynomial, float, float]]:
    """The pieces that meet an interval, each with the part of it where it is the target."""
    ends = [low, *(float(k) for k in target.knots[1:-1]), high]
    for piece, a, b in zip(target.pieces, ends[:-1], ends[1:], strict=True):
        a, b = max(a, low), min(b, high)
        if a < b:
            yield piece, a, b


def slope_bound(target: Target, low: Sequence[float], high: Sequence[float]) -> float:
    """A Lipschitz constant on a box for distances in the largest coordinate: the sum of the slopes at their worst."""
    if isinstance(target, PiecewisePolynomial):
        return slope_bounds(target, low, high)[0]
    g = smooth(target)
    return _largest(lambda x: np.sum([g.first(x, i).magnitude() for i in range(g.n_variables)], axis=0), low, high)


def curvature_bound(target: Target, low: Sequence[float], high: Sequence[float]) -> float:
    """A bound on a box of the sum of all absolute second derivatives."""
    if isinstance(target, PiecewisePolynomial):
        raise InvalidInput("a piecewise polynomial has no second derivative at its knots.", hint="give it as an expression")
    g = smooth(target)
    n = range(g.n_variables)
    bound = _largest(lambda x: np.sum([g.second(x, i, j).magnitude() for i in n for j in n], axis=0), low, high)
    if not np.isfinite(bound):
        raise InvalidInput(f"the second derivatives of {target!r} are not bounded on the domain.", hint="a smooth target")
    return bound


def checked_lipschitz(target: Target, low: Sequence[float], high: Sequence[float], stated: float | None) -> float:
    """The stated Lipschitz constant if it is proved up to ``ROUNDING``; one that is proved if none is stated, or nearly that."""
    if stated is not None and not stated > 0:
        raise InvalidInput(f"a Lipschitz constant is positive, got {stated}.")
    found = slope_bound(target, low, high)
    if stated is None:
        if not np.isfinite(found):
            raise InvalidInput(f"{target!r} has no bounded slope on the domain.", hint="state a domain on which it is Lipschitz")
        return max(found, 2.0**-50)
    allowed = stated * (1 + float(ROUNDING))
    if found <= allowed:
        return float(stated)
    steepest = _steepest(target, low, high)
    if steepest > allowed:
        raise InvalidInput(
            f"the target is not Lipschitz with constant {stated:g} on the domain: its slope reaches {steepest:.6g}.",
            hint=f"{found:.6g} is enough",
        )
    if found <= stated * (1 + 1e-3):
        return found
    raise InvalidInput(f"slopes up to {stated:g} cannot be proved; {found:.6g} can.", hint="state that, or nothing")


def _steepest(target: Target, low: Sequence[float], high: Sequence[float]) -> float:
    """The largest slope found at points of a grid."""
    if isinstance(target, PiecewisePolynomial):
        return max(_steepest(piece, [a], [b]) for piece, a, b in _pieces_within(target, low[0], high[0]))
    g = smooth(target)
    n = max(2, int(4096 ** (1 / len(low))))
    grid = np.meshgrid(*(np.linspace(a, b, n) for a, b in zip(low, high, strict=True)))
    x = [Interval.of(axis.ravel()) for axis in grid]
    return float(np.max(np.sum([g.first(x, i).mignitude() for i in range(g.n_variables)], axis=0)))


def values_at(target: Target, points: Array) -> tuple[Array, float]:
    """Floats next to the target at the rows of some points, and a bound of their distance from the true values."""
    if isinstance(target, PiecewisePolynomial) or (isinstance(target, Polynomial) and len(points) <= MAX_EXACT):
        exact = [target.exact([rational(float(x)) for x in point]) for point in points]
        values = np.array([float(v) for v in exact])
        return values, max(float(abs(rational(float(a)) - b)) * (1 + 2.0**-50) for a, b in zip(values, exact, strict=True))
    enclosure = smooth(target).enclose([Interval.of(column) for column in points.T])
    low, high = np.broadcast_to(enclosure.low, len(points)), np.broadcast_to(enclosure.high, len(points))
    return low / 2 + high / 2, float(np.nextafter(np.max(high - low), np.inf))
