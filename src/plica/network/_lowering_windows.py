"""Pooling: windows along the spatial axes, as torch and ONNX count them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import prod

import numpy as np

from plica._types import Array
from plica.network._lowering import CannotLower, Lowering, Wire
from plica.network._lowering_arithmetic import max_groups, scale
from plica.network.operations import WindowSum


@dataclass(frozen=True)
class Windows:
    """Windows over one axis of length n; ``start`` may lie in the padding before it."""

    n: int
    kernel: int
    stride: int
    before: int = 0
    after: int = 0
    dilation: int = 1
    ceil: bool = False

    @property
    def n_windows(self) -> int:
        if min(self.n, self.kernel, self.stride, self.dilation) < 1 or min(self.before, self.after) < 0:
            raise CannotLower(f"a window of {self.kernel} with stride {self.stride} does not fit an axis of length {self.n}")
        span = self.dilation * (self.kernel - 1) + 1
        if max(self.before, self.after) >= span:
            raise CannotLower(f"a window of {self.kernel} is padded by {max(self.before, self.after)}: it may see padding only")
        room = self.n + self.before + self.after - span
        count = (-(-room // self.stride) if self.ceil else room // self.stride) + 1
        if self.ceil and (count - 1) * self.stride >= self.n + self.before:
            count -= 1  # the last window must start inside the input or the padding before it
        if count < 1:
            raise CannotLower(f"a window of {span} does not fit an axis of length {self.n}")
        return count

    @property
    def starts(self) -> list[int]:
        return [i * self.stride - self.before for i in range(self.n_windows)]

    def clipped(self) -> tuple[tuple[int, ...], tuple[int, ...]]:
        """Starts and stops inside the axis."""
        starts = self.starts
        return tuple(max(s, 0) for s in starts), tuple(min(s + self.kernel, self.n) for s in starts)

    def counts(self, include_padding: bool) -> Array:
        """Number of entries each window divides by."""
        if include_padding:
            return np.array([min(s + self.kernel, self.n + self.after) - s for s in self.starts], dtype=np.float64)
        starts, stops = self.clipped()
        return np.subtract(stops, starts).astype(np.float64)

    def members(self) -> Array:
        """Indices of each window's entries along the axis, -1 in the padding."""
        places = np.array(self.starts)[:, None] + self.dilation * np.arange(self.kernel)
        return np.where((places < 0) | (places >= self.n), -1, places)


def adaptive(n: int, n_out: int) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Starts and stops of adaptive pooling: floor(i n / m) and ceil((i + 1) n / m)."""
    if n_out < 1:
        raise CannotLower(f"it asks for {n_out} windows")
    return tuple(i * n // n_out for i in range(n_out)), tuple(-(-(i + 1) * n // n_out) for i in range(n_out))


def spatial(x: Wire, n_axes: int) -> tuple[int, ...]:
    """The sizes of the last axes that pooling acts on."""
    if len(x.shape) != n_axes + 1:
        raise CannotLower(f"pooling over {n_axes} axes needs (batch, channels, {'length, ' * n_axes}), got {('batch', *x.shape)}")
    return x.shape[1:]


def average_pool(
    low: Lowering, x: Wire, windows: Sequence[Windows], *, include_padding: bool, divisor: float | None = None
) -> Wire:
    low.reserve((8, sum(w.n_windows for w in windows)))  # Python integers: eight times an entry for each window
    ranges = [w.clipped() for w in windows]
    y = window_sums(low, x, ranges)
    if divisor is not None:
        return scale(low, y, 1.0 / divisor)
    return _divide(low, y, [w.counts(include_padding) for w in windows])


def adaptive_average_pool(low: Lowering, x: Wire, sizes: Sequence[int]) -> Wire:
    ranges = [adaptive(n, m) for n, m in zip(spatial(x, len(sizes)), sizes, strict=True)]
    return _divide(low, window_sums(low, x, ranges), [np.subtract(b, a).astype(np.float64) for a, b in ranges])


def window_sums(low: Lowering, x: Wire, ranges: Sequence[tuple[tuple[int, ...], tuple[int, ...]]]) -> Wire:
    for axis, (starts, stops) in enumerate(ranges, start=1):
        if starts != tuple(range(x.shape[axis])) or stops != tuple(range(1, x.shape[axis] + 1)):
            x = low.add_op(WindowSum(axis, starts, stops), x, part=f"sum{axis}")
    return x


def _divide(low: Lowering, x: Wire, counts: Sequence[Array]) -> Wire:
    table = np.ones(())
    for c in counts:
        table = table[..., None] * c
    return scale(low, x, 1.0 / table.flat[0] if (table == table.flat[0]).all() else 1.0 / table)


def max_pool(low: Lowering, x: Wire, windows: Sequence[Windows]) -> Wire:
    low.reserve((x.shape[0], *(w.n_windows for w in windows), prod(w.kernel for w in windows)), keep=False)
    if prod(w.kernel for w in windows) == 1:
        for axis, w in enumerate(windows, start=2):
            x = low.take(x, axis, np.array(w.starts))
        return x
    return max_groups(low, x, _groups(x, [w.members() for w in windows]))


def adaptive_max_pool(low: Lowering, x: Wire, sizes: Sequence[int]) -> Wire:
    members = []
    for n, m in zip(spatial(x, len(sizes)), sizes, strict=True):
        starts, stops = (np.array(a)[:, None] for a in adaptive(n, m))
        places = starts + np.arange(int((stops - starts).max()))
        members.append(np.where(places < stops, places, -1))
    return max_groups(low, x, _groups(x, members))


def _groups(x: Wire, members: Sequence[Array]) -> Array:
    """Flat indices (channels, *positions, members) of windows that are products of windows along the axes."""
    flat = np.arange(x.shape[0]).reshape(-1, *[1] * (2 * len(members)))
    absent = np.zeros((1,) * flat.ndim, dtype=bool)
    k = len(members)
    for axis, m in enumerate(members):
        shape = [1] * flat.ndim
        shape[1 + axis], shape[1 + k + axis] = m.shape
        flat = flat * x.shape[1 + axis] + m.reshape(shape)
        absent = absent | (m < 0).reshape(shape)
    flat = np.where(absent, -1, flat)
    flat = flat.reshape(*flat.shape[: 1 + k], -1)
    order = np.argsort(flat < 0, axis=-1, kind="stable")  # absent members last
    return np.take_along_axis(flat, order, axis=-1)
