"""The loss at points of a plane of weights, row by row, with what all points share computed once.

For the whole plane the first layer that moves costs three products, as W(u, v) x = W x + u D x + v E x. In dense networks the
second one follows along a whole row from where units switch (``_sweep_kernels.py``); what comes after is multiplied for each
point. Other networks are evaluated point by point (``_plane_points.py``).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from plica._types import Array
from plica.geometry import tick
from plica.landscape._plane_numbers import Numbers, Row
from plica.landscape._plane_points import Fixed, Points
from plica.landscape._targets import Samples
from plica.network import Network, walk

ROOM = 2**18  # numbers of one layer at all points of a row: they stay in the cache
MANY = 256  # samples at least, where matrices are multiplied at each point
FEW = 6  # points in a row that are not worth a sweep
SMALL = 2048  # weights of a last layer that is multiplied at each point instead: there is little to save


class PlaneLoss:
    """The mean loss at points (u, v) of the plane through three networks."""

    def __init__(self, center: Network, ends: tuple[Network, ...], samples: Samples, dtype: Any = np.float64) -> None:
        self._samples, self._dtype = samples, np.dtype(dtype)
        self._numbers = [Numbers.of(node.op, [e.nodes[i].op for e in ends], dtype) for i, node in enumerate(center.nodes)]
        x = samples.x.reshape(len(samples.x), *center.input_shape).astype(dtype)
        self._start = next((i for i, n in enumerate(self._numbers) if n is not None and n.moves), len(center.nodes) - 1)
        before = walk(center, Fixed(self._numbers), {0: x}, stop=self._start)
        self._points = Points(center, self._numbers, self._start, before)
        self._slopes = _dense_slopes(center, self._start)

    def row(self, u: float, v: Array) -> Array:
        """The losses at (u, v) for all v, which grow."""
        sums, n = np.zeros(len(v)), len(self._samples.x)
        if self._slopes is None or len(v) < FEW:
            self._points.row(u, v, lambda k, chosen, f: self._add(sums[k : k + 1], chosen, f.T[None].copy()))
            return np.asarray(sums / n)
        v = v.astype(self._dtype)
        layers = [own.along(u) for own in self._numbers[self._start + 1 :] if own is not None]
        widest = max((len(layer.offset[0]) for layer in layers), default=1)
        step = min(n, max(int(ROOM / (len(v) * widest)), MANY if len(layers) > 2 else 16))
        base, slope = self._points.first_layer(u)
        is_small = len(layers) == 1 and layers[0].coefficients[0].size <= SMALL
        if is_small:
            step = min(n, max(16, ROOM // (len(v) * base.shape[2])))
        last = _at_points(layers[-1], v) if len(layers) > 1 or is_small else None
        for first in range(0, n, step):
            tick(4 * ROOM * self._dtype.itemsize)
            chosen = slice(first, first + step)
            line = base[0, chosen], slope[0, chosen]
            if is_small and last is not None:
                self._add(sums, chosen, _small(line, v, last, self._slopes[0]))
            else:
                self._add(sums, chosen, _swept(line, v, layers, last, self._slopes))
        return np.asarray(sums / n)

    def _add(self, sums: Array, chosen: slice, f: Array) -> None:
        sums += _losses(f, self._samples.targets[chosen], self._samples.loss)

    def __call__(self, u: float, v: float) -> float:
        """The loss at one point."""
        return float(self.row(u, np.array([v]))[0])


def _swept(
    line: tuple[Array, Array], v: Array, layers: list[Row], last: tuple[Array, Array] | None, slopes: list[Array]
) -> Array:
    """Outputs (points, outputs, samples) of a dense network along a row, from its first pre-activations there.

    ``last`` are weights and offsets of the last layer at all points, if there are three layers or more.
    """
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
    folded = np.broadcast_to(slopes[1] if last else np.ones(()), z.shape[2:]).astype(a.dtype)
    sweep(a, e, 1 - slope, v, (w0, w1), sums, folded, z)
    if last is None:
        return np.ascontiguousarray(z.transpose(0, 2, 1))
    w, added = last
    if len(layers) == 2:
        f = w @ z.transpose(0, 2, 1)
    else:
        f = np.empty((len(v), w.shape[1], len(a)), dtype=a.dtype)
        room = [np.empty((len(a), len(layer.offset[0])), dtype=a.dtype) for layer in layers[1:-1]]
        for k, t in enumerate(v):
            h = z[k]
            for layer, fold, there in zip(layers[1:-1], slopes[2:], room, strict=True):
                h = _multiplied(h, layer.at(t), fold, there)
            np.matmul(w[k], h.T, out=f[k])
    f += added
    return np.asarray(f)


def _small(line: tuple[Array, Array], v: Array, last: tuple[Array, Array], slope: Array) -> Array:
    """Outputs (points, outputs, samples) of two dense layers, the second multiplied at each point."""
    from plica.landscape._sweep_kernels import rectified

    a, e = (np.ascontiguousarray(part.T) for part in line)
    h = np.empty((len(v), *a.shape), dtype=a.dtype)
    rectified(a, e, np.broadcast_to(slope, len(a)).astype(a.dtype), v, h)
    f = last[0] @ h
    f += last[1]
    return np.asarray(f)


def _multiplied(x: Array, layer: tuple[Array, Array], slope: Array, out: Array) -> Array:
    """A dense layer and its rectifiers, into an array that is there."""
    np.matmul(x, layer[0], out=out)
    out += layer[1]
    if slope.any():
        np.copyto(out, slope.astype(out.dtype) * out, where=out <= 0)
    else:
        np.maximum(out, 0, out=out)
    return out


def _at_points(layer: Row, v: Array) -> tuple[Array, Array]:
    """Weights (points, out, in) and offsets (points, out, 1) of a dense layer at all points of a row."""
    (w0, w1), (b0, b1) = layer
    return np.ascontiguousarray((w0 + v[:, None, None] * w1).transpose(0, 2, 1)), (b0 + v[:, None] * b1)[:, :, None]


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
