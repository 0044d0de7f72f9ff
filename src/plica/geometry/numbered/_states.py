"""States of neurons that are written down once for each distinct function, up to sign."""

from __future__ import annotations

from typing import Any

import numpy as np

from plica._types import Array
from plica.geometry._bits import bit, n_words, unpack
from plica.geometry.numbered._condensed import Entries


class SharedStates:
    """For each atom where it is positive and where it is negative: a neuron that is an atom, or its negative, is active there.

    Where an atom is zero on a whole cell, neither is.
    """

    def __init__(self, table: Array, entries: Entries) -> None:
        self.table, self.entries, self.size = table, entries, len(entries.atom)

    def rows(self, cells: Any) -> Array:
        entries, words = self.entries, n_words(self.entries.n_atoms)
        if not entries.n_atoms:
            return np.zeros((*np.shape(cells), self.size), np.int8)
        positive, negative = (unpack(t[cells], entries.n_atoms) for t in (self.table[:, :words], self.table[:, words:]))
        chosen = np.where(entries.sign > 0, positive[..., entries.atom], negative[..., entries.atom])
        return np.where(entries.sign != 0, chosen, np.int8(0))

    def row(self, cell: int) -> Array:
        return self.rows(cell)

    def neuron(self, neuron: int, cells: Array) -> Array:
        atom, sign = int(self.entries.atom[neuron]), int(self.entries.sign[neuron])
        if sign == 0:
            return np.zeros(len(cells), np.int8)
        at = atom if sign > 0 else 64 * n_words(self.entries.n_atoms) + atom
        return bit(self.table[cells], at).astype(np.int8)

    def with_table(self, table: Array) -> SharedStates:
        """The states of other cells, stored in the same way."""
        return SharedStates(table, self.entries)
