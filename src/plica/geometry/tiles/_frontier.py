"""What tiles of a complex share: groups of frontier cells, and numbers that do not depend on the grouping.

After some layers the cells of the complex, the *frontier*, no longer influence each other: a later layer cuts each on its own.
A tile is a group of frontier cells carried through the rest of the network alone. Cells of the glued complex are numbered by
their frontier cell, then in the order in which the tile made them.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from plica._types import Array
from plica.geometry._bits import unpack
from plica.geometry._states import SignStates, States


def first_signs(states: list[States], parents: list[Array], n_cells: int) -> Array:
    """The states of the first units of each cell, the first unit in the highest bits of a number."""
    cells = np.arange(n_cells)
    for parent in reversed(parents[1:]):
        cells = parent[cells]
    first = states[0]
    if isinstance(first, SignStates):
        rows = np.packbits(unpack(first.words[cells], 64 * first.words.shape[1]), axis=1)
    else:
        rows = first.table[cells].view(np.uint8)
    out = np.zeros(n_cells, np.uint64)
    for column in range(8):
        out = (out << np.uint64(8)) | (rows[:, column].astype(np.uint64) if column < rows.shape[1] else np.uint64(0))
    return out


def grouped(signs: Array, labels: Array, n_groups: int) -> list[Array]:
    """Cells in groups of almost equal size: in the order of their signs, so that a group lies on few sides of the first folds.

    Parts with one label stay in one group. Nothing here is rounded, so every machine makes the same groups.

    Examples
    --------
    >>> [g.tolist() for g in grouped(np.array([0, 3, 1, 2]), np.arange(4), 2)]
    [[0, 2], [1, 3]]
    """
    first = np.unique(labels, return_index=True)[1]
    order = np.argsort(signs[first], kind="stable")
    group = np.empty(len(first), np.int64)
    group[order] = np.arange(len(first)) * n_groups // len(first)
    return [np.flatnonzero(group[labels] == i) for i in range(n_groups)]


def chosen_states(states: States, cells: Array) -> States:
    """The states of some cells."""
    return states.with_table(states.table[cells])


def joined_states(parts: list[States], order: Array) -> States:
    """States of the cells of several tiles in a new order."""
    return parts[0].with_table(np.concatenate([p.table for p in parts])[order])


@dataclass(eq=False)
class Level:
    """Numbers of the cells after one layer: those of tile t start at ``start[t]`` in the concatenation, ``rank`` renumbers it."""

    start: Array
    rank: Array

    def of(self, tile: int, cells: Array) -> Array:
        return self.rank[self.start[tile] + cells]

    @property
    def order(self) -> Array:
        """The concatenated cells in the order of their new numbers."""
        out = np.empty(len(self.rank), np.int64)
        out[self.rank] = np.arange(len(self.rank))
        return out


def number_levels(frontier_cells: list[Array], parents: list[list[Array]]) -> list[Level]:
    """Levels: the frontier cells themselves, then the cells after each later layer; ``parents[t][i]`` belongs to tile t."""
    starts = np.concatenate([[0], np.cumsum([len(c) for c in frontier_cells])])
    levels = [Level(starts[:-1], np.concatenate(frontier_cells))]
    ancestors = frontier_cells
    for i in range(len(parents[0])):
        ancestors = [a[p[i]] for a, p in zip(ancestors, parents, strict=True)]
        order = np.argsort(np.concatenate(ancestors), kind="stable")
        rank = np.empty(len(order), np.int64)
        rank[order] = np.arange(len(order))
        starts = np.concatenate([[0], np.cumsum([len(a) for a in ancestors])])
        levels.append(Level(starts[:-1], rank))
    return levels


def joined_parents(levels: list[Level], parents: list[list[Array]]) -> list[Array]:
    """The parents of all cells after each later layer, in new numbers."""
    out = []
    for i in range(len(parents[0])):
        above = np.concatenate([levels[i].of(t, p[i]) for t, p in enumerate(parents)])
        out.append(above[levels[i + 1].order].astype(np.int32))
    return out


def renamed_hyperplanes(hyperplanes: Array, tile: int, levels: list[Level], first_layer: int) -> Array:
    """Rows (layer, cell, code) with the cells of layers from ``first_layer`` on in new numbers."""
    table = hyperplanes.copy()
    for i, level in enumerate(levels[:-1]):
        rows = np.flatnonzero(table[:, 0] == first_layer + i)
        table[rows, 1] = level.of(tile, table[rows, 1])
    return table
