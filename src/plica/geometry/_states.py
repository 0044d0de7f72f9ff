"""States of the neurons of one layer, cell by cell, in as little memory as they need."""

from __future__ import annotations

from typing import Any

import numpy as np

from plica._types import Array
from plica.geometry._bits import bit, unpack
from plica.network import Fold


class SignStates:
    """One bit for each form of a fold that is no contest: where it is positive."""

    def __init__(self, words: Array, size: int, fold: Fold) -> None:
        self.words, self.size, self.fold = words, size, fold

    def rows(self, cells: Any) -> Array:
        return self.fold.decided(0, _NONE, unpack(self.words[cells], self.fold.forms_per_neuron * self.size))

    def row(self, cell: int) -> Array:
        return self.rows(cell)

    def neuron(self, neuron: int, cells: Array) -> Array:
        words = self.words[cells]
        flags = np.stack([bit(words, k * self.size + neuron) for k in range(self.fold.forms_per_neuron)], axis=-1)
        return self.fold.decided(0, _NONE, flags)[..., 0]

    @property
    def table(self) -> Array:
        """What is stored, one row a cell."""
        return self.words

    def with_table(self, table: Array) -> SignStates:
        """The states of other cells, stored in the same way."""
        return SignStates(table, self.size, self.fold)


class TableStates:
    """The states themselves, in one byte for each neuron or two: what the rounds of a contest leave."""

    def __init__(self, states: Array) -> None:
        self.table, self.size = states, states.shape[1]

    def rows(self, cells: Any) -> Array:
        return self.table[cells]

    def row(self, cell: int) -> Array:
        return self.table[cell]

    def neuron(self, neuron: int, cells: Array) -> Array:
        return self.table[cells, neuron]

    def with_table(self, table: Array) -> TableStates:
        return TableStates(table)


class OpenStates:
    """The states of a layer where few neurons switch: known ones once, those of open forms by a bit for each cell."""

    def __init__(self, fold: Fold, positive: Array, codes: Array, words: Array) -> None:
        self.fold, self.positive, self.codes, self.words = fold, positive, codes, words

    def rows(self, cells: Any) -> Array:
        return self._decided(np.arange(len(self.positive)), self.codes, self.words[np.atleast_1d(cells)])

    def row(self, cell: int) -> Array:
        return self.rows(cell)[0]

    def neuron(self, neuron: int, cells: Array) -> Array:
        own = neuron + np.arange(self.fold.forms_per_neuron) * (len(self.positive) // self.fold.forms_per_neuron)
        return self._decided(own, np.intersect1d(self.codes, own), self.words[cells])[:, 0]

    def _decided(self, forms: Array, open_: Array, words: Array) -> Array:
        """The states that these forms make, some of them open."""
        flags = np.repeat(self.positive[forms][None].astype(np.int8), len(words), axis=0)
        bits = unpack(words, len(self.codes))
        flags[:, np.searchsorted(forms, open_)] = bits if open_ is self.codes else bits[:, np.searchsorted(self.codes, open_)]
        return self.fold.decided(0, _NONE, flags)


class OpenWinners:
    """The same for maxima: the winners of open groups for each cell."""

    def __init__(self, winner: Array, groups: Array, table: Array) -> None:
        self.winner, self.groups, self.table = winner, groups, table

    def rows(self, cells: Any) -> Array:
        cells = np.atleast_1d(cells)
        out = np.repeat(self.winner[None], len(cells), axis=0)
        out[:, self.groups] = self.table[cells]
        return out

    def row(self, cell: int) -> Array:
        return self.rows(cell)[0]

    def neuron(self, neuron: int, cells: Array) -> Array:
        place = int(np.searchsorted(self.groups, neuron))
        if place < len(self.groups) and self.groups[place] == neuron:
            return np.asarray(self.table[cells, place])
        return np.full(len(cells), self.winner[neuron])


States = SignStates | TableStates
AnyStates = States | OpenStates | OpenWinners
_NONE = np.empty(0)
