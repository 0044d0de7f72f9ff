"""Finished parts of a line, the states on their pieces, and how parts become one."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from plica._types import Array
from plica.geometry.line import _kernels as _line_kernels
from plica.geometry.values._tensors import Tensor

_FEW_ROWS = 8  # so few rows are made one by one


@dataclass(eq=False)
class LineStates:
    """States along a line: full rows at a few pieces, and what changes from piece to piece."""

    size: int
    anchor_cell: Array
    anchor_rows: Array
    cell: Array
    neuron: Array
    state: Array

    def row(self, cell: int) -> Array:
        anchor = int(np.searchsorted(self.anchor_cell, cell, side="right")) - 1
        out = np.array(self.anchor_rows[anchor])
        low, high = np.searchsorted(self.cell, [self.anchor_cell[anchor], cell], side="right")
        out[self.neuron[low:high]] = self.state[low:high]  # in order: the last change of a neuron stays
        return out

    def rows(self, cells: Any) -> Array:
        cells = np.atleast_1d(cells)
        if len(cells) <= _FEW_ROWS:
            return np.stack([self.row(int(c)) for c in cells])
        kind = self.anchor_rows.dtype
        out = np.empty((len(cells), self.size), kind)
        order = np.argsort(cells, kind="stable")
        _line_kernels.replay_states(
            cells, order, self.anchor_cell, self.anchor_rows, self.cell, self.neuron, self.state.astype(kind, copy=False), out
        )
        return out

    def neuron_states(self, neuron: int, n_cells: int) -> Array:
        """The state of one neuron on every piece."""
        out = np.empty(n_cells, self.anchor_rows.dtype)
        marks = [(int(c), int(s)) for c, s in zip(self.anchor_cell, self.anchor_rows[:, neuron], strict=True)]
        own = self.neuron == neuron
        marks += [(int(c), int(s)) for c, s in zip(self.cell[own], self.state[own], strict=True)]
        for cell, state in sorted(marks, key=lambda m: m[0]):
            out[cell:] = state
        return out

    @property
    def nbytes(self) -> int:
        return int(self.anchor_rows.nbytes + self.cell.nbytes + self.neuron.nbytes + self.state.nbytes)


@dataclass(eq=False)
class LineLayer:
    """One layer's pieces: their parents before it and their states."""

    parent: Array
    states: LineStates


@dataclass(eq=False)
class LineChunk:
    """A finished part of the line: breakpoints in order, where they come from, outputs there, the layers' pieces."""

    hyperplanes: Array  # (V, 3) layer, cell, form of each breakpoint; -1, end, -1 for the ends of the domain
    parameters: Tensor
    outputs: Tensor
    layers: list[LineLayer]


def join_states(parts: list[LineStates], bases: Array) -> LineStates:
    """States of chunks next to each other; part i has the pieces from ``bases[i]`` on.

    A full row is kept only where as many changes have passed since the last one, so that many short chunks of a wide layer
    take no more memory than their changes.
    """
    anchors, rows, changes = [parts[0].anchor_cell], [parts[0].anchor_rows], [(parts[0].cell, parts[0].neuron, parts[0].state)]
    passed = len(parts[0].cell)
    for i, part in enumerate(parts[1:], start=1):
        start = part.anchor_rows[0]
        changed = np.flatnonzero(parts[i - 1].row(int(bases[i] - bases[i - 1]) - 1) != start)
        changes.append((np.full(len(changed), bases[i]), changed, start[changed]))
        keep = slice(0 if passed >= part.size else 1, None)
        anchors.append(part.anchor_cell[keep] + bases[i])
        rows.append(part.anchor_rows[keep])
        changes.append((part.cell + bases[i], part.neuron, part.state))
        passed = len(part.cell) if keep.start == 0 or len(part.anchor_cell) > 1 else passed + len(changed) + len(part.cell)
    cell, neuron, state = (np.concatenate(c) for c in zip(*changes, strict=True))
    return LineStates(parts[0].size, np.concatenate(anchors), np.concatenate(rows), cell, neuron, state)


def join(chunks: list[LineChunk], layer: int) -> LineChunk:
    """Stretches next to each other as one; they were divided before ``layer``, whose input pieces already have their numbers."""
    n_layers = len(chunks[0].layers)
    bases = np.cumsum([[0] * n_layers] + [[len(x.parent) for x in s.layers] for s in chunks], axis=0)
    lines, layers = [], []
    for i, s in enumerate(chunks):
        line = s.hyperplanes.copy()
        for j in range(n_layers - 1):  # a breakpoint of layer l names a piece before l, that is, after l - 1
            line[line[:, 0] == layer + j + 1, 1] += bases[i, j]
        lines.append(line if i == 0 else line[1:])
    for j in range(n_layers):
        parts = [s.layers[j] for s in chunks]
        parent = np.concatenate([p.parent + (bases[i, j - 1] if j else 0) for i, p in enumerate(parts)])
        states = join_states([p.states for p in parts], bases[:, j])
        layers.append(LineLayer(parent, states))

    def stack(tensors: list[Tensor]) -> Tensor:
        parts = [t if i == 0 else t.taken(np.arange(1, len(t.values))) for i, t in enumerate(tensors)]
        return Tensor(np.concatenate([t.values for t in parts]), np.concatenate([t.error for t in parts]))

    return LineChunk(
        np.concatenate(lines),
        stack([s.parameters for s in chunks]),
        stack([s.outputs for s in chunks]),
        layers,
    )
