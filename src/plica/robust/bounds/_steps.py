"""A network as steps of two kinds: sums of matrices times earlier tensors, and rectifiers; what all bounds walk over.

Clips and maxima become formulas of rectifiers. Operations that only move entries are absorbed by their neighbors, which changes
no number; other matrices stay apart, so that the steps are the network in real arithmetic, exactly.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from math import prod
from typing import Any

import numpy as np

from plica._lazy import cached_property
from plica._types import Array
from plica.network import Affine, Fold, Network, once_per_network, walk

SPARSE_BELOW = 0.2  # share of entries that are not zero
Matrix = Any  # a dense array or a scipy matrix in rows


@dataclass(frozen=True, eq=False)
class AffineStep:
    """y = sum of matrix @ x[parent] + offset."""

    parents: tuple[int, ...]
    matrices: tuple[Matrix, ...]
    offset: Array

    @property
    def size(self) -> int:
        return len(self.offset)

    @cached_property
    def absolute(self) -> tuple[Matrix, ...]:
        """The matrices with absolute values."""
        return tuple(abs(m) for m in self.matrices)

    @cached_property
    def n_terms(self) -> int:
        """The largest number of terms that are added for one entry."""
        counts = [np.asarray((m != 0).sum(axis=1)).reshape(-1) for m in self.matrices]
        return int(np.sum(counts, axis=0).max(initial=0)) + 1

    @cached_property
    def is_exact(self) -> bool:
        """Whether every entry is one earlier entry, or its negative, or zero: nothing is rounded."""
        if self.offset.any() or self.n_terms > 2:
            return False
        return all(
            bool((abs(m).data == 1.0).all() if hasattr(m, "tocsr") else np.isin(abs(m), (0, 1)).all()) for m in self.matrices
        )


@dataclass(frozen=True, eq=False)
class RectifierStep:
    """y = x where x > 0, slope * x elsewhere."""

    parent: int
    slope: Array

    @property
    def parents(self) -> tuple[int, ...]:
        return (self.parent,)

    @property
    def size(self) -> int:
        return len(self.slope)


Step = AffineStep | RectifierStep


@dataclass(frozen=True, eq=False)
class Steps:
    """The input has number 0; step i makes tensor i + 1. The last tensor is the output."""

    n_inputs: int
    steps: tuple[Step, ...]

    @property
    def n_tensors(self) -> int:
        return len(self.steps) + 1

    def size(self, tensor: int) -> int:
        return self.n_inputs if tensor == 0 else self.steps[tensor - 1].size

    @cached_property
    def rectifiers(self) -> tuple[int, ...]:
        """The tensors that rectifiers make."""
        return tuple(i + 1 for i, s in enumerate(self.steps) if isinstance(s, RectifierStep))

    @property
    def n_neurons(self) -> int:
        return sum(self.size(i) for i in self.rectifiers)


@dataclass(eq=False)
class _Tensor:
    """A tensor while steps are collected: entries ``index`` (-1: zero) of an earlier one, in some shape."""

    source: int
    index: Array


@once_per_network
def steps_of(network: Network) -> Steps:
    """The network as steps.

    Examples
    --------
    >>> import plica
    >>> steps = steps_of(plica.random_network([2, 8, 8, 1], seed=0))
    >>> [type(s).__name__ for s in steps.steps], steps.n_neurons
    (['AffineStep', 'RectifierStep', 'AffineStep', 'RectifierStep', 'AffineStep'], 16)
    """
    collector = _Collector(network.n_inputs)
    start = _Tensor(0, np.arange(network.n_inputs).reshape(network.input_shape))
    (last,) = walk(network, collector, {0: start}).values()
    final = collector.settled(last)
    if final.source != len(collector.steps):  # the output is an earlier tensor
        size = final.index.size
        eye = np.eye(size)
        collector.steps.append(AffineStep((final.source,), (eye,), np.zeros(size)))
    return Steps(network.n_inputs, tuple(collector.steps))


@dataclass(eq=False)
class _Collector:
    """A semantics and a calculus: tensors are entries of steps."""

    n_inputs: int
    steps: list[Step] = field(default_factory=list)

    def _size(self, source: int) -> int:
        return self.n_inputs if source == 0 else self.steps[source - 1].size

    def _added(self, step: Step, shape: tuple[int, ...]) -> _Tensor:
        self.steps.append(step)
        return _Tensor(len(self.steps), np.arange(step.size).reshape(shape))

    def settled(self, x: _Tensor) -> _Tensor:
        """The tensor as all entries of a step, in order."""
        flat = x.index.reshape(-1)
        if len(flat) == self._size(x.source) and (flat == np.arange(len(flat))).all():
            return x
        return self._added(AffineStep((x.source,), (_selection(flat, self._size(x.source)),), np.zeros(len(flat))), x.index.shape)

    def _without_repeats(self, x: _Tensor) -> _Tensor:
        """Columns that read one entry would have to be added, which rounds: such a tensor is written out."""
        used = x.index[x.index >= 0]
        return self.settled(x) if len(np.unique(used)) < len(used) else x

    def affine(self, index: int, op: Affine, xs: list[_Tensor]) -> _Tensor:
        shapes = [x.index.shape for x in xs]
        shape = op.output_shape(*shapes)
        if op.moves_entries and len({x.source for x in xs}) == 1:
            moved = op.linear([x.index.reshape(1, *s) + 1 for x, s in zip(xs, shapes, strict=True)], None)[0] - 1
            return _Tensor(xs[0].source, np.asarray(moved, np.intp).reshape(shape))
        xs = [self._without_repeats(x) for x in xs]
        matrices = [_matrix(op, shapes, i) for i in range(len(xs))]
        matrices = [_through(m, x.index.reshape(-1), self._size(x.source)) for m, x in zip(matrices, xs, strict=True)]
        offset = np.zeros(prod(shape)) if op.offset is None else np.broadcast_to(op.offset, shape).reshape(-1).copy()
        return self._merged([x.source for x in xs], matrices, offset, shape)

    def _merged(self, sources: list[int], matrices: list[Matrix], offset: Array, shape: tuple[int, ...]) -> _Tensor:
        """A new step, or a bias put into the step before it where nothing is rounded."""
        last = self.steps[-1] if self.steps else None
        if (
            len(sources) == 1
            and sources[0] == len(self.steps)
            and isinstance(last, AffineStep)
            and not last.offset.any()
            and _is_identity(matrices[0])
            and len(self.steps) not in {p for s in self.steps for p in s.parents}
        ):
            self.steps[-1] = AffineStep(last.parents, last.matrices, offset)
            return _Tensor(len(self.steps), np.arange(len(offset)).reshape(shape))
        return self._added(AffineStep(tuple(sources), tuple(matrices), offset), shape)

    def fold(self, index: int, op: Fold, x: _Tensor, layer: int) -> _Tensor:
        return op.by_rectifiers(x, self)

    def rectified(self, x: _Tensor, slope: Array) -> _Tensor:
        shape = x.index.shape
        x = self.settled(x)
        return self._added(RectifierStep(x.source, np.broadcast_to(slope, shape).reshape(-1).astype(np.float64)), shape)

    def moved(self, x: _Tensor, offset: float) -> _Tensor:
        flat = x.index.reshape(-1)
        return self._added(
            AffineStep((x.source,), (_selection(flat, self._size(x.source)),), np.full(len(flat), float(offset))), x.index.shape
        )

    def combined(self, a: _Tensor, b: _Tensor, factor: float) -> _Tensor:
        first, second = (_selection(t.index.reshape(-1), self._size(t.source)) for t in (a, b))
        return self._added(AffineStep((a.source, b.source), (first, second * factor), np.zeros(a.index.size)), a.index.shape)

    def taken(self, x: _Tensor, indices: Array) -> _Tensor:
        return _Tensor(x.source, x.index.reshape(-1)[indices])


def _selection(index: Array, size: int) -> Matrix:
    from scipy import sparse

    rows = np.flatnonzero(index >= 0)
    return sparse.csr_array((np.ones(len(rows)), (rows, index[rows])), shape=(len(index), size))


def _is_identity(m: Matrix) -> bool:
    if m.shape[0] != m.shape[1]:
        return False
    if hasattr(m, "tocoo"):
        entries = m.tocoo()
        return bool(entries.nnz == m.shape[0] and (entries.row == entries.col).all() and (entries.data == 1.0).all())
    return bool((m == np.eye(len(m))).all())


def _matrix(op: Affine, shapes: list[tuple[int, ...]], i: int) -> Matrix:
    """The matrix of one input, dense or sparse, whichever is smaller."""
    from scipy import sparse

    if op.dense is not None and len(shapes[i]) == 1:
        weight = op.dense
        return sparse.csr_array(weight) if np.count_nonzero(weight) < SPARSE_BELOW * weight.size else weight
    found = op.matrix(shapes[i]) if len(shapes) == 1 else None
    if found is None:  # column by column: products with zeros and ones do not round
        size = prod(shapes[i])
        eye = [np.zeros((size, *s)) for s in shapes]
        eye[i] = np.eye(size).reshape(size, *shapes[i])
        found = sparse.csr_array(op.linear(eye, op.coefficients).reshape(size, -1).T)
    found = sparse.csr_array(found)
    return found.toarray() if found.nnz >= SPARSE_BELOW * prod(found.shape) else found


def _through(matrix: Matrix, index: Array, size: int) -> Matrix:
    """The matrix on the tensor of which its inputs are some entries, each at most once."""
    if len(index) == size and (index == np.arange(size)).all():
        return matrix
    from scipy import sparse

    place = np.where(index < 0, size, index)

    if hasattr(matrix, "tocoo"):
        entries = matrix.tocoo()
        keep = index[entries.col] >= 0
        return sparse.csr_array(
            (entries.data[keep], (entries.row[keep], index[entries.col[keep]])), shape=(matrix.shape[0], size)
        )
    out = np.zeros((matrix.shape[0], size + 1))
    out[:, place] = matrix
    return np.ascontiguousarray(out[:, :size])
