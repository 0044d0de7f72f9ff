"""Affine forms of a tensor's entries, as index structures from which every arithmetic builds its rows.

A form is ``sign * (x[entry] - x[other]) + constant``. Tensors are flat on their last axis. Where a tensor is kept as *columns*
(an affine map: one row for each parameter, the last row for the constant), only the last row gets the form's constant.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from plica._types import Array
from plica.exact import Dyadic, align, shrink, to_object


def _same(numbers: Array) -> Array:
    return numbers


@dataclass(frozen=True, eq=False)
class EntryForms:
    """Forms ``sign * (x[entry] - x[other]) + constant``; their arrays broadcast against each other.

    Attributes
    ----------
    neuron
        Whose forms they are: the flat number of the neuron in the fold's output.
    entry
        Flat index into the fold's input; -1 where the form is its constant alone. None: entry k for form k.
    other
        Flat index of what is subtracted, None where nothing is.
    sign
        +1 or -1, None for +1 everywhere.
    constant
        None for 0 everywhere.
    """

    neuron: Array
    entry: Array | None = None
    other: Array | None = None
    sign: Array | None = None
    constant: Array | None = None

    @property
    def is_identity(self) -> bool:
        """Whether the forms are the entries themselves."""
        return self.entry is None and self.other is None and self.sign is None and self.constant is None

    @property
    def rounds(self) -> bool:
        """Whether floating point rounds when it makes the forms from the entries."""
        return self.other is not None or self.constant is not None

    def linear(self, x: Array) -> Array:
        """The forms without their constants."""
        y = self._taken(x, self.entry)
        if self.other is not None:
            y = y - self._taken(x, self.other)
        return y if self.sign is None else self.sign * y

    def values(self, x: Array, number: Callable[[Array], Array] = _same) -> Array:
        """The forms at points; ``number`` turns floats into numbers of x's arithmetic."""
        y = self.linear(x)
        return y if self.constant is None else y + number(self.constant)

    def columns(self, x: Array, number: Callable[[Array], Array] = _same) -> Array:
        """The forms as affine maps, from columns (..., rows, entries); index arrays have an axis of length one for the rows."""
        y = self.linear(x)
        if self.constant is None:
            return y
        y = y.copy() if y is x else y
        constant = number(np.asarray(self.constant))
        y[..., -1, :] = y[..., -1, :] + (constant[..., 0, :] if constant.ndim > 1 else constant)
        return y

    def columns_of(self, x: Array, which: Array) -> Array:
        """The forms as columns (i, rows, forms), from those of the map ``x[which[i]]``: of large maps only what they read."""
        entry, other = self.entry, self.other
        if entry is None or entry.ndim != 3 or other is None or 2 * entry.shape[2] >= x.shape[2]:
            return self.columns(x[which])
        maps, rows = which[:, None, None], np.arange(x.shape[1])[:, None]
        read = np.concatenate([np.broadcast_to(e, (len(which), 1, entry.shape[2])) for e in (entry, other)], axis=2)
        places = np.arange(entry.shape[2])
        own = EntryForms(self.neuron, np.where(entry < 0, -1, places), places + len(places), self.sign, self.constant)
        return own.columns(x[maps, rows, np.maximum(read, 0)])

    def dyadic_columns(self, x: Dyadic) -> Dyadic:
        """The same in integers, for forms without leading axes."""
        if self.is_identity:
            return x
        integers = to_object(self._taken(x.integers, self.entry))
        if self.other is not None:
            integers = integers - to_object(self._taken(x.integers, self.other))
        if self.sign is not None:
            integers = self.sign * integers
        y = Dyadic(np.asarray(integers, dtype=object), x.exponent)
        if self.constant is None:
            return y
        (integers, constant), exponent = align(y, Dyadic.from_floats(np.broadcast_to(self.constant, y.shape[1:])))
        integers = integers.copy()
        integers[-1] = integers[-1] + to_object(constant)
        return Dyadic(integers, exponent)

    def picked(self, x: Array, which: Array) -> Array:
        """Form i as an affine map, from columns (maps, rows, entries) of the map ``which[i]``: an array (forms, rows)."""
        y = x[which, :, np.arange(len(self.neuron)) if self.entry is None else self.entry]
        if self.other is not None:
            y = y - x[which, :, self.other]
        if self.sign is not None:
            y = self.sign[:, None] * y
        if self.constant is not None:
            y[:, -1] += self.constant
        return y

    def sums(self, x: Array) -> Array:
        """x[entry] + x[other]: how far errors, norms and Lipschitz constants of the entries reach."""
        y = self._taken(x, self.entry)
        return y if self.other is None else y + self._taken(x, self.other)

    def weights(self, size: int, at: Any) -> Array:
        """One form (by its place) as weights of the entries."""
        out = np.zeros(size)
        sign = 1.0 if self.sign is None else float(np.broadcast_to(self.sign, self.neuron.shape)[at])
        entry = np.arange(len(self.neuron)) if self.entry is None else np.broadcast_to(self.entry, self.neuron.shape)
        if entry[at] >= 0:
            out[entry[at]] += sign
            if self.other is not None:
                out[np.broadcast_to(self.other, self.neuron.shape)[at]] -= sign
        return out

    def size_of_constants(self) -> Array | float:
        return 0.0 if self.constant is None else np.abs(self.constant)

    def _taken(self, x: Array, index: Array | None) -> Array:
        if index is None:
            return x
        assert self.entry is not None
        absent = self.entry < 0
        index = np.where(absent, 0, index)
        y = x[..., index] if index.ndim == 1 else np.take_along_axis(x, _spread(index, x), axis=-1)
        return np.where(absent, 0 * y, y) if absent.any() else y


