"""Resampling: transposed convolutions, interpolation along axes, channels to pixels and back.

All of these are affine with few terms for each output, so they become operations that are there already: zeros between
entries are a reshape and a padding, an interpolation is a weighted sum of a few gathers.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

import numpy as np

from plica._types import Array
from plica.network._lowering import BATCH, CannotLower, Lowering, Operand, Wire
from plica.network._lowering_arithmetic import conv, plus, scale
from plica.network._lowering_windows import spatial
from plica.network.operations import Pad, Reshape


def spread_out(low: Lowering, x: Wire, strides: Sequence[int]) -> Wire:
    """stride - 1 zeros after every entry along each spatial axis."""
    if all(s == 1 for s in strides):
        return x
    sizes = x.shape[1:]
    low.check_size((x.size, prod(strides)))
    opened = (x.shape[0], *(n for size in sizes for n in (size, 1)))
    pairs = ((0, 0), *(pair for s in strides for pair in ((0, 0), (0, s - 1))))
    y = low.add_op(Pad(pairs), low.add_op(Reshape(opened), x, part="open"), part="zeros")
    return low.add_op(Reshape((x.shape[0], *(n * s for n, s in zip(sizes, strides, strict=True)))), y, part="close")


def conv_transpose(
    low: Lowering,
    x: Wire,
    weight: Operand,
    bias: Operand | None,
    *,
    stride: Sequence[int],
    padding: Sequence[tuple[int, int]],
    output_padding: Sequence[int],
    dilation: Sequence[int],
    groups: int,
) -> Wire:
    """The transpose of a convolution; ``weight`` is (in, out / groups, *kernel), ``padding`` cuts the result.

    It is the convolution of the input with zeros between its entries by the kernel turned around.
    """
    if isinstance(weight, Wire) or isinstance(bias, Wire):
        raise CannotLower("its weights depend on the input")
    n = weight.ndim - 2
    if n not in (1, 2):
        raise CannotLower(f"it is a transposed convolution over {n} axes; one and two are known")
    spatial(x, n)
    if not n == len(stride) == len(padding) == len(output_padding) == len(dilation) or min(*stride, *dilation, groups) < 1:
        raise CannotLower(f"strides {tuple(stride)}, dilations {tuple(dilation)} and {groups} groups make no convolution")
    if len(weight) != x.shape[0] or len(weight) % groups:
        raise CannotLower(f"a weight of shape {weight.shape} does not fit {x.shape[0]} channels in {groups} groups")
    kernel = weight.reshape(groups, len(weight) // groups, *weight.shape[1:]).swapaxes(1, 2)
    kernel = np.flip(kernel, tuple(range(3, 3 + n))).reshape(-1, len(weight) // groups, *weight.shape[2:])
    y, pairs = spread_out(low, x, stride), []
    for k, s, d, (before, after), extra in zip(weight.shape[2:], stride, dilation, padding, output_padding, strict=True):
        if not 0 <= extra < max(s, d):
            raise CannotLower(f"its output padding {extra} is not less than its stride {s} or dilation {d}")
        pairs.append((d * (k - 1) - before, d * (k - 1) - after + extra - (s - 1)))
    y = low.pad(y, [(0, 0), *pairs])
    ones = [1] * n
    return conv(low, y, kernel, bias, stride=ones, padding=[(0, 0)] * n, dilation=dilation, groups=groups)


def combine(low: Lowering, x: Wire, axis: int, places: Array, weights: Array) -> Wire:
    """Weighted sums along an axis (the batch not counted): output i is sum_k weights[i, k] x[places[i, k]]."""
    shape = [1] * len(x.shape)
    shape[axis] = len(places)
    terms = []
    for k in range(places.shape[1]):
        if weights[:, k].any():
            term = low.take(x, axis + low.lead, places[:, k])
            terms.append(scale(low, term, weights[:, k].reshape(shape), part=f"tap{k}"))
    if not terms:
        raise CannotLower("it has no weights")
    y = terms[0]
    for term in terms[1:]:
        y = plus(low, y, term)
    return y


def nearest(low: Lowering, x: Wire, axis: int, places: Array) -> Wire:
    """Entry i is entry ``places[i]`` of x, or the first or last one where there is none."""
    return low.take(x, axis + low.lead, np.clip(places, 0, x.shape[axis] - 1).astype(np.int64))


def linear(low: Lowering, x: Wire, axis: int, positions: Array) -> Wire:
    """Straight lines between neighbors; beyond the ends the end values."""
    last = x.shape[axis] - 1
    positions = np.clip(positions, 0.0, last)
    low_place = np.floor(positions).astype(np.int64)
    share = positions - low_place
    return combine(low, x, axis, np.stack([low_place, np.minimum(low_place + 1, last)], 1), np.stack([1.0 - share, share], 1))


def cubic(low: Lowering, x: Wire, axis: int, positions: Array, *, a: float = -0.75, exclude_outside: bool = False) -> Wire:
    """Cubic convolution with parameter ``a`` over four neighbors."""
    base = np.floor(positions)
    taps = np.arange(-1, 3)
    t = np.abs((positions - base)[:, None] - taps)
    inner = ((a + 2) * t - (a + 3)) * t * t + 1
    outer = ((a * t - 5 * a) * t + 8 * a) * t - 4 * a
    weights = np.where(t <= 1, inner, np.where(t < 2, outer, 0.0))
    places = base[:, None].astype(np.int64) + taps
    if exclude_outside:
        weights = np.where((places < 0) | (places >= x.shape[axis]), 0.0, weights)
        weights = weights / weights.sum(axis=1, keepdims=True)
    return combine(low, x, axis, np.clip(places, 0, x.shape[axis] - 1), weights)


def pixel_shuffle(low: Lowering, x: Wire, r: int, *, depth_first: bool = False) -> Wire:
    """Blocks of r * r channels become r x r pixels; ``depth_first`` for channels that are counted within blocks first."""
    if len(x.shape) != 3 or r < 1 or x.shape[0] % (r * r):
        raise CannotLower(f"it makes {r} x {r} pixels out of a tensor of shape {('batch', *x.shape)}")
    c, h, w = x.shape
    c //= r * r
    if depth_first:
        y = low.permute(low.reshape(x, [BATCH, r, r, c, h, w]), [0, 3, 4, 1, 5, 2])
    else:
        y = low.permute(low.reshape(x, [BATCH, c, r, r, h, w]), [0, 1, 4, 2, 5, 3])
    return low.reshape(y, [BATCH, c, h * r, w * r])


def pixel_unshuffle(low: Lowering, x: Wire, r: int, *, depth_first: bool = False) -> Wire:
    """r x r pixels become r * r channels."""
    if len(x.shape) != 3 or r < 1 or x.shape[1] % r or x.shape[2] % r:
        raise CannotLower(f"it takes {r} x {r} pixels out of a tensor of shape {('batch', *x.shape)}")
    c, h, w = x.shape
    order = [0, 3, 5, 1, 2, 4] if depth_first else [0, 1, 3, 5, 2, 4]
    y = low.permute(low.reshape(x, [BATCH, c, h // r, r, w // r, r]), order)
    return low.reshape(y, [BATCH, c * r * r, h // r, w // r])
