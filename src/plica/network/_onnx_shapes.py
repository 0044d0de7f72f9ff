"""The operators of ONNX that only move entries: other shapes, other orders, parts, copies."""

from __future__ import annotations

from math import prod
from typing import Any

import numpy as np

from plica.network import _lowering_sampling as sampling
from plica.network._lowering import BATCH, CannotLower, Lowering, Wire
from plica.network._onnx_call import Call


def flatten(low: Lowering, call: Call) -> Wire:
    x, axis = call.x, call.get("axis", 1)
    axis = axis + x.rank if axis < 0 else axis
    if not x.batched:
        return low.reshape(x, [prod(x.shape[:axis]), prod(x.shape[axis:])])
    if axis != 1:
        raise CannotLower("it mixes the batch with other axes")
    return low.reshape(x, [BATCH, x.size])


def reshape(low: Lowering, call: Call) -> Wire:
    sizes = call.numbers(1, "shape")
    if sizes is None:
        raise CannotLower("it has no shape")
    if not call.get("allowzero", 0):
        sizes = [call.x.full_shape[i] if n == 0 else n for i, n in enumerate(sizes)]
    return low.reshape(call.x, sizes)


def transpose(low: Lowering, call: Call) -> Wire:
    return low.permute(call.x, call.get("perm", list(range(call.x.rank))[::-1]))


def squeeze(low: Lowering, call: Call) -> Wire:
    return low.squeeze(call.x, call.numbers(1, "axes"))


def unsqueeze(low: Lowering, call: Call) -> Wire:
    return low.unsqueeze(call.x, call.numbers(1, "axes") or [])


def concat(low: Lowering, call: Call) -> Wire:
    return low.concat(call.inputs, call.get("axis", 1))


def split(low: Lowering, call: Call) -> Any:
    axis, sizes = call.get("axis", 0), call.numbers(1, "split")
    n = call.x.shape[low.axis(call.x, axis)]
    if sizes is None:
        step = -(-n // call.n_outputs)
        sizes = [min(step, n - i) for i in range(0, n, step)]
    if len(sizes) != call.n_outputs:
        raise CannotLower(f"it makes {len(sizes)} parts for {call.n_outputs} names")
    return tuple(low.split(call.x, axis, sizes))


def slice_(low: Lowering, call: Call) -> Wire:
    starts, ends = call.numbers(1, "starts"), call.numbers(2, "ends")
    if starts is None or ends is None:
        raise CannotLower("it has no bounds")
    axes = call.numbers(3, "axes") or list(range(len(starts)))
    steps = call.numbers(4, "steps") or [1] * len(starts)
    x = call.x
    for start, end, axis, step in zip(starts, ends, axes, steps, strict=True):
        whole = step < 0 and end < -x.full_shape[axis % x.rank]  # ONNX writes "down to the first" as a very negative end
        x = low.slice(x, axis, start, None if whole else end, step)
    return x


def gather(low: Lowering, call: Call) -> Wire:
    indices = call.constant(1)
    if indices is None:
        raise CannotLower("it has no indices")
    return low.take(call.x, call.get("axis", 0), indices)


def pad(low: Lowering, call: Call) -> Wire:
    x, rank = call.x, call.x.rank
    pads, value = call.numbers(1, "pads"), call.constant(2)
    axes = [a % rank for a in (call.numbers(3, "axes") or range(rank))]
    if pads is None or len(pads) != 2 * len(axes):
        raise CannotLower("its pads do not fit its axes")
    pairs = [(0, 0)] * rank
    for axis, before, after in zip(axes, pads[: len(axes)], pads[len(axes) :], strict=True):
        pairs[axis] = (before, after)
    if x.batched and pairs[0] != (0, 0):
        raise CannotLower("it pads the batch axis")
    fill = call.get("value", 0.0) if value is None or not value.size else float(value.reshape(-1)[0])
    return low.pad(x, pairs[x.batched :], mode=call.get("mode", "constant"), value=fill)


def expand(low: Lowering, call: Call) -> Wire:
    sizes = call.numbers(1, "shape") or []
    x = call.x
    if x.batched and (len(sizes) > x.rank or (len(sizes) == x.rank and sizes[0] not in (1, BATCH, low.batch))):
        raise CannotLower("it repeats the batch")
    kept = sizes[1:] if x.batched and len(sizes) == x.rank else sizes
    low.reserve(tuple(kept), keep=False)
    return low.broadcast(x, np.broadcast_shapes(x.shape, tuple(kept)))


def tile(low: Lowering, call: Call) -> Wire:
    repeats = call.numbers(1, "repeats") or []
    if len(repeats) != call.x.rank or (call.x.batched and repeats[0] != 1) or min(repeats, default=1) < 1:
        raise CannotLower("it repeats the batch")
    low.reserve((call.x.size, prod(repeats)), keep=False)
    return low.index(call.x, lambda i: np.tile(i, repeats if call.x.batched else [1, *repeats]))


def depth_to_space(low: Lowering, call: Call) -> Wire:
    return sampling.pixel_shuffle(low, call.x, call.get("blocksize", 0), depth_first=call.get("mode", "DCR") == "DCR")


def space_to_depth(low: Lowering, call: Call) -> Wire:
    return sampling.pixel_unshuffle(low, call.x, call.get("blocksize", 0), depth_first=True)
