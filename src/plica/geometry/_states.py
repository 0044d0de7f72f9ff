"""States of the neurons of one layer, cell by cell, in as little memory as they need."""

from __future__ import annotations

from typing import Any

import numpy as np

from plica._types import Array
from plica.geometry._bits import bit, unpack


class RectifierStates:
    """One bit a neuron: 1 where the pre-activation is positive."""

    def __init__(self, words: Array, size: int) -> None:
        self.words, self.size = words, size

    def rows(self, cells: Any) -> Array:
        return unpack(self.words[cells], self.size)

    def row(self, cell: int) -> Array:
        return self.rows(cell)

    def neuron(self, neuron: int, cells: Array) -> Array:
        return bit(self.words[cells], neuron).astype(np.int8)

    @property
    def table(self) -> Array:
        """What is stored, one row a cell."""
        return self.words


class ClipStates(RectifierStates):
    """Two bits a neuron, above the low and below the high threshold: states 0 (low), 1 (between), 2 (high)."""

    def rows(self, cells: Any) -> Array:
        flags = unpack(self.words[cells], 2 * self.size)
        above, below = flags[..., : self.size], flags[..., self.size :]
        return np.where(above == 0, 0, np.where(below == 0, 2, 1)).astype(np.int8)

    def neuron(self, neuron: int, cells: Array) -> Array:
        above, below = bit(self.words[cells], neuron), bit(self.words[cells], self.size + neuron)
        return np.where(~above, 0, np.where(~below, 2, 1)).astype(np.int8)


class MaxStates:
    """The position of the winner, one byte a neuron."""

    def __init__(self, winners: Array) -> None:
        self.winners, self.size = winners, winners.shape[1]

    def rows(self, cells: Any) -> Array:
        return self.winners[cells]

    def row(self, cell: int) -> Array:
        return self.winners[cell]

    def neuron(self, neuron: int, cells: Array) -> Array:
        return self.winners[cells, neuron]

    @property
    def table(self) -> Array:
        return self.winners


States = RectifierStates | ClipStates | MaxStates
