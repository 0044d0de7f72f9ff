"""Sums, products, norms and folds of the readers, put onto a Builder; see ``_lowering``."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import Any

import numpy as np

from plica._types import Array
from plica.network._lowering import BATCH, CannotLower, Lowering, Operand, Wire
from plica.network.operations import Add, Clip, Concat, Conv, Linear, Max, Rectifier, Reshape, Scale, WindowSum

LARGEST_MAX = 127
"""Members of one ``Max`` group; larger maxima are nested: fewer rounds, and states of one byte."""


def scale(low: Lowering, x: Wire, factor: Any, shift: Any = None, *, part: str = "") -> Wire:
    """factor * x + shift, entry by entry; both already broadcast to x without the batch."""
    f, s = np.asarray(factor, dtype=np.float64), None if shift is None else np.asarray(shift, dtype=np.float64)
    if (f == 1).all() and (s is None or not s.any()):
        return x
    return low.add_op(Scale(f, s), x, part=part)


def plus(low: Lowering, a: Operand, b: Operand) -> Wire:
    a, b = low.together(a, b)
    if isinstance(a, Wire) and isinstance(b, Wire):
        return scale(low, a, 2.0) if a == b else low.add_op(Add(), a, b)
    x, c = with_constant(a, b)
    return scale(low, x, 1.0, c)


def minus(low: Lowering, a: Operand, b: Operand) -> Wire:
    if not isinstance(b, Wire):
        return plus(low, a, -np.asarray(b, dtype=np.float64))
    if isinstance(a, Wire):
        return plus(low, a, scale(low, b, -1.0, part="minus"))
    x, c = with_constant(*low.together(a, b))
    return scale(low, x, -1.0, c)


def times(low: Lowering, a: Operand, b: Operand) -> Wire:
    if isinstance(a, Wire) and isinstance(b, Wire):
        raise CannotLower("it multiplies two activations")
    x, c = with_constant(*low.together(a, b))
    return scale(low, x, c)


def divide(low: Lowering, a: Operand, b: Operand) -> Wire:
    """a / b as the product with 1 / b rounded to float64."""
    if isinstance(b, Wire):
        raise CannotLower("it divides by an activation")
    b = np.asarray(b, dtype=np.float64)
    if not b.all():
        raise CannotLower("it divides by zero")
    return times(low, a, 1.0 / b)


def with_constant(a: Operand, b: Operand) -> tuple[Wire, Array]:
    """The activation and the constant among two operands."""
    x, c = (a, b) if isinstance(a, Wire) else (b, a)
    assert isinstance(x, Wire) and not isinstance(c, Wire)
    return x, c


def linear(low: Lowering, x: Wire, weight: Operand, bias: Operand | None = None) -> Wire:
    """x @ weight.T + bias on the last axis, with a constant (out, in) weight."""
    if isinstance(weight, Wire) or isinstance(bias, Wire):
        raise CannotLower("its weights depend on the input")
    if weight.ndim != 2:
        raise CannotLower(f"its weight has shape {weight.shape}, expected two axes")
    b = None if bias is None else np.asarray(bias, dtype=np.float64)
    if b is not None:
        if b.size not in (1, len(weight)):
            raise CannotLower(f"its bias has shape {b.shape}, expected ({len(weight)},)")
        b = np.array(np.broadcast_to(b.reshape(-1), (len(weight),)))
    return low.add_op(Linear(np.ascontiguousarray(weight, dtype=np.float64), b), x)


def matmul(low: Lowering, a: Operand, b: Operand) -> Wire:
    if isinstance(a, Wire) and isinstance(b, Wire):
        raise CannotLower("it multiplies two activations")
    if isinstance(a, Wire):
        matrix = _single_matrix(np.asarray(b), a.rank)
        if matrix.ndim == 1:
            return low.squeeze(linear(low, a, matrix[None]), [-1])
        return linear(low, a, matrix.T if matrix.ndim == 2 else matrix)
    assert isinstance(b, Wire)
    matrix = _single_matrix(np.asarray(a), b.rank)
    if matrix.ndim > 2 or (b.batched and b.rank < 3):
        raise CannotLower("it multiplies a constant with the batch axis of an activation")
    rows = np.atleast_2d(matrix)
    if b.rank == 1:
        y = linear(low, b, rows)
        return y if matrix.ndim == 2 else low.squeeze(y, [-1])
    swap = [*range(b.rank - 2), b.rank - 1, b.rank - 2]
    y = linear(low, low.permute(b, swap), rows)
    return low.permute(y, swap) if matrix.ndim == 2 else low.squeeze(y, [-1])


def _single_matrix(matrix: Array, rank: int) -> Array:
    """A stack of one matrix is that matrix, where the other factor has as many axes."""
    while 2 < matrix.ndim <= rank and matrix.shape[0] == 1:
        matrix = matrix[0]
    return matrix


def conv(
    low: Lowering,
    x: Wire,
    weight: Operand,
    bias: Operand | None,
    *,
    stride: Sequence[int],
    padding: Sequence[tuple[int, int]],
    dilation: Sequence[int],
    groups: int,
) -> Wire:
    if isinstance(weight, Wire) or isinstance(bias, Wire):
        raise CannotLower("its weights depend on the input")
    if weight.ndim not in (3, 4):
        raise CannotLower(f"it is a convolution over {weight.ndim - 2} axes; one and two are known")
    n = weight.ndim - 2
    if not len(stride) == len(padding) == len(dilation) == n or min(*stride, *dilation, groups) < 1:
        raise CannotLower(f"strides {tuple(stride)}, dilations {tuple(dilation)} and {groups} groups make no convolution")
    if len(weight) % groups or (bias is not None and bias.shape != (len(weight),)):
        raise CannotLower(f"a weight of shape {weight.shape} does not fit its bias or {groups} groups")
    b = None if bias is None else np.asarray(bias, dtype=np.float64)
    op = Conv(np.ascontiguousarray(weight, dtype=np.float64), b, tuple(stride), tuple(padding), tuple(dilation), groups)
    return low.add_op(op, x)


def channels(x: Wire, values: Array) -> Array:
    """One number for each channel, shaped to broadcast over the other axes."""
    if not x.shape or values.size not in (1, x.shape[0]):
        raise CannotLower(f"it has {values.size} channels and its input has shape {('batch', *x.shape)}")
    return np.asarray(values, dtype=np.float64).reshape(-1, *[1] * (len(x.shape) - 1))


def batch_norm(low: Lowering, x: Wire, mean: Array, var: Array, weight: Array | None, bias: Array | None, eps: float) -> Wire:
    """In eval mode: factor = weight / sqrt(var + eps), shift = bias - mean * factor, in float64."""
    spread = np.sqrt(np.asarray(var, np.float64) + eps)
    factor = (1.0 if weight is None else np.asarray(weight, np.float64)) / spread
    shift = (0.0 if bias is None else np.asarray(bias, np.float64)) - np.asarray(mean, np.float64) * factor
    return low.add_op(Scale(channels(x, factor), channels(x, shift)), x)


def total(low: Lowering, x: Wire, dims: int | Sequence[int] | None, *, keep: bool, mean: bool = False) -> Wire:
    """The sum, or the mean, over axes."""
    axes = low.axes(x, dims)
    if not axes:
        return x
    y, count = x, prod(x.shape[a] for a in axes)
    if axes == list(range(axes[0], axes[-1] + 1)):  # neighbors are summed in one go
        if len(axes) > 1:
            y = low.add_op(Reshape((*x.shape[: axes[0]], count, *x.shape[axes[-1] + 1 :])), x, part="join")
        y = low.add_op(WindowSum(axes[0], (0,), (count,)), y, part="sum" if mean else "")
    else:
        for a in axes:
            y = low.add_op(WindowSum(a, (0,), (y.shape[a],)), y, part=f"sum{a}")
    if mean:
        y = scale(low, y, 1.0 / count)
    shape = tuple(1 if a in axes else n for a, n in enumerate(x.shape) if keep or a not in axes)
    return y if shape == y.shape else low.add_op(Reshape(shape), y, part="shape")


def rectifier(low: Lowering, x: Wire, slope: Any = 0.0) -> Wire:
    s = np.asarray(slope, dtype=np.float64)
    return x if (s == 1).all() else low.add_op(Rectifier(s), x)


def clip(low: Lowering, x: Wire, bottom: Any = None, top: Any = None) -> Wire:
    """min(max(x, bottom), top); a bound may be None, infinite, a number or an array."""
    b = None if bottom is None or np.all(np.asarray(bottom) == -np.inf) else np.asarray(bottom, dtype=np.float64)
    t = None if top is None or np.all(np.asarray(top) == np.inf) else np.asarray(top, dtype=np.float64)
    if b is not None and t is not None and b.size == t.size == 1 and b.item() < t.item():
        return low.add_op(Clip(b.item(), t.item()), x)
    x = x if b is None else maximum(low, x, b)
    return x if t is None else minimum(low, x, t)


def maximum(low: Lowering, a: Operand, b: Operand) -> Wire:
    a, b = low.together(a, b)
    if isinstance(a, Wire) and isinstance(b, Wire):
        if a == b:
            return a
        flat = [w if len(w.shape) == 1 else low.add_op(Reshape((w.size,)), w, part="flat") for w in (a, b)]
        both = low.add_op(Concat(0), *flat, part="both")
        first = np.arange(a.size).reshape(a.shape)
        return max_groups(low, both, np.stack([first, first + a.size], axis=-1))
    x, c = with_constant(a, b)
    # max(x, c) = relu(x - c) + c
    return scale(low, rectifier(low, scale(low, x, 1.0, -c, part="shift")), 1.0, c, part="back")


def minimum(low: Lowering, a: Operand, b: Operand) -> Wire:
    if isinstance(a, Wire) and isinstance(b, Wire):
        larger = maximum(low, scale(low, a, -1.0, part="minus"), scale(low, b, -1.0, part="minus"))
        return scale(low, larger, -1.0, part="back")
    x, c = with_constant(*low.together(a, b))
    # min(x, c) = c - relu(c - x)
    return scale(low, rectifier(low, scale(low, x, -1.0, c, part="shift")), -1.0, c, part="back")


def reduce_max(low: Lowering, x: Wire, dims: int | Sequence[int] | None, *, keep: bool, sign: int = 1) -> Wire:
    """Maximum (sign 1) or minimum (sign -1) over axes: maxout."""
    axes = low.axes(x, dims)
    rest = [a for a in range(len(x.shape)) if a not in axes]
    low.reserve(x.shape, keep=False)
    groups = np.arange(x.size).reshape(x.shape).transpose(*rest, *axes)
    kept = [1 if a in axes else n for a, n in enumerate(x.shape) if keep or a not in axes]
    groups = groups.reshape(*kept, -1)
    if groups.shape[-1] == 1:
        return low.reshape(x, [BATCH] * x.batched + kept)
    x = x if sign == 1 else scale(low, x, -1.0, part="minus")
    y = max_groups(low, x, groups)
    return y if sign == 1 else scale(low, y, -1.0, part="back")


def max_groups(low: Lowering, x: Wire, groups: Array) -> Wire:
    """Maximum over groups of flat indices (-1 for absent members, last), nested when they are large."""
    low.reserve(groups.shape)
    while groups.shape[-1] > LARGEST_MAX:
        groups = np.where(groups < 0, groups[..., :1], groups)
        n_chunks = -(-groups.shape[-1] // LARGEST_MAX)
        fill = np.repeat(groups[..., :1], n_chunks * LARGEST_MAX - groups.shape[-1], axis=-1)
        chunks = np.concatenate([groups, fill], axis=-1).reshape(*groups.shape[:-1], n_chunks, LARGEST_MAX)
        x = low.add_op(Max(chunks.astype(np.int64)), x, part="inner")
        groups = np.arange(x.size).reshape(x.shape)
    return low.add_op(Max(np.ascontiguousarray(groups, dtype=np.int64)), x)
