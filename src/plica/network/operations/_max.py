"""Maxima over groups of entries."""

from __future__ import annotations

from bisect import bisect_left
from dataclasses import dataclass
from math import prod
from typing import Any, ClassVar

import numpy as np

from plica._lazy import cached_property
from plica._types import Array
from plica.errors import InvalidNetwork
from plica.network.operations._fold import Calculus, Fold, T
from plica.network.operations._forms import EntryForms, Pieces
from plica.network.operations._op import Shape, Stored, numbered_rows

MOST_CODES = 2**31 - 1  # codes of forms are kept in four bytes
_ENTRIES = 1 << 18  # copied together
_FEW = 127  # members, whose positions fit in one byte


@dataclass(frozen=True, eq=False)
class Max(Fold):
    """Maximum over groups of entries of the flattened tensor: max-pooling, maxout, ``torch.maximum``.

    ``groups`` has the output's shape and one more axis: flat indices of the group's members, -1 for absent members
    (padding), always after the present ones. The state is the position of the winner; ties go to the lowest position.

    In round j member j of each group meets the winner i of those before it. The form is x[j] - x[i], with code (g K + j) K + i
    for group g of K members; it is -1 where member j is absent or repeats an earlier one, which cannot win.
    """

    kind: ClassVar[str] = "max"
    stored: ClassVar[dict[str, Stored]] = {"groups": Stored.INDICES}
    is_contest: ClassVar[bool] = True
    moves_entries: ClassVar[bool] = True
    most_members: ClassVar[int] = 2**15 - 1  # their positions are states of two bytes
    groups: Array

    @property
    def state_type(self) -> type[np.signedinteger[Any]]:
        return np.int8 if self.groups.shape[-1] <= _FEW else np.int16

    def output_shape(self, *shapes: Shape) -> Shape:
        size = prod(shapes[0])
        g = self.groups
        if g.ndim < 1 or g.size == 0 or g.max() >= size or g.min() < -1 or (g[..., 0] < 0).any():
            raise InvalidNetwork(f"max groups leave a tensor of shape {shapes[0]} or are empty.")
        if g.shape[-1] > self.most_members or prod(g.shape) * g.shape[-1] > MOST_CODES:
            raise InvalidNetwork(
                f"{prod(g.shape[:-1])} maxima over {g.shape[-1]} entries each are more than supported: {self.most_members} "
                f"entries, and {MOST_CODES} for the number of maxima times the square of the number of entries.",
                hint="nest smaller ones; among many classes compare some: decision_boundary(network, plane, outputs=[3, 5, 8])",
            )
        if ((g[..., :-1] < 0) & (g[..., 1:] >= 0)).any():
            raise InvalidNetwork("absent members of a max group must come last.")
        return g.shape[:-1]

    @cached_property
    def table(self) -> Array:
        """One row of members for each group."""
        return self.groups.reshape(-1, self.groups.shape[-1])

    @cached_property
    def entries(self) -> Array:
        """The table with absent members replaced by the first one, which never wins a tie against itself."""
        return np.where(self.table < 0, self.table[:, :1], self.table)

    @cached_property
    def cannot_win(self) -> Array:
        """Which members (groups, K) are absent or repeat an earlier one."""
        return np.asarray((self.table < 0) | (_first_equal(self.table) < np.arange(self.table.shape[1])))

    def members(self, x: Array) -> Array:
        """The entries of a batch by group; absent ones repeat the first member."""
        return x.reshape(len(x), -1)[:, self.entries.reshape(self.groups.shape)]

    def state(self, x: Array) -> Array:
        return self.members(x).argmax(-1).astype(self.state_type)

    def apply(self, xs: list[Array]) -> Array:
        (x,) = xs
        steps = self._steps(x.shape[1:])
        if steps is None:
            return np.asarray(self.members(x).max(-1))
        best = x[(slice(None), *steps[0])].copy()
        for step in steps[1:]:
            np.maximum(best, x[(slice(None), *step)], out=best)
        return best

    def _steps(self, shape: Shape) -> list[tuple[slice, ...]] | None:
        """For each member the slices that take it out of a tensor of this shape for all groups; None if these are no windows."""
        if shape not in self._known_steps:
            taken = [_arithmetic(np.unravel_index(e, shape)) for e in np.moveaxis(self.entries.reshape(self.groups.shape), -1, 0)]
            self._known_steps[shape] = None if None in taken else [t for t in taken if t is not None]
        return self._known_steps[shape]

    def windows(self, shape: Shape) -> tuple[Shape, Shape, Shape] | None:
        """Kernel, stride and dilation of max-pooling without padding over a tensor of channels; None for other maxima.

        Examples
        --------
        >>> Max(np.array([[[0, 1], [2, 3]]])).windows((1, 4))
        ((2,), (2,), (1,))
        >>> Max(np.array([[[0, 1], [1, 3]]])).windows((1, 4)) is None
        True
        """
        steps = self._steps(shape)
        if steps is None or len(shape) < 2 or any(step[0] != slice(0, shape[0], 1) for step in steps):
            return None
        starts = np.array([[s.start for s in step[1:]] for step in steps])
        kernel = tuple(len(np.unique(column)) for column in starts.T)
        dilation = tuple(int(column.max()) // max(1, k - 1) or 1 for column, k in zip(starts.T, kernel, strict=True))
        stride = tuple(int(s.step) for s in steps[0][1:])
        expected = np.stack(np.meshgrid(*(d * np.arange(k) for d, k in zip(dilation, kernel, strict=True)), indexing="ij"), -1)
        sizes = [(n - d * (k - 1) - 1) // s + 1 for n, d, k, s in zip(shape[1:], dilation, kernel, stride, strict=True)]
        is_grid = np.array_equal(starts, expected.reshape(-1, len(kernel))) and self.groups.shape[1:-1] == tuple(sizes)
        return (kernel, stride, dilation) if is_grid else None

    @cached_property
    def _known_steps(self) -> dict[Shape, list[tuple[slice, ...]] | None]:
        return {}

    def pieces(self, states: Array, shape: Shape) -> Pieces:
        return Pieces(source=self.entries[np.arange(len(self.entries)), states.astype(np.intp)])

    @cached_property
    def rounds(self) -> tuple[int, ...]:
        """Those in which the candidate of some group may win."""
        return tuple(j for j in np.flatnonzero(~self.cannot_win.all(axis=0)).tolist() if j)

    def codes(self, round_: int, states: Array, size: int) -> Array:
        return self.code(np.arange(len(self.table)), round_, states)

    def code(self, form: Array, round_: int, state: Array) -> Array:
        k = self.groups.shape[-1]
        return (form * k + round_) * k + state

    def forms(self, codes: Array, size: int) -> EntryForms:
        k = self.groups.shape[-1]
        group, candidate, winner = codes // (k * k), codes // k % k, codes % k
        absent = self.cannot_win[group, candidate]
        entry = np.where(absent, -1, self.entries[group, candidate])
        constant = np.where(absent, -1.0, 0.0) if absent.any() else None
        return EntryForms(group, entry, self.entries[group, winner], constant=constant)

    def decided(self, round_: int, states: Array, is_positive: Array) -> Array:
        return np.where(is_positive, self.state_type(round_), states).astype(self.state_type)

    def contest(self, values: Array, round_: int) -> tuple[Array, Array, Array]:
        """At points (rows): the candidates of a round, the best of those before them, and which candidates cannot win."""
        earlier = [0, *self.rounds[: bisect_left(self.rounds, round_)]]
        if len(earlier) > len(self.entries):  # few maxima of many
            best = _row_maxima(values, self.entries[:, earlier])
        else:
            best = values[:, self.entries[:, 0]]
            for j in earlier[1:]:
                np.maximum(best, values[:, self.entries[:, j]], out=best)
        return values[:, self.entries[:, round_]], best, self.cannot_win[:, round_]

    def walls(self, states: Array, size: int) -> EntryForms:
        """The winner minus every other member."""
        groups, k = self.entries.shape
        winner = np.take_along_axis(np.broadcast_to(self.entries, (*states.shape, k)), states[..., None].astype(np.intp), -1)
        other = np.broadcast_to(self.entries, (*states.shape, k))
        nothing = (self.table < 0) | (np.arange(k) == states[..., None])
        flat = (*states.shape[:-1], groups * k)
        entry = np.where(nothing, -1, winner).reshape(flat)
        neuron = np.broadcast_to(np.arange(groups)[:, None], nothing.shape).reshape(flat)
        constant = np.where(nothing, 1.0, 0.0).reshape(flat)
        return EntryForms(neuron, entry, other.reshape(flat), constant=constant)

    def equal_entries(self, numbers: list[Array], shape: Shape) -> Array:
        x = numbers[0].reshape(-1)
        return numbered_rows(np.where(self.table < 0, -1, x[self.table])).reshape(shape)

    def without_members(self, which: Array) -> Max:
        """Some members (groups, K) replaced by the first one, so that they cannot win; the first ones stay."""
        if not which[:, 1:].any():
            return self
        return Max(np.where(which & (self.table >= 0), self.table[:, :1], self.table).reshape(self.groups.shape))

    def without_repeats(self, numbers: Array) -> Max:
        """Members that equal an earlier one (by the numbers of the entries) replaced by it, so that they cannot win."""
        ids = np.where(self.table < 0, -1, numbers.reshape(-1)[self.table])
        first = np.take_along_axis(self.table, _first_equal(ids), axis=1)
        flat = np.where(self.table < 0, self.table, first)
        return self if (flat == self.table).all() else Max(flat.reshape(self.groups.shape))

    def lipschitz(self) -> float:
        """An entry may be a member of several groups."""
        return float(np.sqrt(np.bincount(self.groups[self.groups >= 0]).max())) * (1 + 1e-12)

    def form_gain(self) -> float:
        return 2 * self.lipschitz()

    def largest(self, sizes: Array) -> Array:
        return np.asarray(self.members(sizes).max(-1))

    def by_rectifiers(self, x: T, calculus: Calculus[T]) -> T:
        """max(a, b) = a + ReLU(b - a), member by member."""
        members = self.entries.reshape(self.groups.shape)
        best = calculus.taken(x, members[..., 0])
        for j in range(1, self.groups.shape[-1]):
            ahead = calculus.combined(calculus.taken(x, members[..., j]), best, -1.0)
            best = calculus.combined(best, calculus.rectified(ahead, np.zeros(())), 1.0)
        return best


def _row_maxima(values: Array, columns: Array) -> Array:
    """For each row of values its largest entries among some columns (maxima, members)."""
    best, step = np.empty((len(values), len(columns))), max(1, _ENTRIES // columns.shape[1])
    for a in range(0, len(values), step):
        for g, members in enumerate(columns):
            np.max(values[a : a + step].take(members, axis=1), axis=1, out=best[a : a + step, g])
    return best


def _first_equal(rows: Array) -> Array:
    """For each entry of each row the position of the first entry there that equals it.

    Examples
    --------
    >>> _first_equal(np.array([[5, 3, 5, 3], [1, 2, 3, 1]]))
    array([[0, 1, 0, 1],
           [0, 1, 2, 0]])
    """
    order = np.argsort(rows, axis=1, kind="stable")
    along = np.take_along_axis(rows, order, axis=1)
    begins = np.ones(rows.shape, np.bool_)
    begins[:, 1:] = along[:, 1:] != along[:, :-1]
    start = np.maximum.accumulate(np.where(begins, np.arange(rows.shape[1]), 0), axis=1)
    out = np.empty_like(order)
    np.put_along_axis(out, order, np.take_along_axis(order, start, axis=1), axis=1)
    return out


def _arithmetic(coordinates: tuple[Array, ...]) -> tuple[slice, ...] | None:
    """The slices whose entries have these coordinates, if each grows along its own axis alone, by equal steps."""
    shape, slices = coordinates[0].shape, []
    if len(coordinates) != len(shape):
        return None
    for axis, c in enumerate(coordinates):
        along = np.moveaxis(c, axis, 0).reshape(shape[axis], -1)
        first = along[:, 0]
        step = int(first[1] - first[0]) if len(first) > 1 else 1
        if step < 1 or (along != first[:, None]).any() or (np.diff(first) != step).any():
            return None
        slices.append(slice(int(first[0]), int(first[-1]) + 1, step))
    return tuple(slices)
