r"""Hyperplane arrangements: Zaslavsky's counts and the characteristic polynomial."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import comb, gcd, lcm
from numbers import Rational
from typing import Any

from plica.errors import InvalidInput
from plica.exact import rank
from plica.theory.regions._widths import binomials, integer


def zaslavsky(n: int, d: int) -> int:
    r"""Regions of n hyperplanes in general position in R^d: :math:`\sum_{k=0}^{d} \binom{n}{k}` [zaslavsky1975]_.

    General position: any k <= d of them meet in dimension d - k, and no d + 1 share a point. Every other arrangement of n
    hyperplanes has fewer regions.

    Examples
    --------
    >>> zaslavsky(6, 2)
    22
    """
    n, d = integer(n, "n"), integer(d, "d")
    return sum(binomials(n, d))


def zaslavsky_central(n: int, d: int) -> int:
    r"""Regions of n hyperplanes through the origin of R^d: :math:`2\sum_{k=0}^{d-1} \binom{n-1}{k}` [zaslavsky1975]_.

    The hyperplanes are otherwise in general position: any k <= d normals are linearly independent.

    Examples
    --------
    >>> zaslavsky_central(6, 2)
    12
    """
    n, d = integer(n, "n"), integer(d, "d", least=1)
    return 1 if n == 0 else 2 * sum(binomials(n - 1, d - 1))


def zaslavsky_bounded(n: int, d: int) -> int:
    r"""Bounded regions of n hyperplanes in general position in R^d: :math:`\binom{n-1}{d}` [zaslavsky1975]_.

    Examples
    --------
    >>> zaslavsky_bounded(6, 2)
    10
    """
    n, d = integer(n, "n"), integer(d, "d", least=1)
    return comb(n - 1, d) if n else 0


def thinned_regions(n: int, d: int, keep: Fraction | float) -> Fraction:
    r"""Expected regions of n hyperplanes in general position in R^d, each kept with probability p: :math:`\sum_k \binom nk p^k`.

    Of each k hyperplanes all are kept with probability :math:`p^k`: the mean of :func:`zaslavsky` over the masks of dropout.

    Examples
    --------
    >>> thinned_regions(6, 2, Fraction(1, 2)), thinned_regions(6, 2, 1)
    (Fraction(31, 4), Fraction(22, 1))
    """
    n, d, p = integer(n, "n"), integer(d, "d"), Fraction(keep)
    if not 0 <= p <= 1:
        raise InvalidInput(f"a probability of {keep}.", hint="keep with a probability in [0, 1]")
    return sum((b * p**k for k, b in enumerate(binomials(n, d))), Fraction(0))


@dataclass(frozen=True)
class CharacteristicPolynomial:
    r"""The characteristic polynomial :math:`\chi(t)` of an arrangement and the counts it gives [zaslavsky1975]_.

    Parameters
    ----------
    coefficients
        Integers, from the constant term to :math:`t^d`.
    rank
        The dimension spanned by the normals.
    """

    coefficients: tuple[int, ...]
    rank: int

    def __call__(self, t: int) -> int:
        return sum(c * t**k for k, c in enumerate(self.coefficients))

    @property
    def dimension(self) -> int:
        return len(self.coefficients) - 1

    @property
    def n_regions(self) -> int:
        r"""Number of regions, :math:`(-1)^d \chi(-1)`."""
        return (-1) ** self.dimension * self(-1)

    @property
    def n_bounded(self) -> int:
        r"""Number of relatively bounded regions, :math:`(-1)^{\mathrm{rank}} \chi(1)`; bounded ones if the rank is d."""
        return (-1) ** self.rank * self(1)

    def __str__(self) -> str:
        terms = [(c, k) for k, c in reversed(list(enumerate(self.coefficients))) if c]
        words = [_term(c, k, first=i == 0) for i, (c, k) in enumerate(terms)]
        return " ".join(words) or "0"


def _term(c: int, k: int, *, first: bool) -> str:
    power = "" if k == 0 else "t" if k == 1 else f"t^{k}"
    size = "" if abs(c) == 1 and k else str(abs(c))
    sign = ("-" if c < 0 else "") if first else ("- " if c < 0 else "+ ")
    return sign + size + power


def characteristic_polynomial(normals: Sequence[Sequence[Any]], offsets: Sequence[Any]) -> CharacteristicPolynomial:
    r"""The characteristic polynomial of the arrangement of hyperplanes {x : w_i . x + b_i = 0}, in exact rationals.

    .. math:: \chi_A(t) = \chi_{A \setminus H}(t) - \chi_{A^H}(t), \qquad \chi_\emptyset(t) = t^d,

    where :math:`A^H` is the arrangement that the others leave on H (deletion and restriction, [zaslavsky1975]_).
    Coinciding hyperplanes count once. Numbers may be int, float or Fraction; floats are taken as the exact rationals
    they store. The work grows like the number of flats times the number of hyperplanes: fine to a few dozen in the plane.

    Examples
    --------
    Three lines through one point, and three in general position:

    >>> chi = characteristic_polynomial([[1, 0], [0, 1], [1, 1]], [0, 0, 0])
    >>> print(chi, chi.n_regions)
    t^2 - 3t + 2 6
    >>> characteristic_polynomial([[1, 0], [0, 1], [1, 1]], [0, 0, -1]).n_regions
    7
    """
    if len(normals) != len(offsets):
        raise InvalidInput(f"{len(normals)} normals and {len(offsets)} offsets do not match.")
    if not normals:
        raise InvalidInput("an arrangement without hyperplanes has no dimension.", hint="its polynomial is t^d")
    d = len(normals[0])
    if d == 0 or any(len(w) != d for w in normals):
        raise InvalidInput("all normals need the same length, at least 1.")
    rows = [tuple(_rational(v) for v in (*w, b)) for w, b in zip(normals, offsets, strict=True)]
    if any(not any(row[:-1]) for row in rows):
        raise InvalidInput("a normal is zero, so its equation is no hyperplane.", hint="leave this neuron out")
    planes = frozenset(_primitive(row) for row in rows)
    memo: dict[frozenset[tuple[int, ...]], tuple[int, ...]] = {}
    return CharacteristicPolynomial(_chi(planes, d, memo), rank([row[:-1] for row in planes]))


def _rational(value: Any) -> Fraction:
    return Fraction(value) if isinstance(value, (Rational, float)) else Fraction(float(value))  # floats of other sizes


def _primitive(row: Sequence[Fraction | int]) -> tuple[int, ...]:
    """The row as coprime integers whose first non-zero entry is positive: one name for one hyperplane."""
    scale = lcm(*(Fraction(v).denominator for v in row))
    whole = [int(v * scale) for v in map(Fraction, row)]
    divisor = gcd(*whole)
    sign = -1 if next(v for v in whole if v) < 0 else 1
    return tuple(sign * v // divisor for v in whole)


def _chi(planes: frozenset[tuple[int, ...]], d: int, memo: dict[frozenset[tuple[int, ...]], tuple[int, ...]]) -> tuple[int, ...]:
    """Coefficients of the characteristic polynomial of distinct hyperplanes in dimension d."""
    if planes in memo:
        return memo[planes]
    if d == 1:
        result: tuple[int, ...] = (-len(planes), 1)
    else:
        # peel off one hyperplane at a time; what is left at the end is t^d
        total = [0] * d + [1]
        order = sorted(planes)
        for i, plane in enumerate(order):
            restricted = _restrict(order[:i], plane)
            smaller = _chi(restricted, d - 1, memo) if restricted else (*(0,) * (d - 1), 1)
            total = [a - b for a, b in zip(total, (*smaller, 0), strict=True)]
        result = tuple(total)
    memo[planes] = result
    return result


def _restrict(others: Sequence[tuple[int, ...]], plane: tuple[int, ...]) -> frozenset[tuple[int, ...]]:
    """What the other hyperplanes leave on ``plane``, in coordinates without its pivot; parallel ones leave nothing."""
    pivot = next(i for i, v in enumerate(plane) if v)
    traces = set()
    for other in others:
        row = [a * plane[pivot] - other[pivot] * b for a, b in zip(other, plane, strict=True)]
        del row[pivot]
        if any(row[:-1]):
            traces.add(_primitive(row))
    return frozenset(traces)
