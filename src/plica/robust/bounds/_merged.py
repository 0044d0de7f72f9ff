r"""Equal and opposite neurons merged: the same function in real arithmetic with fewer folds, for lattices of maxima above all.

A maximum that is written with rectifiers, :math:`2\max(a,b)=(a-b)^+ + (b-a)^+ + (a+b)^+ - (-a-b)^+`, has one fold, not four:
:math:`[s]_+=(s+|s|)/2` and :math:`[-s]_+=(|s|-s)/2`, so that of the last two nothing is left but :math:`a+b`. Every tensor is
written as combinations of *atoms* (the constant one, the inputs, outputs of steps that were kept). Combinations are combined only
where no sum is rounded; otherwise they become steps.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from plica._types import Array
from plica.robust.bounds._steps import SPARSE_BELOW, AffineStep, Matrix, RectifierStep, Step, Steps

Sparse = Any  # scipy.sparse.csr_array
COARSEST = -16  # weights of consumers are multiples of 2**COARSEST where opposite neurons are merged


def merged(steps: Steps) -> Steps:
    """The steps with equal and opposite neurons merged; the steps themselves where there are none.

    Examples
    --------
    >>> pair = AffineStep((0,), (np.array([[1.0, -1.0], [-1.0, 1.0]]),), np.zeros(2))
    >>> total = AffineStep((2,), (np.array([[1.0, 1.0]]),), np.zeros(1))
    >>> once = merged(Steps(2, (pair, RectifierStep(1, np.zeros(2)), total)))
    >>> [(type(s).__name__, s.size) for s in once.steps], once.steps[1].slope.tolist()
    ([('AffineStep', 1), ('RectifierStep', 1), ('AffineStep', 1)], [-1.0])
    """
    found = _Merger(steps).run()
    return found if found.n_neurons < steps.n_neurons else steps


@dataclass(eq=False)
class _Kept:
    """A step that makes atoms: rows over the atoms before it, and the slopes of rectifiers around them, if any."""

    first: int
    rows: Sparse
    slopes: Array | None


@dataclass(eq=False)
class _Merger:
    steps: Steps
    kept: list[_Kept] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.n_atoms = 1 + self.steps.n_inputs  # the constant comes first
        self.lifted: list[Sparse] = [_selected(1 + np.arange(self.steps.n_inputs), self.n_atoms)]

    def run(self) -> Steps:
        for i, step in enumerate(self.steps.steps, start=1):
            self.lifted.append(self._affine(step) if isinstance(step, AffineStep) else self._rectified(step, i))
        last = self._kept(self.lifted[-1], None)
        return _assembled(self.steps.n_inputs, self.kept, last)

    def _kept(self, rows: Sparse, slopes: Array | None) -> Array:
        """Make rows a step; the atoms that it makes."""
        first = self.n_atoms
        self.kept.append(_Kept(first, rows, slopes))
        self.n_atoms += rows.shape[0]
        return first + np.arange(rows.shape[0])

    def _affine(self, step: AffineStep) -> Sparse:
        for keep in (False, True):
            if keep:
                for p in step.parents:
                    self.lifted[p] = self._as_atoms(self.lifted[p])
            total = _exact_product(step, [self.lifted[p] for p in step.parents], self.n_atoms)
            if total is not None:
                return total
        for p in step.parents:  # columns of equal entries cannot be added: all entries are kept apart
            self.lifted[p] = _selected(self._kept(self.lifted[p], None), self.n_atoms)
        found = _exact_product(step, [self.lifted[p] for p in step.parents], self.n_atoms)
        assert found is not None
        return found

    def _as_atoms(self, rows: Sparse) -> Sparse:
        """Rows as a selection of atoms, equal ones once."""
        if _is_selection(rows):
            return rows
        places: dict[bytes, int] = {}
        which = [places.setdefault(key, len(places)) for key in _keys(rows)]
        firsts = np.unique(which, return_index=True)[1]
        return _selected(self._kept(rows[firsts], None)[which], self.n_atoms)

    def _rectified(self, step: RectifierStep, tensor: int) -> Sparse:
        rows = self.lifted[step.parent]
        opposite = self._may_be_merged(step, tensor)
        turned, keys = _turned(rows)
        signs: dict[tuple[bytes, float], set[bool]] = {}
        names = [(key, float(slope)) for key, slope in zip(keys, step.slope, strict=True)]
        for name, turn in zip(names, turned, strict=True):
            signs.setdefault(name, set()).add(bool(turn))
        places: dict[tuple[bytes, float, bool], int] = {}
        chosen, slopes, out = list[int](), list[float](), list[tuple[int, bool]]()
        for k, (name, turn) in enumerate(zip(names, turned, strict=True)):
            both = opposite and len(signs[name]) == 2
            place = places.setdefault((*name, both or bool(turn)), len(places))
            if place == len(chosen):
                chosen.append(k)
                slopes.append(-1.0 if both else step.slope[k])
            out.append((place, both))
        if not chosen:
            return rows
        atoms = self._kept(rows[chosen], np.array(slopes))
        at = _selected(atoms[[place for place, _ in out]], self.n_atoms)
        half = np.array([0.5 if both else 0.0 for _, both in out])
        return _clean(_scaled(_widened(rows, self.n_atoms), half) + _scaled(at, np.where(half > 0, half, 1.0)))

    def _may_be_merged(self, step: RectifierStep, tensor: int) -> bool:
        """Opposite neurons pay where those who read them add and subtract them without rounding."""
        readers = [s for s in self.steps.steps if tensor in s.parents]
        return (
            not step.slope.any()
            and bool(readers)
            and all(isinstance(s, AffineStep) and all(_lowest_bit(m) >= COARSEST for m in s.matrices) for s in readers)
        )


def _exact_product(step: AffineStep, parents: list[Sparse], n_atoms: int) -> Sparse | None:
    """The step's rows over atoms, or None where a sum might be rounded."""
    from scipy import sparse

    blocks = [sparse.csr_array(m) for m in step.matrices]
    constant = sparse.csr_array((step.offset, (np.arange(step.size), np.zeros(step.size, int))), shape=(step.size, 1))
    left = _clean(sparse.hstack([*blocks, constant], format="csr"))
    right = sparse.vstack([*(_widened(p, n_atoms) for p in parents), _selected(np.zeros(1, int), n_atoms)], format="csr")
    product = _clean(left @ right)
    if _is_selection(right) and len(np.unique(right.indices)) == len(right.indices):
        return product
    largest = float((abs(left) @ abs(right)).max()) if left.nnz and right.nnz else 0.0
    if largest == 0.0 or 2 * largest < 2.0 ** min(1000, 53 + _lowest_bit(left) + _lowest_bit(right)):
        return product
    return None


