"""One sample along a cell of a line of weights, in fractions: what doubles leave undecided, and the definition for tests.

Tensors are polynomials in t with rational coefficients (powers, constant first), pieces end at algebraic numbers. When a unit
switches inside a piece, the piece is divided there and the parts start again at the input: slow, and plain.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import cmp_to_key
from typing import NamedTuple

import numpy as np

from plica._types import Array
from plica.exact import AlgebraicNumber, between, exactly, roots, sign_at
from plica.geometry import tick
from plica.network import Affine, Fold, Network, walk

ZERO = Fraction(0)


class ExactPiece(NamedTuple):
    """An interval of t and the outputs on it: an object array (degree + 1, outputs) of fractions, powers of t."""

    low: AlgebraicNumber
    high: AlgebraicNumber
    outputs: Array


def exact_pieces(
    start: Network, end: Network, x: Array, low: Fraction, high: Fraction, *, target: Array | None = None
) -> list[ExactPiece]:
    """The pieces of one sample for t in [low, high]; with a target, of |output - target|."""
    todo = [(AlgebraicNumber.rational(low), AlgebraicNumber.rational(high))]
    done: list[ExactPiece] = []
    inputs = exactly(x).reshape(1, *start.input_shape)
    while todo:
        tick()
        a, b = todo.pop()
        semantics = _Powers(end, a, b)
        try:
            (y,) = walk(start, semantics, {0: inputs}).values()
            y = y.reshape(len(y), -1)
            if target is not None:
                y = y.copy()
                y[0] = y[0] - exactly(target).reshape(-1)
                y = semantics.rectified(y, np.array(-1.0))
        except _SwitchesError as found:
            ends = [a, *found.places, b]
            todo += [(ends[i], ends[i + 1]) for i in range(len(ends) - 1)][::-1]
        else:
            done.append(ExactPiece(a, b, y))
    return done


class _SwitchesError(Exception):
    """Units switch inside the piece."""

    def __init__(self, places: list[AlgebraicNumber]) -> None:
        self.places = places


@dataclass(eq=False)
class _Powers:
    """A semantics and a calculus of arrays (degree + 1, ...) of fractions, on the open interval (low, high)."""

    end: Network
    low: AlgebraicNumber
    high: AlgebraicNumber

    def affine(self, index: int, op: Affine, xs: list[Array]) -> Array:
        other = self.end.nodes[index].op
        assert isinstance(other, Affine)
        n = max(map(len, xs))
        xs = [_padded(x, n) for x in xs]
        y = _moving(*(op.linear(xs, _exact(o.coefficients)) for o in (op, other)))
        offsets = [_exact(o.offset) for o in (op, other)]
        if offsets[0] is None and offsets[1] is None:
            return y
        first, last = (np.full(y.shape[1:], ZERO) if o is None else np.broadcast_to(o, y.shape[1:]) for o in offsets)
        b = _moving(first[None], last[None])
        n = max(len(y), len(b))
        return _padded(y, n) + _padded(b, n)

    def fold(self, index: int, op: Fold, x: Array, layer: int) -> Array:
        return op.by_rectifiers(x, self)

    def moved(self, x: Array, offset: float) -> Array:
        y = x.copy()
        y[0] = y[0] + Fraction(offset)
        return y

    def combined(self, a: Array, b: Array, factor: float) -> Array:
        n = max(len(a), len(b))
        return _padded(a, n) + Fraction(factor) * _padded(b, n)

    def taken(self, x: Array, indices: Array) -> Array:
        return x.reshape(len(x), -1)[:, indices]

    def rectified(self, x: Array, slope: Array) -> Array:
        shape = x.shape[1:]
        flat = x.reshape(len(x), -1)
        slopes = exactly(np.broadcast_to(slope, shape)).reshape(-1)
        places: list[AlgebraicNumber] = []
        factors = []
        for p, s in zip(flat.T, slopes, strict=True):
            places += self._changes(p)
            factors.append(s if places or self._sign(p) <= 0 else Fraction(1))
        if places:
            places.sort(key=cmp_to_key(AlgebraicNumber.compare))
            raise _SwitchesError([q for i, q in enumerate(places) if i == 0 or q.compare(places[i - 1])])
        return np.asarray((flat * np.array(factors, dtype=object)).reshape(x.shape))

    def _inner_roots(self, p: Array) -> list[AlgebraicNumber]:
        found = roots(p.tolist(), self.low.low, self.high.high)
        return [r for r in found if r.compare(self.low) > 0 and r.compare(self.high) < 0]

    def _changes(self, p: Array) -> list[AlgebraicNumber]:
        """Where the polynomial changes its sign; roots of even order are not among them."""
        inner = self._inner_roots(p)
        ends = [self.low, *inner, self.high]
        signs = [sign_at(p.tolist(), between(ends[i], ends[i + 1])) for i in range(len(ends) - 1)] if inner else []
        return [r for r, s, t in zip(inner, signs, signs[1:], strict=False) if s != t]

    def _sign(self, p: Array) -> int:
        """The sign on a piece where it does not change."""
        return sign_at(p.tolist(), between(self.low, (self._inner_roots(p) or [self.high])[0]))


def _exact(numbers: Array | None) -> Array | None:
    return None if numbers is None else exactly(numbers)


def _moving(first: Array, last: Array) -> Array:
    """(1 - t) first + t last for arrays of coefficients; without the new degree where both are equal."""
    if (first == last).all():
        return first
    zero = np.full((1, *first.shape[1:]), ZERO)
    return np.concatenate([first, zero]) + np.concatenate([zero, last - first])


def _padded(x: Array, n: int) -> Array:
    return x if len(x) == n else np.concatenate([x, np.full((n - len(x), *x.shape[1:]), ZERO)])
