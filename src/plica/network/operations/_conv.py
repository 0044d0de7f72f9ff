"""Convolutions."""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import cos, gcd, pi, prod, sqrt
from typing import Any, ClassVar

import numpy as np

from plica._types import Array
from plica.errors import InvalidNetwork
from plica.network.operations._affine import Affine, looked_product, padded, sparse_matrix
from plica.network.operations._linear import norms_by_powers, spectral_norm_bound
from plica.network.operations._op import Shape, Stored, all_different, numbered_rows

_CACHED_ENTRIES = 2**19  # unfolded windows kept at a time, 4 MiB
_FEW_CHANNELS = 64  # up to which the norm of a convolution is looked for frequency by frequency
_POINTS_PER_TAP = 6
_MOST_PATCHES = 20_000_000  # entries of the table of what every output sees


@dataclass(frozen=True, eq=False)
class Conv(Affine):
    """Convolution in one or two dimensions (cross-correlation, as in torch); weight is (out, in / groups, *kernel)."""

    kind: ClassVar[str] = "conv"
    stored: ClassVar[dict[str, Stored]] = {
        "weight": Stored.FLOATS,
        "bias": Stored.OPTIONAL_FLOATS,
        "stride": Stored.POSITIVES,
        "padding": Stored.PAIRS,
        "dilation": Stored.POSITIVES,
        "groups": Stored.POSITIVE,
    }
    weight: Array
    bias: Array | None = None
    stride: Shape = ()
    padding: tuple[tuple[int, int], ...] = ()
    dilation: Shape = ()
    groups: int = 1

    @property
    def n_spatial(self) -> int:
        return self.weight.ndim - 2

    def output_shape(self, *shapes: Shape) -> Shape:
        (shape,) = shapes
        n = self.n_spatial
        if (
            n not in (1, 2)
            or not n == len(self.stride) == len(self.padding) == len(self.dilation)
            or len(self.weight) % self.groups
            or (self.bias is not None and self.bias.shape != (len(self.weight),))
        ):
            raise InvalidNetwork(
                f"a convolution has a weight of shape {self.weight.shape} that does not fit the rest.",
                hint="weight (out, in / groups, *kernel), bias (out,), a stride, padding and dilation for each axis",
            )
        if len(shape) != n + 1 or shape[0] != self.weight.shape[1] * self.groups:
            raise InvalidNetwork(
                f"a {n}-D convolution with {self.weight.shape[1] * self.groups} input channels got a tensor of shape {shape}.",
                hint=f"expected (channels, {', '.join(['length'] * n)})",
            )
        sizes = []
        for i in range(n):
            low, high = self.padding[i]
            span = self.dilation[i] * (self.weight.shape[2 + i] - 1) + 1
            size = (shape[1 + i] + low + high - span) // self.stride[i] + 1
            if size < 1:
                raise InvalidNetwork(
                    f"a convolution with kernel span {span} does not fit an axis of length {shape[1 + i]}.",
                    hint="use a larger input or more padding",
                )
            sizes.append(size)
        return (self.weight.shape[0], *sizes)

    @property
    def coefficients(self) -> Array:
        return self.weight

    @property
    def offset(self) -> Array | None:
        return None if self.bias is None else self.bias.reshape(-1, *[1] * self.n_spatial)

    def with_numbers(self, coefficients: Array, offset: Array | None) -> Conv:
        return replace(self, weight=coefficients, bias=None if offset is None else offset.reshape(-1))

    def windows(self, x: Array) -> Array:
        """What each output sees: a view with axes (batch, groups, in / groups, *kernel, *positions)."""
        n, g = self.n_spatial, self.groups
        x = padded(x, ((0, 0), *self.padding))
        spans = [d * (k - 1) + 1 for d, k in zip(self.dilation, self.weight.shape[2:], strict=True)]
        windows = np.lib.stride_tricks.sliding_window_view(x, spans, axis=tuple(range(2, 2 + n)))
        pick = (slice(None), slice(None), *[slice(None, None, s) for s in self.stride])
        windows = windows[(*pick, *[slice(None, None, d) for d in self.dilation])]
        windows = windows.reshape(len(x), g, x.shape[1] // g, *windows.shape[2:])
        return windows.transpose(0, 1, 2, *range(3 + n, 3 + 2 * n), *range(3, 3 + n))

    def linear(self, xs: list[Array], coefficients: Array | None) -> Array:
        """Unfold the windows of a few items at a time, so that they stay in the cache, and multiply."""
        assert coefficients is not None
        (x,), g = xs, self.groups
        out_shape = (len(coefficients), *self.output_shape(x.shape[1:])[1:])
        windows = self.windows(x)
        kernels = coefficients.reshape(g, coefficients.shape[0] // g, -1)
        n_positions = prod(out_shape[1:])
        y = np.empty((len(x), g, kernels.shape[1], n_positions), dtype=np.result_type(x, kernels))
        step = max(1, _CACHED_ENTRIES // (x.shape[1] * prod(coefficients.shape[2:]) * n_positions))
        for a in range(0, len(x), step):
            part = windows[a : a + step]
            y[a : a + step] = looked_product(kernels, part.reshape(len(part), g, -1, n_positions))
        return y.reshape(len(x), *out_shape)

    def stacks(self, shape: Shape) -> bool:
        return self.groups == 1

    def transpose(self, g: Array, shapes: list[Shape], coefficients: Array | None = None) -> list[Array]:
        """Each tap of the kernel sends its products back to where it read."""
        (shape,), groups = shapes, self.groups
        stored = self.weight if coefficients is None else coefficients
        room = [size + low + high for size, (low, high) in zip(shape[1:], self.padding, strict=True)]
        out = np.zeros((groups, shape[0] // groups, *room), np.result_type(g, stored))
        grouped = g.reshape(groups, -1, *g.shape[1:])
        weight = stored.reshape(groups, -1, *stored.shape[1:])
        for tap in np.ndindex(*self.weight.shape[2:]):
            to = tuple(
                slice(d * t, d * t + s * (size - 1) + 1, s)
                for t, d, s, size in zip(tap, self.dilation, self.stride, g.shape[1:], strict=True)
            )
            kernel = weight[(slice(None), slice(None), slice(None), *tap)]
            sent = kernel.transpose(0, 2, 1) @ grouped.reshape(groups, grouped.shape[1], -1)
            out[(slice(None), slice(None), *to)] += sent.reshape(groups, -1, *g.shape[1:])
        inner = tuple(slice(low, low + size) for size, (low, _) in zip(shape[1:], self.padding, strict=True))
        return [out.reshape(shape[0], *room)[(slice(None), *inner)]]

    def matrix(self, shape: Shape) -> Any:
        out_shape = self.output_shape(shape)
        size, n_positions = prod(out_shape), prod(out_shape[1:])
        seen = self.windows(np.arange(1, prod(shape) + 1).reshape(1, *shape)).reshape(self.groups, 1, -1, n_positions)
        weight = self.weight.reshape(self.groups, -1, seen.shape[2], 1)
        rows = np.arange(size).reshape(self.groups, -1, 1, n_positions)
        return sparse_matrix(rows, seen, weight, (size, prod(shape)))

    def gathered(self, shape: Shape) -> tuple[Array, Array] | None:
        if self.groups != 1:
            return None
        n_positions = prod(self.output_shape(shape)[1:])
        seen = self.windows(np.arange(1, prod(shape) + 1).reshape(1, *shape)).reshape(-1, n_positions)
        return self.weight.reshape(len(self.weight), -1), np.ascontiguousarray(seen.T.astype(np.int32) - 1)

    def equal_entries(self, numbers: list[Array], shape: Shape) -> Array:
        n_positions, per_group = prod(shape[1:]), len(self.weight) // self.groups
        if n_positions * self.n_terms() * self.groups > _MOST_PATCHES:
            return all_different(shape)
        seen = self.windows(numbers[0][None]).reshape(self.groups, -1, n_positions)
        patch = np.stack([numbered_rows(seen[g].T) for g in range(self.groups)])  # (groups, positions)
        channel = np.arange(len(self.weight))[:, None] * (n_positions + 1)
        return (channel + np.repeat(patch, per_group, axis=0) + 1).reshape(shape)

    def gain(self) -> float:
        """The least of four bounds.

        y is a matrix times the windows of x, whose squares add up to those of x as often as an entry is in a window; the
        transpose is, in the same way, a matrix times shifted copies of y (Singla and Feizi, ICLR 2021). With few channels the
        norm of the convolution without borders is known well, and zeros around x or a stride only leave something out.
        """
        kernels = self.weight.reshape(self.groups, -1, *self.weight.shape[1:])
        unfolded = [kernels.reshape(*kernels.shape[:2], -1), kernels.swapaxes(1, 2).reshape(self.groups, kernels.shape[2], -1)]
        seen = prod(-(-k // (s // gcd(s, d))) for k, s, d in zip(self.weight.shape[2:], self.stride, self.dilation, strict=True))
        taps = prod(self.weight.shape[2:])
        norms = [max(spectral_norm_bound(block) for block in blocks) for blocks in unfolded]
        bounds = [sqrt(seen) * norms[0], sqrt(taps) * norms[1]]
        if min(kernels.shape[1:3]) <= _FEW_CHANNELS:
            bounds.append(max(symbol_norm_bound(block) for block in kernels))
        return min(self.absolute_gain(), *(b * (1 + 1e-6) for b in bounds))

    def absolute_gain(self) -> float:
        # ||A||^2 <= ||A||_1 ||A||_inf; a column of A holds, for one input channel, at most the kernel of each output
        a = np.abs(self.weight)
        rows = a.reshape(a.shape[0], -1).sum(1).max()
        per_group = a.reshape(self.groups, -1, *a.shape[1:])
        columns = per_group.sum(axis=(1, *range(3, a.ndim + 1))).max()
        return float(np.sqrt(rows * columns)) * (1 + 1e-6)

    def n_terms(self) -> int:
        return prod(self.weight.shape[1:])

    def row_norms(self, shape: Shape) -> Array:
        norms = np.sqrt((self.weight**2).reshape(len(self.weight), -1).sum(1)) * (1 + 1e-6)
        return np.broadcast_to(norms.reshape(-1, *[1] * self.n_spatial), shape).reshape(-1)


def symbol_norm_bound(kernel: Array) -> float:
    r"""An upper bound of the norm of a convolution on a grid without borders; the kernel is (out, in, \*taps).

    Waves are multiplied by the matrices :math:`F(\theta) = \sum_t W_t e^{i t \theta}` (Sedghi, Gupta, Long, ICLR 2019), so the
    norm is the largest of theirs. Entries are trigonometric polynomials of degree m, up to a shift; these are nowhere larger
    than on n points of a circle by more than :math:`1 / \cos(\pi m / n)` (Ehlich and Zeller, Math. Z. 86, 1964).

    Examples
    --------
    >>> 4 <= symbol_norm_bound(np.array([[[1.0, 2.0, 1.0]]])) < 4.1
    True
    """
    taps = kernel.shape[2:]
    n_points = [_POINTS_PER_TAP * k for k in taps]
    symbol = np.fft.rfftn(kernel, s=n_points, axes=tuple(range(2, kernel.ndim))).reshape(*kernel.shape[:2], -1)
    matrices = np.ascontiguousarray(np.moveaxis(symbol, 2, 0))
    if matrices.shape[1] > matrices.shape[2]:
        matrices = np.ascontiguousarray(matrices.swapaxes(1, 2))
    conjugates = np.ascontiguousarray(matrices.conj().swapaxes(1, 2))
    largest = float(norms_by_powers(matrices @ conjugates, 5).max())
    return sqrt(largest) * prod(1 / cos(pi * (k // 2) / n) for k, n in zip(taps, n_points, strict=True))
