"""The loss at points of a plane of weights, one point after the other, for networks of any operations.

The first layer that moves is known from three products, as W(u, v) x = W x + u D x + v E x, and its ReLUs and maxima follow
without anything in between (``enter`` in ``_sweep_kernels.py``): members of a maximum lie in arrays of their own. What comes
after is computed for some samples at a time, which stay in the cache; convolutions by torch.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple, cast

import numpy as np

from plica._types import Array
from plica.geometry import tick
from plica.landscape._plane_numbers import Numbers, on_row
from plica.network import Affine, Conv, Fold, Network, walk

ROOM = 2**18  # numbers of the first layer at some samples: they stay in the cache
WEIGHTS = 2**23  # numbers of networks at some points of a row that are held at once


class _Entry(NamedTuple):
    """What follows the first layer that moves at once: ``last`` is the node up to which it is known from the products.

    ``members`` are indices (members, groups) into the flattened layer, if a maximum follows.
    """

    last: int
    members: Array | None
    is_rectified: bool


class Points:
    """Networks at points of a plane, from what comes before the first layer that moves and the products of that layer."""

    def __init__(self, center: Network, numbers: list[Numbers | None], start: int, before: dict[int, Array]) -> None:
        self._center, self._numbers, self._start = center, numbers, start
        node, own = center.nodes[start], numbers[start]
        self._entry = _entry(center, start)
        xs = [before[j] for j in node.inputs]
        if own is None:  # nothing moves
            products = [Fixed(numbers).affine(start, node.op, xs)]  # type: ignore[arg-type]
        else:
            parts = zip(own.coefficients, own.offsets, strict=True)
            products = [node.op.linear(xs, c) + o for c, o in parts]  # type: ignore[attr-defined]
        self._before = {i: x for i, x in before.items() if center.last_uses[i] > self._entry.last}
        self._products = [self._by_members(p) for p in products]
        self.n_samples = self._products[0].shape[1]
        self._convolve = torch_convolution() if any(isinstance(n.op, Conv) for n in center.nodes[start + 1 :]) else None

    def _by_members(self, product: Array) -> Array:
        """A product as (members, samples, groups)."""
        flat, members = product.reshape(len(product), -1), self._entry.members
        if members is None:
            return np.ascontiguousarray(flat)[None]
        return np.stack([flat[:, taken] for taken in members])

    def first_layer(self, u: float) -> tuple[Array, Array]:
        """The first layer that moves at (u, 0), and what v adds: arrays (members, samples, groups)."""
        return on_row(self._products, u)

    def row(self, u: float, v: Array, add: Callable[[int, slice, Array], None]) -> None:
        """Tell the outputs of some samples at each point (u, v): ``add(number of the point, samples, outputs)``."""
        base, slope = self.first_layer(u)
        n_moving = sum(own.size for own in self._numbers[self._start + 1 :] if own is not None and own.moves)
        together = max(1, WEIGHTS // max(1, n_moving))
        step = max(1, ROOM // (base.shape[0] * base.shape[2]))
        for first in range(0, len(v), together):
            here = [_at_point(self._numbers, self._start, u, float(t)) for t in v[first : first + together]]
            for begin in range(0, self.n_samples, step):
                chosen = slice(begin, min(begin + step, self.n_samples))
                part = [np.ascontiguousarray(p[:, chosen]).reshape(len(p), -1) for p in (base, slope)]
                for k, numbers in enumerate(here, first):
                    add(k, chosen, self._outputs(part, base.dtype.type(v[k]), numbers, chosen))

    def _outputs(self, part: list[Array], v: Any, numbers: list[Any], chosen: slice) -> Array:
        from plica.landscape._sweep_kernels import enter

        tick()
        entered = np.empty_like(part[0][0])
        enter(part[0], part[1], v, self._entry.is_rectified, entered)
        last = self._entry.last
        values = {i: x[chosen] for i, x in self._before.items()}
        values[last] = entered.reshape(-1, *self._center.nodes[last].shape)
        (f,) = walk(self._center, _AtPoint(numbers, self._convolve), values, start=last + 1).values()
        return np.asarray(f.reshape(len(f), -1))


class Fixed:
    """A semantics: values at the center, in the wanted precision."""

    def __init__(self, numbers: list[Numbers | None]) -> None:
        self._numbers = numbers

    def affine(self, index: int, op: Affine, xs: list[Array]) -> Array:
        own = self._numbers[index]
        return op.apply(xs) if own is None else np.asarray(op.linear(xs, own.coefficients[0]) + own.offsets[0])

    def fold(self, index: int, op: Fold, x: Array, layer: int) -> Array:
        return _folded(op, x)


class _AtPoint:
    """A semantics: values at one point of the plane, by coefficients and offsets."""

    def __init__(self, numbers: list[tuple[Array, Array] | None], convolve: Callable[..., Array] | None) -> None:
        self._numbers, self._convolve = numbers, convolve

    def affine(self, index: int, op: Affine, xs: list[Array]) -> Array:
        own = self._numbers[index]
        if own is None:
            return op.apply(xs)
        w, b = own
        if isinstance(op, Conv) and op.n_spatial == 2 and self._convolve is not None:
            return self._convolve(op, xs[0], w, b)
        return np.asarray(op.linear(xs, w) + b)

    def fold(self, index: int, op: Fold, x: Array, layer: int) -> Array:
        return _folded(op, x)


def _folded(op: Fold, x: Array) -> Array:
    return np.maximum(x, 0) if op.is_relu else op.apply([x]).astype(x.dtype, copy=False)


def _at_point(numbers: list[Numbers | None], start: int, u: float, v: float) -> list[tuple[Array, Array] | None]:
    """Coefficients and offsets behind the first layer that moves."""
    return [None if own is None or i <= start else own.at(u, v) for i, own in enumerate(numbers)]


def _entry(network: Network, start: int) -> _Entry:
    """The ReLU and the maximum right behind a node, in any order, each read by the next one alone."""
    readers = [0] * len(network.nodes)
    for node in network.nodes:
        for j in node.inputs:
            readers[j] += 1
    last, members, is_rectified = start, None, False
    while last + 1 < len(network.nodes) and readers[last] == 1 and network.nodes[last + 1].inputs == (last,):
        op: Any = network.nodes[last + 1].op
        if op.is_relu and not is_rectified:
            is_rectified = True
        elif isinstance(op, Fold) and op.is_contest and members is None:
            members = cast(Any, op).entries.T
        else:
            break
        last += 1
    return _Entry(last, members, is_rectified)


def torch_convolution() -> Callable[..., Array]:
    """Convolutions by torch, which take a third of the time."""
    import torch
    from torch.nn import functional

    def convolve(op: Conv, x: Array, weight: Array, offset: Array) -> Array:
        padding = [low for low, _ in op.padding]
        tensor = torch.from_numpy(np.ascontiguousarray(x))
        if any(low != high for low, high in op.padding):
            sides = [side for pair in reversed(op.padding) for side in pair]
            tensor, padding = functional.pad(tensor, sides), [0] * len(padding)
        bias = torch.from_numpy(np.broadcast_to(offset.reshape(-1), (len(weight),)).copy())
        how: dict[str, Any] = {"stride": op.stride, "padding": padding, "dilation": op.dilation, "groups": op.groups}
        with torch.no_grad():
            return np.asarray(functional.conv2d(tensor, torch.from_numpy(np.ascontiguousarray(weight)), bias, **how).numpy())

    return convolve
