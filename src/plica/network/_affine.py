"""The affine operations of a network that have weights, and what all operations share.

Every operation acts on arrays with a leading batch axis. The affine ones are written so that the same code runs on
float64 arrays and on object arrays of Python integers or fractions: ``linear(xs, coefficients)`` uses only ``+``, ``*``,
``@`` and indexing. This is how the exact fallback evaluates the very network that floating point evaluates.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import prod
from typing import Any, ClassVar

import numpy as np

from plica._types import Array
from plica.errors import InvalidNetwork

Shape = tuple[int, ...]
_CACHED_ENTRIES = 2**17  # unfolded windows kept at a time, 1 MiB


@dataclass(frozen=True, eq=False)
class Op:
    """One operation of a network."""

    kind: ClassVar[str] = "op"
    n_inputs: ClassVar[int | None] = 1

    def output_shape(self, *shapes: Shape) -> Shape:
        """Shape of the output, without the batch axis; raises :class:`InvalidNetwork` if the inputs don't fit."""
        return shapes[0]

    def arrays(self) -> dict[str, Array]:
        """The stored numbers, by field name."""
        return {}

    def settings(self) -> dict[str, Any]:
        """Everything else that defines the operation, as plain JSON values."""
        return {}


@dataclass(frozen=True, eq=False)
class Input(Op):
    """The input of the network."""

    kind: ClassVar[str] = "input"
    n_inputs: ClassVar[int | None] = 0
    shape: Shape

    def output_shape(self, *shapes: Shape) -> Shape:
        return self.shape

    def settings(self) -> dict[str, Any]:
        return {"shape": list(self.shape)}


@dataclass(frozen=True, eq=False)
class Affine(Op):
    """y = A x + c. ``coefficients`` are the stored numbers of A, ``offset`` is c (broadcast over the batch)."""

    @property
    def coefficients(self) -> Array | None:
        return None

    @property
    def offset(self) -> Array | None:
        return None

    def linear(self, xs: list[Array], coefficients: Array | None) -> Array:
        """A x for a batch, with the given coefficients in the place of the stored ones."""
        raise NotImplementedError

    def apply(self, xs: list[Array]) -> Array:
        y = self.linear(xs, self.coefficients)
        return y if self.offset is None else y + self.offset

    # Bounds used by the error analysis of the engine; all rigorous upper bounds.
    def gain(self) -> float:
        """An upper bound of the operator norm of A."""
        return 1.0

    def absolute_gain(self) -> float:
        """An upper bound of the operator norm of |A| (entrywise absolute values)."""
        return self.gain()

    def n_terms(self) -> int:
        """The largest number of products summed for one output."""
        return 0

    def row_norms(self, shape: Shape) -> Array | None:
        """Upper bounds of the 2-norm of each row of A, flattened over the output ``shape``; None if unknown."""
        return None


def padded(x: Array, padding: Sequence[tuple[int, int]]) -> Array:
    """Zeros around each item of a batch, of the array's own kind (``np.pad`` puts fixed-size integers into object arrays)."""
    if not any(a or b for a, b in padding):
        return x
    out = np.zeros((len(x), *(n + a + b for n, (a, b) in zip(x.shape[1:], padding, strict=True))), dtype=x.dtype)
    out[(slice(None), *(slice(a, a + n) for n, (a, _) in zip(x.shape[1:], padding, strict=True)))] = x
    return out


def spectral_norm_bound(matrix: Array) -> float:
    """An upper bound of the largest singular value, within about 20 % of it for matrices up to a few thousand.

    With G = A A^T (or A^T A, the smaller): ||A||^2 = ||G|| and ||G||^8 = ||G^8|| <= ||G^8||_inf.
    """
    a = np.abs(matrix)
    scale = float(a.max(initial=0.0))
    if scale == 0.0:
        return 0.0
    a = matrix / scale
    crude = min(float(np.sqrt((a * a).sum())), float(np.sqrt(np.abs(a).sum(0).max() * np.abs(a).sum(1).max())))
    g = a @ a.T if a.shape[0] <= a.shape[1] else a.T @ a
    if len(g) <= 2048:
        exponent, log_norm = 1, 0.0
        for _ in range(3):
            top = float(np.abs(g).sum(1).max())
            log_norm, exponent = 2 * (log_norm + np.log(top)), 2 * exponent
            g = (g / top) @ (g / top)
        log_norm += np.log(float(np.abs(g).sum(1).max()))
        crude = min(crude, float(np.exp(log_norm / (2 * exponent))))
    return crude * scale * (1 + 1e-6)


@dataclass(frozen=True, eq=False)
class Linear(Affine):
    """y = W x + b on the last axis."""

    kind: ClassVar[str] = "linear"
    weight: Array
    bias: Array | None = None

    def output_shape(self, *shapes: Shape) -> Shape:
        (shape,) = shapes
        if not shape or shape[-1] != self.weight.shape[1]:
            raise InvalidNetwork(
                f"a linear layer with {self.weight.shape[1]} inputs got a tensor of shape {shape}.",
                hint="flatten the tensor first, or check the widths",
            )
        return (*shape[:-1], self.weight.shape[0])

    def arrays(self) -> dict[str, Array]:
        return {"weight": self.weight} | ({} if self.bias is None else {"bias": self.bias})

    @property
    def coefficients(self) -> Array:
        return self.weight

    @property
    def offset(self) -> Array | None:
        return self.bias

    def linear(self, xs: list[Array], coefficients: Array | None) -> Array:
        assert coefficients is not None
        return xs[0] @ coefficients.T

    def gain(self) -> float:
        return spectral_norm_bound(self.weight)

    def absolute_gain(self) -> float:
        return float(np.linalg.norm(self.weight)) * (1 + 1e-6)

    def n_terms(self) -> int:
        return self.weight.shape[1]

    def row_norms(self, shape: Shape) -> Array:
        norms = np.sqrt(np.einsum("ij,ij->i", self.weight, self.weight)) * (1 + 1e-6)
        return np.broadcast_to(norms, shape).reshape(-1)


