r"""Integrals and moments of an output over a domain, cell by cell.

On a simplex with values :math:`v_0, \dots, v_d` at its corners an affine function has

.. math:: \int f^k = \mathrm{vol} \, \frac{k! \, d!}{(d + k)!} \, h_k(v_0, \dots, v_d),

with the complete homogeneous symmetric polynomial :math:`h_k`. Floats carry rigorous error bounds; on request everything is
done in fractions.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import comb, factorial, fsum, isfinite
from typing import Any

import numpy as np

from plica._types import Array
from plica.errors import InvalidInput
from plica.exact import determinant, to_float
from plica.geometry import BoundedComplex, Path, reading
from plica.measure.cells._sharp import (
    SharedMaps,
    Sharp,
    checked_complex,
    checked_weights,
    exact_value,
    sharp,
    simplex_volumes,
    summed,
)

MOST_EXACT = 20_000  # simplices summed up in fractions: common denominators grow with each


@dataclass(frozen=True)
class Enclosed:
    """A number that is certainly between two floats; ``exact`` is the number itself where it was computed in fractions."""

    low: float
    high: float
    exact: Fraction | None = None

    @property
    def kind(self) -> str:
        return "certified" if self.exact is None else "exact"

    @property
    def middle(self) -> float:
        return self.low / 2 + self.high / 2

    def __float__(self) -> float:
        return self.middle

    def __contains__(self, x: object) -> bool:
        return isinstance(x, (int, float, Fraction)) and self.low <= x <= self.high

    def __repr__(self) -> str:
        return f"<{self.middle:.6g} within {(self.high - self.low) / 2:.1e}, {self.kind}>"


def enclosed(value: float, error: float) -> Enclosed:
    """An interval around a float, rounded outwards."""
    return Enclosed(float(np.nextafter(value - error, -np.inf)), float(np.nextafter(value + error, np.inf)))


def enclosed_exactly(value: Fraction) -> Enclosed:
    """A fraction with the floats around it."""
    near = to_float(value.numerator, value.denominator)
    return Enclosed(float(np.nextafter(near, -np.inf)), float(np.nextafter(near, np.inf)), value)


def added(parts: Sequence[Enclosed], *, exact: bool = False) -> Enclosed:
    """The sum of enclosed numbers, rounded outwards; with ``exact`` as a fraction."""
    if exact:
        return enclosed_exactly(_pairwise_sum([x.exact for x in parts if x.exact is not None] or [Fraction(0)]))
    # fsum rounds once
    low, high = fsum(x.low for x in parts), fsum(x.high for x in parts)
    return Enclosed(float(np.nextafter(low, -np.inf)), float(np.nextafter(high, np.inf)))


@dataclass(frozen=True, eq=False)
class Moments:
    """Integrals of the powers of an output over a domain, in its parameters.

    Attributes
    ----------
    volume
        Length, area or volume of the domain.
    integrals
        The integrals of f, f^2, ..., f^k.
    """

    volume: Fraction
    integrals: tuple[Enclosed, ...]

    @property
    def kind(self) -> str:
        """``"exact"`` or ``"certified"``."""
        return self.integrals[0].kind

    @property
    def integral(self) -> Enclosed:
        """The integral of the output."""
        return self.integrals[0]

    @property
    def mean(self) -> Enclosed:
        """The mean of the output under the uniform measure."""
        return self.moment(1)

    def moment(self, order: int) -> Enclosed:
        """The mean of the output's power."""
        if not 1 <= order <= len(self.integrals):
            raise InvalidInput(f"moments 1 to {len(self.integrals)} were computed, not {order}.", hint="moments(cx, order=...)")
        total = self.integrals[order - 1]
        if total.exact is not None:
            return enclosed_exactly(total.exact / self.volume)
        ends = [Fraction(end) / self.volume for end in (total.low, total.high)]
        low, high = (to_float(end.numerator, end.denominator) for end in ends)
        return Enclosed(float(np.nextafter(low, -np.inf)), float(np.nextafter(high, np.inf)))

    @property
    def variance(self) -> Enclosed:
        """Second moment minus the square of the first."""
        first, second = self.moment(1), self.moment(2)
        if first.exact is not None and second.exact is not None:
            return enclosed_exactly(second.exact - first.exact**2)
        size = max(abs(first.low), abs(first.high))
        error = (second.high - second.low) / 2 + 2 * size * (first.high - first.low) / 2
        value = second.middle - first.middle**2
        return enclosed(value, error * (1 + 1e-9) + 2.0**-50 * (abs(second.middle) + size**2))

    def __repr__(self) -> str:
        return f"<Moments: mean {self.mean.middle:.6g}, {len(self.integrals)} orders, {self.kind}>"

    def _repr_html_(self) -> str:
        from plica._show import facts_html

        facts = {"volume": float(self.volume), "integral": self.integral.middle, "mean": self.mean.middle}
        if len(self.integrals) > 1:
            facts["variance"] = self.variance.middle
        return facts_html(self, facts | {"kind": self.kind})