@dataclass(frozen=True, eq=False)
class Pieces:
    """The affine pieces that states choose: neuron k is ``factor * x[source] + constant``.

    ``source`` None: entry k for neuron k. ``factor`` None: 1. ``constant`` None: 0. ``rounds`` says whether floating point rounds
    in ``factor * x + constant``; it does not for factors 0, 1 and -1 beside constants that stand alone.
    """

    source: Array | None = None
    factor: Array | None = None
    constant: Array | None = None
    rounds: bool = False

    def linear(self, x: Array, number: Callable[[Array], Array] = _same) -> Array:
        """The pieces without their constants, on the last axis of x; ``number`` turns floats into numbers of x's arithmetic."""
        if self.source is not None:
            index = self.source
            x = x[..., index] if index.ndim == 1 else np.take_along_axis(x, _spread(index, x), axis=-1)
        return x if self.factor is None else x * number(self.factor)

    def values(self, x: Array, number: Callable[[Array], Array] = _same) -> Array:
        """The pieces at points."""
        y = self.linear(x, number)
        return y if self.constant is None else y + number(self.constant)

    def columns(self, x: Array, number: Callable[[Array], Array] = _same) -> Array:
        """The pieces of affine maps, from columns (..., rows, entries); the arrays have an axis of length one for the rows."""
        y = self.linear(x, number)
        if self.constant is None:
            return y
        y = y.copy() if y is x else y
        constant = number(self.constant)
        y[..., -1, :] = y[..., -1, :] + (constant[..., 0, :] if constant.ndim > 1 else constant)
        return y

    def dyadic_columns(self, x: Dyadic) -> Dyadic:
        """The same in integers, for pieces without leading axes."""
        y = Dyadic(x.integers if self.source is None else x.integers[..., self.source], x.exponent)
        if self.factor is not None:
            factor = Dyadic.from_floats(self.factor)
            if self.rounds or y.integers.dtype == object:
                product = to_object(y.integers) * to_object(factor.integers)
            else:
                product = y.integers * factor.integers  # by 0, 1 and -1
            y = Dyadic(np.asarray(product), y.exponent + factor.exponent)
        if self.constant is not None:
            (integers, constant), exponent = align(y, Dyadic.from_floats(self.constant))
            integers = to_object(integers).copy()
            integers[-1] = integers[-1] + to_object(constant)
            y = Dyadic(integers, exponent)
        return Dyadic(shrink(y.integers), y.exponent)

    def transpose(self, g: Array, size: int, number: Callable[[Array], Array] = _same) -> Array:
        """The transpose of the linear part: weights of the neurons become weights of ``size`` entries."""
        g = g if self.factor is None else g * number(self.factor)
        if self.source is None:
            return g
        out = np.zeros(size, g.dtype)
        np.add.at(out, self.source, g)
        return out

    def absolute(self) -> Pieces:
        """The pieces with absolute values of all their numbers: what bounds of sums are made of."""
        factor, constant = (None if a is None else np.abs(a) for a in (self.factor, self.constant))
        return Pieces(self.source, factor, constant, self.rounds)


def _spread(index: Array, x: Array) -> Array:
    return np.broadcast_to(index, (*x.shape[:-1], index.shape[-1]))