@dataclass(frozen=True, eq=False)
class Conv(Affine):
    """Convolution in one or two dimensions (cross-correlation, as in torch); weight is (out, in / groups, *kernel)."""

    kind: ClassVar[str] = "conv"
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

    def arrays(self) -> dict[str, Array]:
        return {"weight": self.weight} | ({} if self.bias is None else {"bias": self.bias})

    def settings(self) -> dict[str, Any]:
        return {
            "stride": list(self.stride),
            "padding": [list(p) for p in self.padding],
            "dilation": list(self.dilation),
            "groups": self.groups,
        }

    @property
    def coefficients(self) -> Array:
        return self.weight

    @property
    def offset(self) -> Array | None:
        return None if self.bias is None else self.bias.reshape(-1, *[1] * self.n_spatial)

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
        out_shape = self.output_shape(x.shape[1:])
        windows = self.windows(x)
        kernels = coefficients.reshape(g, coefficients.shape[0] // g, -1)
        n_positions = prod(out_shape[1:])
        y = np.empty((len(x), g, kernels.shape[1], n_positions), dtype=np.result_type(x, kernels))
        step = max(1, _CACHED_ENTRIES // (x.shape[1] * prod(coefficients.shape[2:]) * n_positions))
        for a in range(0, len(x), step):
            part = windows[a : a + step]
            y[a : a + step] = kernels @ part.reshape(len(part), g, -1, n_positions)
        return y.reshape(len(x), *out_shape)

    def gain(self) -> float:
        # ||A||^2 <= ||A||_1 ||A||_inf; a column of A holds, for one input channel, at most the kernel of each output
        return self.absolute_gain()

    def absolute_gain(self) -> float:
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


@dataclass(frozen=True, eq=False)
class Scale(Affine):
    """y = factor * x + shift, entry by entry; both broadcast to the shape of x. Batch norm in eval mode is one."""

    kind: ClassVar[str] = "scale"
    factor: Array
    shift: Array | None = None

    def output_shape(self, *shapes: Shape) -> Shape:
        (shape,) = shapes
        for array in self.arrays().values():
            try:
                fits = np.broadcast_shapes(shape, array.shape) == shape
            except ValueError:
                fits = False
            if not fits:
                raise InvalidNetwork(f"a factor of shape {array.shape} does not broadcast to a tensor of shape {shape}.")
        return shape

    def arrays(self) -> dict[str, Array]:
        return {"factor": self.factor} | ({} if self.shift is None else {"shift": self.shift})

    @property
    def coefficients(self) -> Array:
        return self.factor

    @property
    def offset(self) -> Array | None:
        return self.shift

    def linear(self, xs: list[Array], coefficients: Array | None) -> Array:
        return xs[0] * coefficients

    def gain(self) -> float:
        return float(np.abs(self.factor).max(initial=0.0))

    def n_terms(self) -> int:
        return 1

    def row_norms(self, shape: Shape) -> Array:
        return np.broadcast_to(np.abs(self.factor), shape).reshape(-1)


@dataclass(frozen=True, eq=False)
class WindowSum(Affine):
    """Sums over windows ``start:stop`` along one axis (counted without the batch). Average pooling is sums and a Scale."""

    kind: ClassVar[str] = "window-sum"
    axis: int
    starts: tuple[int, ...]
    stops: tuple[int, ...]

    def output_shape(self, *shapes: Shape) -> Shape:
        (shape,) = shapes
        if not 0 <= self.axis < len(shape) or len(self.starts) != len(self.stops) or not self.starts:
            raise InvalidNetwork(f"windows along axis {self.axis} do not fit a tensor of shape {shape}.")
        if any(not 0 <= a < b <= shape[self.axis] for a, b in zip(self.starts, self.stops, strict=True)):
            raise InvalidNetwork(f"a window along axis {self.axis} leaves a tensor of shape {shape}.")
        return (*shape[: self.axis], len(self.starts), *shape[self.axis + 1 :])

    def settings(self) -> dict[str, Any]:
        return {"axis": self.axis, "starts": list(self.starts), "stops": list(self.stops)}

    def linear(self, xs: list[Array], coefficients: Array | None) -> Array:
        x = xs[0]
        before = (slice(None),) * (self.axis + 1)
        lengths = {b - a for a, b in zip(self.starts, self.stops, strict=True)}
        steps = set(np.diff(self.starts).tolist()) or {1}
        if len(lengths) == 1 and len(steps) == 1 and min(steps) > 0:  # equal windows at equal distances: add shifted slices
            step, first, last = steps.pop(), self.starts[0], self.starts[-1] + 1
            y = x[(*before, slice(first, last, step))].copy()
            for j in range(1, lengths.pop()):
                y += x[(*before, slice(first + j, last + j, step))]
            return y
        windows = zip(self.starts, self.stops, strict=True)
        return np.stack([x[(*before, slice(a, b))].sum(self.axis + 1) for a, b in windows], axis=self.axis + 1)

    def gain(self) -> float:
        # rows sum n_terms ones; a column is hit by as many windows as overlap there
        ends = max(self.stops)
        cover = np.zeros(ends + 1)
        for a, b in zip(self.starts, self.stops, strict=True):
            cover[a:b] += 1
        return float(np.sqrt(self.n_terms() * cover.max())) * (1 + 1e-6)

    def n_terms(self) -> int:
        return max(b - a for a, b in zip(self.starts, self.stops, strict=True))