@reading
def moments(
    cx: BoundedComplex, *, output: int | None = None, weights: Any = None, order: int = 2, exact: bool = False
) -> Moments:
    """Integral, mean, variance and higher moments of an output over the domain of a complex, in its parameters.

    Parameters
    ----------
    cx
        What :func:`plica.decompose` returned for a bounded domain.
    output, weights
        The output, or weights of all outputs.
    order
        The highest power.
    exact
        Compute in fractions; possible for up to 20,000 simplices, and slow for thousands.

    Examples
    --------
    >>> import numpy as np, plica
    >>> from plica.network import Linear, Network, Rectifier
    >>> net = Network.sequential(2, [Linear(np.array([[1.0, 0.0], [-1.0, 0.0]])), Rectifier(), Linear(np.array([[1.0, 1.0]]))])
    >>> found = moments(plica.decompose(net, plica.Box([-1, -1], [1, 1])), exact=True)  # |x| on a square
    >>> found.mean.exact, found.variance.exact
    (Fraction(1, 2), Fraction(1, 12))
    """
    checked_complex(cx)
    if not isinstance(cx, BoundedComplex):
        raise InvalidInput("over all of R^n integrals may not exist.", hint="decompose a bounded domain: plica.Box")
    if order < 1:
        raise InvalidInput(f"moments have orders from 1 up, got {order}.")
    chosen = checked_weights(cx, output, weights)
    volume, simplices = _volume(cx), cx.triangulation().vertices
    d = cx.dimension
    if exact:
        return Moments(volume, _exactly(cx, chosen, simplices, order))
    return Moments(volume, _enclosed(sharp(cx, chosen), simplices, order, d))


def means(cx: BoundedComplex) -> tuple[Enclosed, ...]:
    """The mean of each output under the uniform measure; what is computed again for one serves all."""
    volume, simplices, maps = _volume(cx), cx.triangulation().vertices, SharedMaps(cx)
    found = (sharp(cx, row, maps) for row in np.eye(cx.network.n_outputs))
    return tuple(Moments(volume, _enclosed(s, simplices, 1, cx.dimension)).mean for s in found)


def _volume(cx: BoundedComplex) -> Fraction:
    """Of the domain, in its parameters."""
    return Fraction(len(cx.domain.segments)) if isinstance(cx.domain, Path) else cx.domain.exact_size()


def _enclosed(s: Sharp, simplices: Array, order: int, d: int) -> tuple[Enclosed, ...]:
    """The integrals of the powers of what is known at the corners of simplices."""
    with np.errstate(over="ignore", invalid="ignore"):
        return _within_floats(_integrals(s, simplices, order, d))


def _within_floats(found: list[Enclosed]) -> tuple[Enclosed, ...]:
    if not all(isfinite(x.low) and isfinite(x.high) for x in found):
        raise InvalidInput("the integrals leave the range of floats.", hint="exact=True computes in fractions")
    return tuple(found)


def _integrals(s: Sharp, simplices: Array, order: int, d: int) -> list[Enclosed]:
    sizes, size_error = simplex_volumes(s.positions[simplices], s.position_error[simplices])
    values, error = s.values[simplices], s.value_error[simplices]
    found = []
    for k in range(1, order + 1):
        mean, mean_error = _mean_power(values, error, k, d)
        parts = sizes * mean
        slip = sizes * mean_error + size_error * (np.abs(mean) + mean_error) + 2.0**-50 * np.abs(parts)
        found.append(enclosed(*summed(parts, slip)))
    return found


def _mean_power(values: Array, error: Array, k: int, d: int) -> tuple[Array, Array]:
    """The mean of f^k over simplices, and a bound of its error."""
    h = homogeneous(values, k)
    top = homogeneous(np.abs(values) + error, k) * (1 + 1e-12)
    slip = (top - homogeneous(np.abs(values), k)) + (k * (d + 1) + 4) * 2.0**-52 * top
    return h / comb(d + k, k), np.maximum(slip, 0.0) / comb(d + k, k)


def homogeneous(values: Array, k: int) -> Array:
    """The complete homogeneous symmetric polynomial of degree k of the entries of each row.

    Examples
    --------
    >>> homogeneous(np.array([[2, 3]]), 2).tolist()  # 4 + 6 + 9
    [19]
    """
    table = [np.ones(len(values), values.dtype)] + [np.zeros(len(values), values.dtype) for _ in range(k)]
    for column in values.T:
        for i in range(1, k + 1):
            table[i] = table[i] + column * table[i - 1]
    return np.asarray(table[k])


def _exactly(cx: BoundedComplex, weights: Array, simplices: Array, order: int) -> tuple[Enclosed, ...]:
    if len(simplices) > MOST_EXACT:
        raise InvalidInput(
            f"{len(simplices):,} simplices are too many to be summed up in fractions; the limit is {MOST_EXACT:,}.",
            hint="leave out exact=True: the result is an enclosure, certified by error bounds",
        )
    d = cx.dimension
    points = [cx.exact_vertex(v) for v in range(len(cx.vertices))]
    values = [exact_value(cx, weights, v) for v in range(len(cx.vertices))]
    totals = [[Fraction(0)] for _ in range(order)]
    for simplex in simplices.tolist():
        corners = [points[v] for v in simplex]
        size = abs(determinant([[a - b for a, b in zip(p, corners[0], strict=True)] for p in corners[1:]])) / factorial(d)
        row = np.array([[values[v] for v in simplex]], dtype=object)
        for k in range(1, order + 1):
            totals[k - 1].append(size * homogeneous(row, k)[0] / comb(d + k, k))
    return tuple(enclosed_exactly(_pairwise_sum(t)) for t in totals)


def _pairwise_sum(numbers: list[Fraction]) -> Fraction:
    """A sum in which long numbers meet long ones only at the end."""
    while len(numbers) > 1:
        pairs = [a + b for a, b in zip(numbers[::2], numbers[1::2], strict=False)]
        numbers = pairs + ([numbers[-1]] if len(numbers) % 2 else [])
    return Fraction(numbers[0])
