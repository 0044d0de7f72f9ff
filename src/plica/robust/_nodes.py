"""Nodes of a search: boxes together with states of neurons that are supposed there, and what these states say."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from plica._types import Array
from plica.robust.bounds._backward import pulled_back
from plica.robust.bounds._boxes import Boxes, Ranges
from plica.robust.bounds._steps import Steps


@dataclass(frozen=True, eq=False)
class Nodes:
    """In row b the inputs of box b for which neurons have the states ``known[b]``: -1 (either), 0 (z <= 0), 1 (z >= 0).

    Neurons are numbered through all rectifiers, in order.
    """

    boxes: Boxes
    known: Array

    @staticmethod
    def root(boxes: Boxes, steps: Steps) -> Nodes:
        return Nodes(boxes, np.full((len(boxes), steps.n_neurons), -1, np.int8))

    def __len__(self) -> int:
        return len(self.boxes)

    def __getitem__(self, rows: Any) -> Nodes:
        return Nodes(self.boxes[rows], self.known[rows])

    @staticmethod
    def joined(parts: list[Nodes]) -> Nodes:
        return Nodes(Boxes.joined([p.boxes for p in parts]), np.concatenate([p.known for p in parts]))

    def split(self, axis: Array) -> Nodes:
        """Halves of the boxes across axes."""
        return Nodes(self.boxes.split(axis), np.concatenate([self.known, self.known]))

    def supposed(self, neuron: Array) -> Nodes:
        """Both states of one neuron of each node."""
        off, on = self.known.copy(), self.known.copy()
        rows = np.arange(len(self))
        off[rows, neuron], on[rows, neuron] = 0, 1
        return Nodes(Boxes.joined([self.boxes, self.boxes]), np.concatenate([off, on]))


def taken(stack: list[Nodes], n: int) -> Nodes:
    """The last n nodes of a stack."""
    parts: list[Nodes] = []
    while stack and n > 0:
        last = stack.pop()
        if len(last) > n:
            stack.append(last[: len(last) - n])
            last = last[len(last) - n :]
        parts.append(last)
        n -= len(last)
    return Nodes.joined(parts[::-1])


class Supposed:
    """Supposed states during one pass of bounds: ranges that they cut, and nodes that turn out to be empty."""

    def __init__(self, steps: Steps, known: Array) -> None:
        self.steps, self.is_empty = steps, np.zeros(len(known), bool)
        self.states: list[tuple[int, Array]] = []  # the tensor that a rectifier reads, and what is supposed of its entries
        if (known >= 0).any():
            ends = np.cumsum([steps.size(i) for i in steps.rectifiers])
            for i, end in zip(steps.rectifiers, ends, strict=True):
                self.states.append((steps.steps[i - 1].parents[0], known[:, end - steps.size(i) : end]))

    def cut(self, tensor: int, r: Ranges) -> Ranges:
        """Ranges of a tensor with what is supposed of its entries."""
        for parent, known in self.states:
            if parent == tensor:
                on, off = known == 1, known == 0
                self.is_empty |= ((on & (r.high < 0)) | (off & (r.low > 0))).any(axis=1)
                low, high = np.where(on, np.maximum(r.low, 0.0), r.low), np.where(off, np.minimum(r.high, 0.0), r.high)
                r = Ranges(low, np.maximum(low, high))
        return r

    def rows(self, boxes: Boxes, ranges: list[Ranges]) -> tuple[Array, Array]:
        """Affine functions (middle, slope) below what is supposed to be <= 0, one row for each state, padded with zeros."""
        middles, slopes = [np.zeros((len(boxes), 0))], [np.zeros((len(boxes), 0, boxes.dimension))]
        for tensor, known in self.states:
            n = int((known >= 0).sum(axis=1).max(initial=0))
            if n == 0:
                continue
            order = np.argsort(known < 0, axis=1, kind="stable")[:, :n]
            state = np.take_along_axis(known, order, axis=1)
            forms = np.zeros((len(boxes), n, known.shape[1]))
            b, k = np.nonzero(state >= 0)
            forms[b, k, order[b, k]] = np.where(state[b, k] == 0, 1.0, -1.0)
            pulled = pulled_back(self.steps, boxes, ranges, forms, tensor=tensor)
            middles.append(np.where(np.isfinite(pulled.middle), pulled.middle, 0.0) * (state >= 0))
            slopes.append(np.where(np.isfinite(pulled.middle)[..., None], pulled.slope, 0.0))
        return np.concatenate(middles, axis=1), np.concatenate(slopes, axis=1)
