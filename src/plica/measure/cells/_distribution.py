r"""The distribution function of an output under the uniform measure on a domain: a piecewise polynomial, known exactly.

On a simplex whose corners have the values :math:`v_0 \le \dots \le v_d` the part of the volume where an affine function is at
most t is a divided difference of a truncated power, which a recursion with convex combinations gives without cancellation:

.. math:: F(t; v_0, \dots, v_d) = \frac{(v_d - t) \, F(t; v_1, \dots, v_d) + (t - v_0) \, F(t; v_0, \dots, v_{d-1})}{v_d - v_0},
   \qquad F(t; v) = [v \le t].

(de Boor's recursion for B-splines, integrated.) So the distribution function is a polynomial of degree d between neighboring
values at vertices, with a jump where the output is constant on a cell.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from math import factorial
from typing import Any

import numpy as np

from plica._lazy import cached_property
from plica._types import Array
from plica.errors import InvalidInput
from plica.exact import determinant, solve
from plica.geometry import BoundedComplex, Path, reading, tick
from plica.measure.cells._integrals import MOST_EXACT, Enclosed, enclosed_exactly
from plica.measure.cells._sharp import Sharp, checked_complex, checked_weights, exact_value, sharp, simplex_volumes


def below(values: Array, t: Any) -> Array:
    """The part of each simplex where an affine function with sorted values (n, d + 1) at its corners is at most t.

    Works on floats and on fractions alike.

    Examples
    --------
    >>> below(np.array([[0.0, 1.0, 2.0]]), 1.0).tolist()
    [0.5]
    """
    n, k = values.shape
    one = np.ones(n, values.dtype)
    parts = [np.where(values[:, i] <= t, one, 0 * one) for i in range(k)]
    for width in range(1, k):
        parts = [
            _mixed(values[:, i], values[:, i + width], parts[i], parts[i + 1], t) for i in range(k - width)
        ]  # part i speaks of the values i to i + width
    return parts[0]


def _mixed(low: Array, high: Array, left: Array, right: Array, t: Any) -> Array:
    """One step of the recursion; all of a simplex or nothing where t is not strictly inside."""
    inside = (low < t) & (t < high)
    width = np.where(inside, high - low, low * 0 + 1)
    mixed = ((high - t) * right + (t - low) * left) / width
    return np.where(inside, mixed, np.where(high <= t, left * 0 + 1, left * 0))


@dataclass(frozen=True, eq=False)
class Distribution:
    """How an output is distributed over a domain.

    Values are certified: :meth:`cdf_bounds` gives floats that enclose the truth, :meth:`cdf` their middle, :meth:`exact_cdf`
    a fraction.
    """

    complex: BoundedComplex
    weights: Array
    simplices: Array
    _sharp: Sharp

    @property
    def kind(self) -> str:
        """Of :meth:`cdf`: ``"certified"``."""
        return "certified"

    @cached_property
    def volume(self) -> Fraction:
        """Of the domain in its parameters."""
        domain = self.complex.domain
        return Fraction(len(domain.segments)) if isinstance(domain, Path) else domain.exact_size()

    @cached_property
    def knots(self) -> Array:
        """The values at vertices, rounded: the distribution function is a polynomial between neighbors."""
        return np.unique(self._sharp.values)

    @cached_property
    def _masses(self) -> tuple[Array, Array]:
        """Volumes of the simplices as parts of the whole, and bounds of their errors."""
        s = self._sharp
        sizes, error = simplex_volumes(s.positions[self.simplices], s.position_error[self.simplices])
        return sizes / float(self.volume), (error + 2.0**-50 * sizes) / float(self.volume)

    @cached_property
    def _sorted(self) -> tuple[Array, Array]:
        """Lower and upper bounds of the values of each simplex, sorted."""
        s = self._sharp
        values, error = s.values[self.simplices], s.value_error[self.simplices]
        slip = error + 2.0**-52 * np.abs(values)
        return np.sort(values - slip, axis=1), np.sort(values + slip, axis=1)

    def cdf_bounds(self, t: Any) -> tuple[Array, Array]:
        """Floats that enclose P(output <= t), for an array of t."""
        at = np.atleast_1d(np.asarray(t, dtype=np.float64))
        mass, slip = self._masses
        low_values, high_values = self._sorted
        low, high = np.empty(at.shape), np.empty(at.shape)
        for place, x in np.ndenumerate(at):
            tick()
            least, most = _part(high_values, mass, x), _part(low_values, mass, x)
            rounding = 2.0**-50 * (len(mass) + 8 * self.complex.dimension)
            low[place] = max(least - _part(high_values, slip, x) - rounding, 0.0)
            high[place] = min(most + _part(low_values, slip, x) + rounding, 1.0)
        return low, high

    def cdf(self, t: Any) -> Array:
        """P(output <= t) for an array of t, within :meth:`cdf_bounds`."""
        low, high = self.cdf_bounds(t)
        return (low + high) / 2

    def density(self, t: Any) -> Array:
        """The derivative of the distribution function, in floating point."""
        at = np.atleast_1d(np.asarray(t, dtype=np.float64))
        (mass, _), values = self._masses, np.sort(self._sharp.values[self.simplices], axis=1)
        out = np.zeros(at.shape)
        for place, x in np.ndenumerate(at):
            chosen = (values[:, 0] < x) & (x < values[:, -1])
            v = values[chosen]
            slope = (below(v[:, :-1], x) - below(v[:, 1:], x)) / (v[:, -1] - v[:, 0])
            out[place] = self.complex.dimension * float(mass[chosen] @ slope)
        return out

    def quantile(self, p: float) -> Enclosed:
        """An enclosure of the least t with P(output <= t) >= p."""
        if not 0 < p <= 1:
            raise InvalidInput(f"a quantile belongs to a probability above 0 and up to 1, got {p}.")
        low_values, high_values = self._sorted
        low, high = float(np.nextafter(low_values.min(), -np.inf)), float(high_values.max())
        inner_low, inner_high = low, high
        for _ in range(80):  # the largest t at which the function is surely below p
            middle = low / 2 + inner_high / 2
            if self.cdf_bounds(middle)[1][0] < p:
                low = middle
            else:
                inner_high = middle
        for _ in range(80):  # the least t at which it surely is not
            middle = inner_low / 2 + high / 2
            if self.cdf_bounds(middle)[0][0] >= p:
                high = middle
            else:
                inner_low = middle
        return Enclosed(low, high)

    def above(self, t: float) -> Enclosed:
        """The volume, in the parameters, of the part of the domain where the output is greater than t."""
        low, high = (float(x[0]) for x in self.cdf_bounds(t))
        size = float(self.volume)
        return Enclosed(float(np.nextafter((1 - high) * size, -np.inf)), float(np.nextafter((1 - low) * size, np.inf)))

    # -- fractions -------------------------------------------------------------------------------------------------------

    @cached_property
    def _exact(self) -> tuple[Array, Array]:
        """Sorted values and volumes of the simplices in fractions."""
        cx, n = self.complex, len(self.complex.vertices)
        if len(self.simplices) > MOST_EXACT:
            raise InvalidInput(
                f"{len(self.simplices):,} simplices are too many for fractions; the limit is {MOST_EXACT:,}.",
                hint="cdf_bounds encloses the same number",
            )
        points = [cx.exact_vertex(v) for v in range(n)]
        values = np.array([exact_value(cx, self.weights, v) for v in range(n)], dtype=object)
        sizes = []
        for simplex in self.simplices.tolist():
            first, *rest = (points[v] for v in simplex)
            sizes.append(abs(determinant([[a - b for a, b in zip(p, first, strict=True)] for p in rest])))
        return np.sort(values[self.simplices], axis=1), np.array(sizes, dtype=object) / factorial(cx.dimension)

    def exact_cdf(self, t: Fraction | int | float) -> Enclosed:
        """P(output <= t) as a fraction."""
        values, sizes = self._exact
        return enclosed_exactly(sum((below(values, Fraction(t)) * sizes).tolist(), Fraction(0)) / self.volume)

    def exact_knots(self) -> list[Fraction]:
        """The distinct values at vertices."""
        return sorted({v for row in self._exact[0].tolist() for v in row})

    def piece(self, number: int) -> tuple[Fraction, ...]:
        """The polynomial between the knots ``number`` and ``number + 1``: coefficients of 1, t, t^2, ..., as fractions."""
        knots = self.exact_knots()
        if not 0 <= number < len(knots) - 1:
            raise InvalidInput(f"there is no piece {number}; there are {len(knots) - 1}, counted from 0.")
        a, b = knots[number], knots[number + 1]
        d = self.complex.dimension
        places = [a + (b - a) * Fraction(i + 1, d + 2) for i in range(d + 1)]
        heights = [self.exact_cdf(x).exact for x in places]
        found = solve([[x**k for k in range(d + 1)] for x in places], heights)
        assert found is not None  # Vandermonde: the places differ
        return tuple(Fraction(c) for c in found)

    def plot(self, ax: Any = None, **options: Any) -> Any:
        """Draw the distribution function; see :func:`plica.plot.plot_distribution`."""
        from plica.plot import plot_distribution

        return plot_distribution(self, ax=ax, **options)

    def __repr__(self) -> str:
        low, high = float(self.knots[0]), float(self.knots[-1])
        return f"<Distribution of an output between {low:.6g} and {high:.6g}, {len(self.knots):,} knots, certified>"


def _part(values: Array, mass: Array, t: float) -> float:
    """The mass where the function is at most t."""
    whole, inside = values[:, -1] <= t, (values[:, 0] < t) & (values[:, -1] > t)
    return float(mass[whole].sum() + mass[inside] @ below(values[inside], t))


@reading
def distribution(cx: BoundedComplex, *, output: int | None = None, weights: Any = None) -> Distribution:
    """The distribution function of an output (or of a sum of outputs with weights) under the uniform measure on the domain.

    Examples
    --------
    >>> import numpy as np, plica
    >>> from plica.network import Linear, Network, Rectifier
    >>> net = Network.sequential(2, [Linear(np.eye(2)), Rectifier(), Linear(np.array([[1.0, 1.0]]))])
    >>> found = distribution(plica.decompose(net, plica.Box([-1, -1], [1, 1])))  # max(x, 0) + max(y, 0)
    >>> found.exact_cdf(0).exact, found.exact_cdf(1).exact, found.piece(0)
    (Fraction(1, 4), Fraction(7, 8), (Fraction(1, 4), Fraction(1, 2), Fraction(1, 8)))
    """
    checked_complex(cx)
    if not isinstance(cx, BoundedComplex):
        raise InvalidInput("there is no uniform measure on all of R^n.", hint="decompose a bounded domain: plica.Box")
    chosen = checked_weights(cx, output, weights)
    return Distribution(cx, chosen, cx.triangulation().vertices, sharp(cx, chosen))