def _lowest_bit(matrix: Matrix) -> int:
    """The largest k such that all entries are multiples of 2**k."""
    data = matrix.data if hasattr(matrix, "tocsr") else np.asarray(matrix).reshape(-1)
    data = data[data != 0]
    if not len(data):
        return 0
    mantissa, exponent = np.frexp(data)
    integers = np.abs(mantissa * 2.0**53).astype(np.int64)
    return int((exponent - 53 + np.log2((integers & -integers).astype(np.float64)).astype(int)).min())


def _selected(columns: Array, n: int) -> Sparse:
    from scipy import sparse

    return sparse.csr_array((np.ones(len(columns)), (np.arange(len(columns)), columns)), shape=(len(columns), n))


def _widened(rows: Sparse, n: int) -> Sparse:
    from scipy import sparse

    return sparse.csr_array((rows.data, rows.indices, rows.indptr), shape=(rows.shape[0], n))


def _scaled(rows: Sparse, factor: Array) -> Sparse:
    from scipy import sparse

    return sparse.diags_array(factor, format="csr") @ rows


def _clean(rows: Sparse) -> Sparse:
    rows.sum_duplicates()
    rows.eliminate_zeros()
    rows.sort_indices()
    return rows


def _is_selection(rows: Sparse) -> bool:
    return bool((np.diff(rows.indptr) == 1).all() and (rows.data == 1.0).all())


def _keys(rows: Sparse) -> list[bytes]:
    return [
        rows.indices[a:b].astype(np.int64).tobytes() + rows.data[a:b].tobytes()
        for a, b in zip(rows.indptr[:-1], rows.indptr[1:], strict=True)
    ]


def _turned(rows: Sparse) -> tuple[Array, list[bytes]]:
    """Which rows begin with a negative number, and keys of the rows that do not tell a row from its negative."""
    first = np.zeros(rows.shape[0])
    full = np.diff(rows.indptr) > 0
    first[full] = rows.data[rows.indptr[:-1][full]]
    return first < 0, _keys(_clean(_scaled(rows, np.where(first < 0, -1.0, 1.0))))


def _assembled(n_inputs: int, kept: list[_Kept], last: Array) -> Steps:
    """Steps of what the last atoms need."""
    needed = np.zeros(last[-1] + 1, bool)
    needed[last] = True
    for k in reversed(kept):
        own = needed[k.first : k.first + k.rows.shape[0]]
        needed[k.rows[np.flatnonzero(own)].indices] = True
    tensor, entry = np.zeros(len(needed), int), np.arange(-1, len(needed) - 1)  # of each atom; 0 for the inputs
    sizes, steps = {0: n_inputs}, list[Step]()
    for k in kept:
        own = np.flatnonzero(needed[k.first : k.first + k.rows.shape[0]])
        if not len(own):
            continue
        steps.append(_affine_step(k.rows[own], tensor, entry, sizes))
        sizes[len(steps)] = len(own)
        if k.slopes is not None:
            steps.append(RectifierStep(len(steps), k.slopes[own]))
            sizes[len(steps)] = len(own)
        tensor[k.first + own], entry[k.first + own] = len(steps), np.arange(len(own))
    return Steps(n_inputs, tuple(steps))


def _affine_step(rows: Sparse, tensor: Array, entry: Array, sizes: dict[int, int]) -> AffineStep:
    """Rows over atoms as a step that reads the tensors in which they are."""
    from scipy import sparse

    entries = rows.tocoo()
    row, column, data = entries.row, entries.col, entries.data
    offset = np.zeros(rows.shape[0])
    is_constant = column == 0
    offset[row[is_constant]] = data[is_constant]
    parents, matrices = [], []
    for p in sorted(set(tensor[column[~is_constant]].tolist())) or [0]:
        own = ~is_constant & (tensor[column] == p)
        matrix = sparse.csr_array((data[own], (row[own], entry[column[own]])), shape=(rows.shape[0], sizes[p]))
        parents.append(p)
        matrices.append(matrix.toarray() if matrix.nnz >= SPARSE_BELOW * rows.shape[0] * sizes[p] else matrix)
    return AffineStep(tuple(parents), tuple(matrices), offset)
