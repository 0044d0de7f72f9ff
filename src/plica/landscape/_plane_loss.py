"""The loss at points of a plane of weights, row by row, with what all points share computed once.

For the whole plane the first layer that moves costs three products, as W(u, v) x = W x + u D x + v E x. In dense networks the
second one follows along a whole row from where units switch (``_sweep_kernels.py``); what comes after is multiplied for each
point. Other networks are evaluated point by point.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from plica._types import Array
from plica.geometry import tick
from plica.landscape._targets import Samples
from plica.network import Affine, Fold, Network, walk

ROOM = 2**18  # numbers of one layer at all points of a row: they stay in the cache
FEW = 6  # points in a row that are not worth a sweep


class PlaneLoss:
    """The mean loss at points (u, v) of the plane through three networks."""

    def __init__(self, center: Network, ends: tuple[Network, ...], samples: Samples, dtype: Any = np.float64) -> None:
        self._center, self._samples, self._dtype = center, samples, np.dtype(dtype)
        self._numbers = [_numbers(node.op, [e.nodes[i].op for e in ends], dtype) for i, node in enumerate(center.nodes)]
        x = samples.x.reshape(len(samples.x), *center.input_shape).astype(dtype)
        self._start = next((i for i, n in enumerate(self._numbers) if n is not None and n.moves), len(center.nodes) - 1)
        self._before = walk(center, _Fixed(self._numbers), {0: x}, stop=self._start)
        op = center.nodes[self._start].op
        moving = self._numbers[self._start]
        xs = [self._before[j] for j in center.nodes[self._start].inputs]
        self._products = [] if moving is None else [op.linear(xs, c) for c in moving.coefficients]  # type: ignore[attr-defined]
        self._slopes = _dense_slopes(center, self._start)

    def row(self, u: float, v: Array) -> Array:
        """The losses at (u, v) for all v, which grow."""
        if self._slopes is None or len(v) < FEW:
            return np.array([self(u, float(t)) for t in v])
        v, n = v.astype(self._dtype), len(self._samples.x)
        layers = [own.along(u) for own in self._numbers[self._start + 1 :] if own is not None]
        after = [_at_points(layer, v) for layer in layers[1:]]
        widest = max((len(layer.offset[0]) for layer in layers), default=1)
        step = min(n, max(int(ROOM / (len(v) * widest)), 128 if len(after) > 1 else 16))  # wide products need many rows
        own = self._numbers[self._start]
        assert own is not None
        offset = own.along(u).offset
        sums = np.zeros(len(v))
        for first in range(0, n, step):
            tick(4 * ROOM * self._dtype.itemsize)
            chosen = slice(first, first + step)
            center, a, e = (p[chosen] for p in (*self._products, *[np.zeros_like(self._products[0])] * 2)[:3])
            line = (center + self._dtype.type(u) * a + offset[0], e + offset[1])
            f = _swept(line, v, layers, after, self._slopes)
            sums += _losses(f, self._samples.targets[chosen], self._samples.loss)
        return np.asarray(sums / n)

    def __call__(self, u: float, v: float) -> float:
        """The loss at one point."""
        tick()
        semantics = _AtPoint(self._numbers, (1.0, u, v), self._start, self._products)
        (f,) = walk(self._center, semantics, dict(self._before), start=self._start).values()
        return float(_losses(f.reshape(len(f), -1).T[None].copy(), self._samples.targets, self._samples.loss)[0]) / len(f)


def _swept(
    line: tuple[Array, Array], v: Array, layers: list[_Row], after: list[tuple[Array, Array]], slopes: list[Array]
) -> Array:
    """Outputs (points, outputs, samples) of a dense network along a row, from its first pre-activations there."""
    from plica.landscape._sweep_kernels import sweep

    a, e = (np.ascontiguousarray(part) for part in line)
    if not layers:
        return np.asarray((a + v[:, None, None] * e).transpose(0, 2, 1))
    slope = np.broadcast_to(slopes[0], a.shape[1:]).astype(a.dtype)
    w0, w1 = layers[0].coefficients
    active = a + v[0] * e > 0
    b, d = (np.where(active, part, slope * part) for part in (a, e))
    offset = layers[0].offset
    sums = (b @ w0 + offset[0], d @ w0 + b @ w1 + offset[1], d @ w1)
    z = np.empty((len(v), len(a), w0.shape[1]), dtype=a.dtype)
    folded = np.broadcast_to(slopes[1] if after else np.ones(()), z.shape[2:]).astype(a.dtype)
    sweep(a, e, 1 - slope, v, (w0, w1), sums, folded, z)
    for fold, (w, added) in zip(slopes[2:], after, strict=False):
        z = z @ w
        z += added
        z = np.maximum(z, 0, out=z) if not fold.any() else np.where(z > 0, z, fold.astype(a.dtype) * z)
    if not after:
        return np.ascontiguousarray(z.transpose(0, 2, 1))
    w, added = after[-1]
    z = w.transpose(0, 2, 1) @ z.transpose(0, 2, 1)
    z += added.transpose(0, 2, 1)
    return z


def _at_points(layer: _Row, v: Array) -> tuple[Array, Array]:
    """Weights (points, in, out) and offsets of a dense layer at all points of a row."""
    w, b = layer
    return w[0] + v[:, None, None] * w[1], (b[0] + v[:, None] * b[1])[:, None]


def _dense_slopes(network: Network, start: int) -> list[Array] | None:
    """The slopes of the rectifiers between dense layers, if there is nothing else from the first layer that moves."""
    nodes = network.nodes[start:]
    is_chain = all(node.inputs == (start + i - 1,) for i, node in enumerate(nodes)) and len(nodes) % 2 == 1
    if not is_chain or any(len(node.shape) != 1 for node in nodes) or any(node.op.dense is None for node in nodes[::2]):
        return None
    slopes = [getattr(node.op, "slope", None) for node in nodes[1::2]]
    return None if any(slope is None for slope in slopes) else [np.asarray(slope) for slope in slopes]


def _losses(f: Array, targets: Array, loss: str) -> Array:
    """Sums over samples of the loss at outputs (points, outputs, samples)."""
    if loss == "squared":
        return np.asarray(np.square(f - targets.T).mean(axis=1).sum(axis=1, dtype=np.float64))
    if loss == "absolute":
        return np.asarray(np.abs(f - targets.T).mean(axis=1).sum(axis=1, dtype=np.float64))
    told = f[:, targets, np.arange(len(targets))].sum(axis=1, dtype=np.float64)
    top = f.max(axis=1)
    f -= top[:, None]
    np.exp(f, out=f)
    return np.asarray((np.log(f.sum(axis=1)) + top).sum(axis=1, dtype=np.float64) - told)


class _Row(NamedTuple):
    """A dense layer on a row of the plane: what it is at v = 0 and what v adds; weights (in, out)."""

    coefficients: tuple[Array, Array]
    offset: tuple[Array, Array]


@dataclass(frozen=True, eq=False)
class _Numbers:
    """Coefficients and offsets of an operation: of the center, and what each direction adds."""

    coefficients: list[Array]
    offsets: list[Array]
    moves: bool

    def along(self, u: float) -> _Row:
        """Of a dense layer, on a row of the plane."""
        pairs = []
        for parts in (self.coefficients, self.offsets):
            center, d, e = (*parts, *[np.zeros_like(parts[0])] * 2)[:3]
            pairs.append((np.ascontiguousarray((center + center.dtype.type(u) * d).T), np.ascontiguousarray(e.T)))
        offset = tuple(np.broadcast_to(b, pairs[0][0].shape[1:]) for b in pairs[1])
        return _Row(pairs[0], (offset[0], offset[1]))


def _numbers(op: Any, others: list[Any], dtype: Any) -> _Numbers | None:
    if not isinstance(op, Affine) or op.coefficients is None:
        return None
    zero = np.zeros((), dtype=dtype)
    ops: list[Affine] = [op, *others]
    matrices = [np.asarray(o.coefficients) for o in ops]
    offsets = [zero if o.offset is None else np.asarray(o.offset) for o in ops]
    parts = [[group[0], *(g - group[0] for g in group[1:])] for group in (matrices, offsets)]
    return _Numbers(
        [p.astype(dtype) for p in parts[0]],
        [np.asarray(p, dtype=dtype) for p in parts[1]],
        any(bool(p.any()) for group in parts for p in group[1:]),
    )


class _Fixed:
    """A semantics: values at the center, in the wanted precision."""

    def __init__(self, numbers: list[_Numbers | None]) -> None:
        self._numbers = numbers

    def affine(self, index: int, op: Affine, xs: list[Array]) -> Array:
        own = self._numbers[index]
        return op.apply(xs) if own is None else np.asarray(op.linear(xs, own.coefficients[0]) + own.offsets[0])

    def fold(self, index: int, op: Fold, x: Array, layer: int) -> Array:
        return op.apply([x]).astype(x.dtype, copy=False)


class _AtPoint(_Fixed):
    """A semantics: values at one point of the plane."""

    def __init__(self, numbers: list[_Numbers | None], weights: tuple[float, ...], start: int, products: list[Array]) -> None:
        super().__init__(numbers)
        self._weights, self._start, self._products = weights, start, products

    def affine(self, index: int, op: Affine, xs: list[Array]) -> Array:
        own = self._numbers[index]
        if own is None or not own.moves:
            return super().affine(index, op, xs)
        offset = self._mix(own.offsets)
        if index == self._start:
            return np.asarray(self._mix(self._products) + offset)
        return np.asarray(op.linear(xs, self._mix(own.coefficients)) + offset)

    def _mix(self, parts: list[Array]) -> Array:
        mixed = parts[0]
        for w, part in zip(self._weights[1:], parts[1:], strict=False):
            if w:
                mixed = mixed + part.dtype.type(w) * part
        return mixed
