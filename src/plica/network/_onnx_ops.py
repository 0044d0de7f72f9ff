"""The operators of ONNX, put onto a Builder; see https://onnx.ai/onnx/operators for each."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import reduce
from typing import Any

import numpy as np

from plica._types import Array
from plica.network import _lowering_arithmetic as arithmetic
from plica.network import _lowering_sampling as sampling
from plica.network import _lowering_windows as pooling
from plica.network._lowering import BATCH, CannotLower, Lowering, Operand, Unavailable, Wire
from plica.network._onnx_call import Call, pads_of
from plica.network._onnx_constants import FOLDS, NOT_FLOAT
from plica.network._onnx_resize import resize, upsample
from plica.network._onnx_shapes import (
    concat,
    depth_to_space,
    expand,
    flatten,
    gather,
    pad,
    reshape,
    slice_,
    space_to_depth,
    split,
    squeeze,
    tile,
    transpose,
    unsqueeze,
)

MASK = Unavailable("it uses the positions of a maximum, a dropout mask or the statistics of a batch")


def lower(low: Lowering, call: Call) -> Any:
    """The outputs of one node: a Wire or an array, or a tuple of them."""
    if call.kind in ("Shape", "Size"):
        return shape(low, call)
    if not any(isinstance(v, Wire) for v in call.inputs):
        results = folded(low, call)
        for result in results:
            low.reserve(np.shape(result))
        return results
    if call.kind not in OPERATORS:
        raise CannotLower("")
    if not low.batched and call.kind in OF_BATCHES:
        return one_item(low, call)
    return OPERATORS[call.kind](low, call)


def folded(low: Lowering, call: Call) -> tuple[Any, ...]:
    """The outputs of an operator on constants: computed by numpy, or by the network it becomes."""
    if call.kind in FOLDS:
        return (np.asarray(FOLDS[call.kind](low, call)),)
    if call.kind not in OPERATORS or call.input(0) is None:
        raise CannotLower("it acts on constants in a way that is not known")
    inner = low.apart()
    wire = inner.constant(np.asarray(call.input(0), dtype=np.float64))
    results = lower(inner, replace(call, inputs=[wire, *call.inputs[1:]]))
    several = results if isinstance(results, tuple) else (results,)
    return tuple(inner.build(r)(np.zeros(1)) if isinstance(r, Wire) else r for r in several)


def one_item(low: Lowering, call: Call) -> Any:
    """An operator that is defined on batches, in a graph without one: the first axis must be a batch of one."""
    low.batched = True
    try:
        inputs = []
        for value in call.inputs:
            if isinstance(value, Wire):
                if not value.shape or value.shape[0] != 1:
                    raise CannotLower(f"it acts on a batch of shape {value.shape}; a batch of one is known")
                value = low.reshape(Wire(value.index, value.shape), [BATCH, *value.shape[1:]])
            inputs.append(value)
        results = OPERATORS[call.kind](low, replace(call, inputs=inputs))
    finally:
        low.batched = False
    several = results if isinstance(results, tuple) else (results,)
    back = tuple(low.reshape(Wire(r.index, r.shape, False), [1, *r.shape]) if isinstance(r, Wire) else r for r in several)
    return back if isinstance(results, tuple) else back[0]


def shape(low: Lowering, call: Call) -> Array:
    x = call.input(0)
    sizes = np.array(x.full_shape if isinstance(x, Wire) else np.shape(x), dtype=np.int64)
    return np.asarray(sizes.prod()) if call.kind == "Size" else sizes[call.get("start", 0) : call.get("end", len(sizes))]


def variadic(function: Callable[[Lowering, Operand, Operand], Wire]) -> Callable[[Lowering, Call], Any]:
    """Add, Max and the like: constants among the inputs are joined with the first activation."""

    def operator(low: Lowering, call: Call) -> Any:
        if len(call.inputs) == 1:
            return call.x
        first = next(i for i, v in enumerate(call.inputs) if isinstance(v, Wire))
        rest = call.inputs[:first] + call.inputs[first + 1 :]
        if function in (arithmetic.minus, arithmetic.divide):
            return function(low, *call.inputs)
        return reduce(lambda a, b: function(low, a, b), rest, call.inputs[first])

    return operator


def gemm(low: Lowering, call: Call) -> Wire:
    a, b, c = call.input(0), call.input(1), call.input(2)
    alpha, beta = call.get("alpha", 1.0), call.get("beta", 1.0)
    if isinstance(a, Wire) and (a.rank != 2 or (a.batched and call.get("transA", 0))):
        raise CannotLower("it is a matrix product over the batch axis")
    a, b = (turned(low, v) if call.get(f"trans{k}", 0) else v for k, v in (("A", a), ("B", b)))
    bias = None if c is None or isinstance(c, Wire) or not np.size(c) else np.asarray(c, dtype=np.float64) * beta
    if bias is not None and bias.ndim == 2 and bias.shape[0] > 1 and isinstance(a, Wire) and a.batched:
        raise CannotLower("its bias differs over the batch")
    if isinstance(a, Wire) and not isinstance(b, Wire) and b is not None and (bias is None or bias.ndim < 2 or len(bias) == 1):
        y = arithmetic.linear(low, a, np.asarray(b).T * alpha, bias)
    else:
        y = arithmetic.matmul(low, a, b * alpha) if isinstance(a, Wire) else arithmetic.matmul(low, a * alpha, b)
        y = y if bias is None else arithmetic.plus(low, y, bias)
    return arithmetic.plus(low, y, arithmetic.scale(low, c, beta, part="beta")) if isinstance(c, Wire) else y


def turned(low: Lowering, value: Any) -> Any:
    return low.permute(value, [1, 0]) if isinstance(value, Wire) else np.asarray(value).T


def conv(low: Lowering, call: Call) -> Wire:
    weight, bias = call.constant(1), call.constant(2)
    if weight is None or weight.ndim < 3:
        raise CannotLower("it has no weight")
    sizes = pooling.spatial(call.x, weight.ndim - 2)
    strides, dilations = (call.get(k, [1] * len(sizes)) for k in ("strides", "dilations"))
    spans = [d * (k - 1) + 1 for d, k in zip(dilations, weight.shape[2:], strict=True)]
    padding = pads_of(call, sizes, spans, strides)
    return arithmetic.conv(
        low, call.x, weight, bias, stride=strides, padding=padding, dilation=dilations, groups=call.get("group", 1)
    )


def conv_transpose(low: Lowering, call: Call) -> Wire:
    weight, bias = call.constant(1), call.constant(2)
    if weight is None or weight.ndim < 3:
        raise CannotLower("it has no weight")
    sizes, auto = pooling.spatial(call.x, weight.ndim - 2), call.get("auto_pad", "NOTSET")
    strides, dilations = (call.get(k, [1] * len(sizes)) for k in ("strides", "dilations"))
    extra = call.get("output_padding", [0] * len(sizes))
    wanted = call.get("output_shape") or [n * s for n, s in zip(sizes, strides, strict=True)]
    wanted = wanted[-len(sizes) :]
    if call.get("output_shape") or auto in ("SAME_UPPER", "SAME_LOWER"):
        spans = [d * (k - 1) + 1 for d, k in zip(dilations, weight.shape[2:], strict=True)]
        rest = zip(sizes, strides, extra, spans, wanted, strict=True)
        totals = [max(s * (n - 1) + e + k - m, 0) for n, s, e, k, m in rest]
        padding = [(t // 2, t - t // 2) if auto == "SAME_UPPER" else (t - t // 2, t // 2) for t in totals]
    else:
        padding = pads_of(call, sizes, sizes, strides)
    return sampling.conv_transpose(
        low,
        call.x,
        weight,
        bias,
        stride=strides,
        padding=padding,
        output_padding=extra,
        dilation=dilations,
        groups=call.get("group", 1),
    )


def windows_of(call: Call) -> list[pooling.Windows]:
    kernels = call.get("kernel_shape", [])
    sizes = pooling.spatial(call.x, len(kernels))
    if len(kernels) not in (1, 2):
        raise CannotLower(f"it pools over {len(kernels)} axes; one and two are known")
    strides, dilations = (call.get(k, [1] * len(sizes)) for k in ("strides", "dilations"))
    spans = [d * (k - 1) + 1 for d, k in zip(dilations, kernels, strict=True)]
    pads, ceil = pads_of(call, sizes, spans, strides), bool(call.get("ceil_mode", 0))
    rest = zip(sizes, kernels, strides, pads, dilations, strict=True)
    return [pooling.Windows(n, k, s, a, b, d, ceil) for n, k, s, (a, b), d in rest]


def max_pool(low: Lowering, call: Call) -> Any:
    return pooling.max_pool(low, call.x, windows_of(call)), MASK


def average_pool(low: Lowering, call: Call) -> Wire:
    windows = windows_of(call)
    if any(w.dilation != 1 for w in windows):
        raise CannotLower("its windows are dilated")
    return pooling.average_pool(low, call.x, windows, include_padding=bool(call.get("count_include_pad", 0)))


def batch_norm(low: Lowering, call: Call) -> Any:
    if call.get("training_mode", 0) or call.get("spatial", 1) != 1:
        raise CannotLower("it is in train mode")
    scale, bias, mean, var = (call.constant(i) for i in (1, 2, 3, 4))
    if mean is None or var is None:
        raise CannotLower("it has no stored statistics")
    return arithmetic.batch_norm(low, call.x, mean, var, scale, bias, call.get("epsilon", 1e-5)), *[MASK] * 4


def dropout(low: Lowering, call: Call) -> Any:
    training = call.constant(2)
    if training is not None and training.any():
        raise CannotLower("it drops units at random: it is in train mode")
    return call.x, MASK


def cast(low: Lowering, call: Call) -> Wire:
    if call.get("to") in NOT_FLOAT:
        raise CannotLower("it casts activations to integers")
    return call.x


def clip(low: Lowering, call: Call) -> Wire:
    low_bound, high_bound = call.constant(1), call.constant(2)
    bottom = call.get("min") if low_bound is None else low_bound
    return arithmetic.clip(low, call.x, bottom, call.get("max") if high_bound is None else high_bound)


def prelu(low: Lowering, call: Call) -> Wire:
    slope = call.constant(1)
    if slope is None:
        raise CannotLower("it has no slopes")
    return arithmetic.rectifier(low, call.x, low.align(slope, call.x))


def gelu(low: Lowering, call: Call) -> Wire:
    if call.get("approximate", b"none") not in (b"none", "none"):
        raise CannotLower("an approximation of GELU is another function")
    return low.smooth(call.x, "gelu")


def hard_sigmoid(low: Lowering, call: Call) -> Wire:
    shifted = arithmetic.scale(low, call.x, call.get("alpha", 0.2), call.get("beta", 0.5), part="shift")
    return arithmetic.clip(low, shifted, 0.0, 1.0)


def reduction(mean: bool = False, sign: int = 0) -> Callable[[Lowering, Call], Wire]:
    """Sums and means, or with a sign maxima and minima, over axes."""

    def operator(low: Lowering, call: Call) -> Wire:
        axes, keep = call.numbers(1, "axes"), bool(call.get("keepdims", 1))
        if not axes and call.get("noop_with_empty_axes", 0):
            return call.x
        if sign:
            return arithmetic.reduce_max(low, call.x, axes or None, keep=keep, sign=sign)
        return arithmetic.total(low, call.x, axes or None, keep=keep, mean=mean)

    return operator


def global_pool(maximum: bool) -> Callable[[Lowering, Call], Wire]:
    def operator(low: Lowering, call: Call) -> Wire:
        axes = list(range(2, len(call.x.shape) + 1))
        if not axes:
            return call.x
        if maximum:
            return arithmetic.reduce_max(low, call.x, axes, keep=True)
        return arithmetic.total(low, call.x, axes, keep=True, mean=True)

    return operator


OPERATORS: dict[str, Callable[[Lowering, Call], Any]] = {
    "Gemm": gemm,
    "MatMul": lambda low, call: arithmetic.matmul(low, call.input(0), call.input(1)),
    "Add": variadic(arithmetic.plus),
    "Sum": variadic(arithmetic.plus),
    "Sub": variadic(arithmetic.minus),
    "Mul": variadic(arithmetic.times),
    "Div": variadic(arithmetic.divide),
    "Neg": lambda low, call: arithmetic.scale(low, call.x, -1.0),
    "Conv": conv,
    "ConvTranspose": conv_transpose,
    "Resize": resize,
    "Upsample": upsample,
    "DepthToSpace": depth_to_space,
    "SpaceToDepth": space_to_depth,
    "BatchNormalization": batch_norm,
    "Relu": lambda low, call: arithmetic.rectifier(low, call.x),
    "LeakyRelu": lambda low, call: arithmetic.rectifier(low, call.x, call.get("alpha", 0.01)),
    "PRelu": prelu,
    "Clip": clip,
    "HardSigmoid": hard_sigmoid,
    "Sigmoid": lambda low, call: low.smooth(call.x, "sigmoid"),
    "Tanh": lambda low, call: low.smooth(call.x, "tanh"),
    "Gelu": gelu,
    "Abs": lambda low, call: arithmetic.rectifier(low, call.x, -1.0),
    "Max": variadic(arithmetic.maximum),
    "Min": variadic(arithmetic.minimum),
    "MaxPool": max_pool,
    "AveragePool": average_pool,
    "GlobalAveragePool": global_pool(maximum=False),
    "GlobalMaxPool": global_pool(maximum=True),
    "ReduceSum": reduction(),
    "ReduceMean": reduction(mean=True),
    "ReduceMax": reduction(sign=1),
    "ReduceMin": reduction(sign=-1),
    "Flatten": flatten,
    "Reshape": reshape,
    "Transpose": transpose,
    "Squeeze": squeeze,
    "Unsqueeze": unsqueeze,
    "Concat": concat,
    "Split": split,
    "Slice": slice_,
    "Gather": gather,
    "Pad": pad,
    "Expand": expand,
    "Tile": tile,
    "Identity": lambda low, call: call.x,
    "Dropout": dropout,
    "Cast": cast,
}

OF_BATCHES = frozenset(
    """
    Conv ConvTranspose BatchNormalization MaxPool AveragePool GlobalAveragePool GlobalMaxPool DepthToSpace SpaceToDepth
    """.split()
)
"""Operators whose first axis is always the batch."""
