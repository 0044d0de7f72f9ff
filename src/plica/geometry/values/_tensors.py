"""Tensors of the network at the vertices, in floating point, with a rigorous bound of their error.

For a tensor x with n entries, ``error[v]`` bounds the 2-norm of (computed - true) at vertex v. An affine operation multiplies it
by its operator norm and adds its own rounding, gamma * (| |A| | |x| + |b|), whatever the order of summation. For the forms that
cut, the finer bound ``|row| * (error of the operation's input) + floor`` is kept entry by entry.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import prod

import numpy as np

from plica._parallel import parallel_ranges
from plica._types import Array
from plica.geometry._budget import tick
from plica.geometry.signs import _kernels
from plica.geometry.signs._arrays import NewVertices
from plica.geometry.values._dyadic_rows import (
    DyadicOrders,
    DyadicRows,
    after_affine,
    after_plane_cut,
    coarse_scale,
    fitting,
    scale_of,
)
from plica.network import Affine, Fold, Network, Node, Reshape, once_per_network

EPS = 2.0**-52  # twice the unit round-off: covers the second-order terms of the textbook bounds
NORM_UNDERFLOW = 1e-150  # covers what the squares inside a norm lose by underflow
UNDERFLOW = 1e-290  # covers everything that underflow can lose in one operation on rescaled weights
_CHUNK_ENTRIES = 2**20
NOT_ZERO = 1e-300  # stands for a number that rounded to zero but is not known to be zero


@dataclass(eq=False)
class Rows:
    """The finer error bound of a tensor: scale[k] * error[v] + floor[k]."""

    scale: Array
    error: Array
    floor: Array


@dataclass(eq=False)
class Tensor:
    """Values (vertices, entries) with their error; ``largest_norm`` bounds the 2-norm of every row once it is known."""

    values: Array
    error: Array
    rows: Rows | None = None
    largest_norm: float | None = None
    dyadic: DyadicRows | None = None  # rows known without error
    has_true_zeros: bool = False  # entries that are zero are exactly zero: kept on the way from a ReLU to a maximum

    @property
    def nbytes(self) -> int:
        return int(self.values.nbytes)

    def norm(self) -> float:
        """The largest 2-norm of a row."""
        if self.largest_norm is None:
            self.largest_norm = (
                float(np.sqrt(np.einsum("ij,ij->i", self.values, self.values).max(initial=0.0))) * (1 + 1e-12) + NORM_UNDERFLOW
            )
        return self.largest_norm

    def bound(self) -> Rows:
        if self.rows is not None:
            return self.rows
        n = self.values.shape[1]
        return Rows(np.ones(n), self.error, np.full(n, UNDERFLOW))

    def extended(
        self,
        on_edges: NewVertices,
        inside: NewVertices,
        orders: DyadicOrders | None = None,
        *,
        rectify: bool = False,
        consume: bool = False,
    ) -> Tensor:
        """The tensor (or its positive part) at the new vertices too: it is affine on the cells they subdivide.

        With ``consume`` nobody needs this tensor any more, and its memory is grown in place.
        """
        width = self.values.shape[1]
        n_old, n_all = len(self.values), len(self.values) + on_edges.n_vertices + inside.n_vertices
        tick(8 * n_all * width)
        dyadic = after_plane_cut(self.dyadic, self.values, on_edges, inside, orders)
        if consume and self.values.flags.owndata and self.values.flags.c_contiguous:
            out = self.values
            out.resize((n_all, out.shape[1]), refcheck=False)
        else:
            out = np.empty((n_all, self.values.shape[1]))
        values = out[:n_old] if out is self.values else self.values
        error = np.empty(n_all)
        error[:n_old] = self.error
        for new, base in ((on_edges, n_old), (inside, n_old + on_edges.n_vertices)):

            def carry(a: int, b: int, new: NewVertices = new, base: int = base) -> None:
                _kernels.carry_new(values, new, on_edges, rectify, a, b, base, np.empty((2, width)), out, error)

            parallel_ranges(carry, new.n_vertices)
        # last, because the new rows come from the old ones as they were
        squares = parallel_ranges(lambda a, b: _kernels.carry_old(values, rectify, a, b, out), n_old)
        zeros = self.has_true_zeros and not rectify
        if zeros:
            for new, base in ((on_edges, n_old), (inside, n_old + on_edges.n_vertices)):
                keep_true_zeros(out, base, new.p, new.q)
        largest = float(np.sqrt(max(squares))) * (1 + 1e-12) + NORM_UNDERFLOW
        return Tensor(out, error, largest_norm=largest, dyadic=dyadic, has_true_zeros=zeros)

    def __post_init__(self) -> None:
        self.values = np.ascontiguousarray(self.values)  # as the kernels want them
        if self.dyadic is not None:
            self.error = np.where(self.dyadic.rows, 0.0, self.error)

    def taken(self, rows: Array) -> Tensor:
        dyadic = None if self.dyadic is None else self.dyadic.taken(rows)
        return Tensor(self.values[rows], self.error[rows], dyadic=dyadic, has_true_zeros=self.has_true_zeros)

    def with_true_zeros(self, known_zero: Callable[[int, int], Array]) -> Tensor:
        """The output of a ReLU, changed in place: rows a to b are exactly zero where ``known_zero(a, b)``, and nowhere else."""
        n, width = self.values.shape
        step = max(1, _CHUNK_ENTRIES // max(1, width))
        for a in range(0, n, step):
            tick()
            b = min(a + step, n)
            rows = np.maximum(self.values[a:b], NOT_ZERO, out=self.values[a:b])
            rows[known_zero(a, b)] = 0.0
        return Tensor(self.values, self.error, largest_norm=self.largest_norm, has_true_zeros=True)


def keep_true_zeros(values: Array, base: int, p: Array, q: Array) -> None:
    """Between two vertices an entry is zero only if it is zero at both; ``values[base + i]`` lies between p[i] and q[i]."""
    step = max(1, _CHUNK_ENTRIES // max(1, values.shape[1]))
    for a in range(0, len(p), step):
        tick()
        part = slice(a, a + step)
        new = values[base:][part][: len(p) - a]
        new[(new == 0.0) & ((values[p[part]] != 0.0) | (values[q[part]] != 0.0))] = NOT_ZERO


@once_per_network
def feeds_maximum(network: Network) -> frozenset[int]:
    """The ReLU nodes whose outputs reach a maximum unchanged: there ties of zeros are the rule."""
    found: set[int] = set()
    pending = [i for node in network.nodes if isinstance(node.op, Fold) and node.op.is_contest for i in node.inputs]
    while pending:
        index = pending.pop()
        op = network.nodes[index].op
        if isinstance(op, Fold) and op.is_relu:
            found.add(index)
        elif op.moves_entries:
            pending.extend(network.nodes[index].inputs)
    return frozenset(found)


@dataclass(frozen=True, eq=False)
class Constants:
    gain: float
    absolute_gain: float
    gamma: float
    offset_norm: float
    row_norms: Array | None
    offset_rows: Array | float
    weights: tuple[float, float]  # the unit of the weights (0: too many bits) and the largest
    offsets: tuple[float, float]


@once_per_network
def affine_constants(network: Network, index: int) -> Constants:
    """What the error analysis needs to know of an affine node, computed once for each network."""
    node = network.nodes[index]
    op = node.op
    assert isinstance(op, Affine)
    offset = 0.0 if op.offset is None else np.broadcast_to(np.abs(op.offset), node.shape).reshape(-1)
    return Constants(
        gain=op.gain(),
        absolute_gain=op.absolute_gain(),
        gamma=0.0 if op.n_terms() == 0 else (max(op.n_terms(), len(node.inputs)) + 3) * EPS,
        offset_norm=float(np.linalg.norm(offset)),
        row_norms=None if (norms := op.row_norms(node.shape)) is None else norms + NORM_UNDERFLOW,
        offset_rows=offset,
        weights=coarse_scale(op.coefficients),
        offsets=coarse_scale(op.offset),
    )


@once_per_network
def error_growth(network: Network) -> float:
    """How many bits the bounds of rounding errors grow by on the way through a network."""
    gains = [
        affine_constants(network, index).gain
        for index, node in enumerate(network.nodes)
        if isinstance(node.op, Affine) and node.op.n_terms() > 1
    ]
    return float(np.log2(np.maximum(1.0, gains)).sum())


def _multiply_in_place(x: Array, weight: Array, bias: Array | None) -> Array:
    """Rows times a square matrix, a few at a time on all cores, into the memory of the rows."""
    step = max(256, _CHUNK_ENTRIES // x.shape[1])

    def work(start: int, stop: int) -> None:
        product = np.empty((min(step, stop - start), x.shape[1]))
        for a in range(start, stop, step):
            rows = x[a : min(a + step, stop)]
            part = np.matmul(rows, weight.T, out=product[: len(rows)])
            rows[...] = part if bias is None else np.add(part, bias, out=part)

    parallel_ranges(work, len(x), least=max(64, _PART_FLOPS // (2 * weight.size)))
    return x


_PART_FLOPS = 12_000_000  # a product below this is not worth dividing
_MOST_PARTS = 32  # so many times that at once


def linear_part(op: Affine, arrays: list[Array], n: int, shape: tuple[int, ...], coefficients: Array | None = None) -> Array:
    """The linear part of an operation at all vertices, on all cores; other coefficients may stand in for its own."""
    weights = op.coefficients if coefficients is None else coefficients
    size = int(np.prod(shape))
    least = max(1, _PART_FLOPS // max(1, 2 * op.n_terms() * size))
    if weights is None or op.n_terms() < 2 or n < 2 * least:
        return np.asarray(op.linear(arrays, weights))
    out = np.empty((n, *shape))

    def work(start: int, stop: int) -> None:
        out[start:stop] = op.linear([a[start:stop] for a in arrays], weights)

    widest = max(size, *(a[0].size for a in arrays))  # between two looks at the budget; what copies take that are made on the way
    most = max(least, min(_MOST_PARTS * least, 2 * _CHUNK_ENTRIES // widest, 65536))
    parallel_ranges(work, n, least=least, most=most)
    return out


def affine_values(network: Network, index: int, xs: list[Array]) -> Array:
    """An affine node on rows of its inputs."""
    node, n = network.nodes[index], len(xs[0])
    op = node.op
    assert isinstance(op, Affine)
    values = linear_part(op, [x.reshape(n, *network.nodes[i].shape) for x, i in zip(xs, node.inputs, strict=True)], n, node.shape)
    if op.offset is not None:
        values = np.add(values, op.offset, out=values) if op.n_terms() else values + op.offset
    return np.ascontiguousarray(values).reshape(n, -1)


def apply_affine(network: Network, index: int, xs: list[Tensor], *, consume: bool = False) -> Tensor:
    """One affine operation at all vertices; with ``consume`` nobody needs its input any more."""
    node: Node = network.nodes[index]
    op = node.op
    assert isinstance(op, Affine)
    n = len(xs[0].values)
    tick(8 * n * node.size)
    norm = sum(x.norm() for x in xs) if op.n_terms() else 0.0
    c = affine_constants(network, index)
    dyadic = after_affine(op, [x.dyadic for x in xs], [x.values for x in xs], c.weights, c.offsets)
    weight = op.dense
    if consume and weight is not None and xs[0].values.shape[1] == len(weight) == node.size and n > 256:
        values = _multiply_in_place(xs[0].values, weight, op.offset)
    else:
        values = affine_values(network, index, [x.values for x in xs])
    zeros = op.moves_entries and all(x.has_true_zeros for x in xs)
    if isinstance(op, Reshape):
        return Tensor(values, xs[0].error, xs[0].rows, dyadic=xs[0].dyadic, has_true_zeros=zeros)
    error_in = xs[0].error if len(xs) == 1 else np.sum([x.error for x in xs], axis=0)
    if c.gamma == 0.0 and c.gain == 1.0:
        # with its own copy of the error: exact values repair one tensor, not the other
        return Tensor(values, np.array(error_in), dyadic=dyadic, has_true_zeros=zeros)
    norm = norm if op.n_terms() else sum(x.norm() for x in xs)
    error = c.gain * error_in + (c.gamma * (c.absolute_gain * norm + c.offset_norm) + UNDERFLOW)
    if c.row_norms is None:
        return Tensor(values, error, dyadic=dyadic, has_true_zeros=zeros)
    floor = c.gamma * (c.row_norms * norm + c.offset_rows) + UNDERFLOW
    return Tensor(values, error, Rows(c.row_norms, np.array(error_in), floor), dyadic=dyadic)


def in_strips(rows: Array, width: int, work: Callable[[Array], Array]) -> Array:
    """What ``work`` makes of rows, ``width`` numbers each, a few at a time: what it takes on the way is small."""
    tick(8 * len(rows) * width)
    out = np.empty((len(rows), width))
    step = max(1, _CHUNK_ENTRIES // max(1, width, rows.shape[1]))
    for a in range(0, len(rows), step):
        tick()
        out[a : a + step] = work(rows[a : a + step]).reshape(-1, width)
    return out


def apply_fold(op: Fold, x: Tensor, shape: tuple[int, ...]) -> Tensor:
    """A fold at all vertices, given the shape of its input; folds are Lipschitz, so errors hardly grow."""
    if op.is_relu:
        tick(x.nbytes)
        return Tensor(np.maximum(x.values, 0.0), x.error.copy(), dyadic=x.dyadic)
    gain = op.lipschitz()
    values = in_strips(x.values, prod(op.output_shape(shape)), lambda rows: op.apply([rows.reshape(-1, *shape)]))
    error = gain * x.error
    if len(op.factors):
        error = error + EPS * gain * x.norm() + UNDERFLOW
    dyadic = x.dyadic
    if dyadic is not None and (len(op.factors) or len(op.constants)):
        scale = min(dyadic.scale * min(1.0, coarse_scale(op.factors)[0]), scale_of(op.constants))
        dyadic = fitting(scale, values, dyadic.rows)
    return Tensor(values, error, dyadic=dyadic, has_true_zeros=x.has_true_zeros and op.moves_entries)
