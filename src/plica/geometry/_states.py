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
    """The states themselves, one byte a neuron: what the rounds of a contest leave."""

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


States = SignStates | TableStates
_NONE = np.empty(0)
