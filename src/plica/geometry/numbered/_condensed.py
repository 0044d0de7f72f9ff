"""A network without its repetitions: each tensor as signs times its distinct entries.

Lattice networks write one formula in many places: a minimum is four ReLUs, of a + b, -a - b, a - b and b - a, and the same pair
is compared again and again. Entries are one *atom* where their rows over the atoms before them are equal up to sign.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np

from plica._types import Array
from plica.exact import Dyadic, bits
from plica.network import Affine, Fold, Linear, Network, once_per_network

_GAIN = 2  # units for each atom of the first layer that make it worth while
_FIRST = 2**16  # inputs times entries after the first operation beyond which nobody looks: images have few repetitions
_MANTISSA = 53


class Unsuited(Exception):
    """The network is not one of few functions, or not a chain of rectifiers; the ordinary engine takes it."""


@dataclass(frozen=True, eq=False)
class Entries:
    """Entry e of a tensor is ``sign[e]`` times atom ``atom[e]``; a sign of 0 is the function zero."""

    atom: Array
    sign: Array
    first: Array  # the first entry of each atom, with sign 1

    @property
    def n_atoms(self) -> int:
        return len(self.first)

    def expanded(self, atoms: Array) -> Array:
        """All entries, given the atoms along the last axis."""
        if not self.n_atoms:
            return np.zeros((*atoms.shape[:-1], len(self.atom)), atoms.dtype)
        return np.asarray(atoms[..., self.atom] * self.sign)


@dataclass(frozen=True, eq=False)
class Rows:
    """The atoms after an affine operation: row j has the terms ``offsets[j] : offsets[j + 1]``, coefficients times atoms before.

    Atom ``n_before`` is the constant one. After a fold the atoms before come twice: positive parts, then negative parts.
    """

    offsets: Array
    atom: Array
    coefficient: Array
    n_before: int
    after_fold: bool
    entries: Entries


@dataclass(frozen=True, eq=False)
class Condensed:
    """For each layer the rows that lead to it; then those that lead to the output."""

    layers: list[list[Rows]]
    tail: list[Rows]


@once_per_network
def condensed(network: Network) -> Condensed | None:
    """The network without its repetitions; None if it has few, or is no chain of affine operations and ReLUs."""
    try:
        return _condense(network)
    except Unsuited:
        return None


def _condense(network: Network) -> Condensed:
    nodes = network.nodes
    if not network.layers or any(node.inputs != (i - 1,) for i, node in enumerate(nodes) if i):
        raise Unsuited
    if nodes[0].size * nodes[1].size > _FIRST:
        raise Unsuited
    if not all(isinstance(op, Affine) or (isinstance(op, Fold) and op.is_relu) for op in (node.op for node in nodes[1:])):
        raise Unsuited
    if isinstance(nodes[1].op, Linear) and isinstance(nodes[2].op, Fold) and _is_varied(nodes[1].op):
        raise Unsuited
    entries = _all_distinct(nodes[0].size)
    layers: list[list[Rows]] = []
    steps: list[Rows] = []
    after_fold = False
    for i, node in enumerate(nodes[1:], start=1):
        if isinstance(node.op, Fold):
            if not layers and nodes[i].size < _GAIN * max(1, entries.n_atoms):
                raise Unsuited
            layers.append(steps)
            steps, after_fold = [], True
            continue
        assert isinstance(node.op, Affine)
        steps.append(_rows(node.op, nodes[i - 1].shape, node.shape, entries, after_fold))
        entries, after_fold = steps[-1].entries, False
    if after_fold or not layers[0]:  # a network that ends or begins with a fold
        raise Unsuited
    return Condensed(layers, steps)


def _is_varied(op: Linear) -> bool:
    """Whether too few rows of a first layer are zero, or equal up to sign: most networks are known by that."""
    rows = (op.weight if op.bias is None else np.column_stack([op.weight, op.bias])).tolist()
    atoms: set[tuple[float, ...]] = set()
    for row in map(tuple, rows):
        if any(row) and tuple(-x for x in row) not in atoms:
            atoms.add(row)
    return len(rows) < _GAIN * max(1, len(atoms))


def _all_distinct(n: int) -> Entries:
    return Entries(np.arange(n), np.ones(n, np.int8), np.arange(n))


def _rows(op: Affine, shape: tuple[int, ...], out: tuple[int, ...], entries: Entries, after_fold: bool) -> Rows:
    from scipy.sparse import coo_array, csr_array

    found = op.matrix(shape)
    if found is None:
        raise Unsuited
    matrix = csr_array(found).tocoo()
    n_before = entries.n_atoms * (2 if after_fold else 1)
    used = (entries.sign[matrix.col] != 0) & (matrix.data != 0.0)
    row, column, data = matrix.row[used], matrix.col[used], matrix.data[used].astype(np.float64)
    atom, sign = entries.atom[column], entries.sign[column]
    if after_fold:
        atom = np.where(sign > 0, atom, atom + entries.n_atoms)
    else:
        data = data * sign
    if op.offset is not None:
        constant = np.broadcast_to(op.offset, out).reshape(-1)
        places = np.flatnonzero(constant)
        row, atom = np.concatenate([row, places]), np.concatenate([atom, np.full(len(places), n_before)])
        data = np.concatenate([data, constant[places]])
    n_rows = int(np.prod(out))
    if entries.n_atoms < len(entries.atom):
        _check_sums(row, atom, data, n_before + 1)
    sums: Any = coo_array((data, (row, atom)), shape=(n_rows, n_before + 1)).tocsr()
    sums.sum_duplicates()
    sums.eliminate_zeros()
    sums.sort_indices()
    return _distinct_rows(sums, n_before, after_fold)


def _check_sums(row: Array, atom: Array, data: Array, n_columns: int) -> None:
    """Refuse weights whose sums might round, where several entries are one atom."""
    count = np.unique(row.astype(np.int64) * n_columns + atom, return_counts=True)[1].max(initial=1)
    if count > 1 and bits(Dyadic.from_floats(data).integers) + int(count).bit_length() > _MANTISSA:
        raise Unsuited


def _distinct_rows(sums: Any, n_before: int, after_fold: bool) -> Rows:
    """Number the rows such that equal numbers mean rows that are equal up to sign."""
    n_rows = sums.shape[0]
    atom, sign = np.zeros(n_rows, np.int64), np.zeros(n_rows, np.int8)
    known: dict[bytes, int] = {}
    first: list[int] = []
    bounds, indices, data = sums.indptr.tolist(), sums.indices, sums.data
    for j, (a, b) in enumerate(pairwise(bounds)):
        if a == b:
            continue
        where, numbers = indices[a:b].tobytes(), data[a:b]
        if (number := known.get(where + numbers.tobytes())) is not None:
            atom[j], sign[j] = number, 1
        elif (number := known.get(where + (-numbers).tobytes())) is not None:
            atom[j], sign[j] = number, -1
        else:
            atom[j], sign[j] = len(first), 1
            known[where + numbers.tobytes()] = len(first)
            first.append(j)
    kept = sums[first] if first else sums[:0]
    entries = Entries(atom, sign, np.array(first, np.int64))
    return Rows(kept.indptr.astype(np.int64), kept.indices.astype(np.int64), kept.data, n_before, after_fold, entries)
