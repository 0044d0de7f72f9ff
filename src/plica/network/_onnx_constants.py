"""ONNX operators on constants: the small computations of shapes and weights that exporters leave in a graph."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from plica._types import Array
from plica.network._lowering import BATCH, CannotLower, Lowering

if TYPE_CHECKING:
    from plica.network._onnx_call import Call

NOT_FLOAT = frozenset({2, 3, 4, 5, 6, 7, 8, 9, 12, 13, 14, 15})
"""Data types of ONNX that are not floating point."""


def elementwise(function: Callable[..., Any]) -> Callable[[Lowering, Call], Array]:
    def operator(low: Lowering, call: Call) -> Array:
        values = [np.asarray(v) for v in call.inputs]
        low.reserve(np.broadcast_shapes(*(v.shape for v in values)), keep=False)
        result = values[0] if len(values) > 1 else function(values[0])
        for value in values[1:]:
            result = function(result, value)
        return np.asarray(result)

    return operator


def divide(a: Array, b: Array) -> Array:
    if not b.all():
        raise CannotLower("it divides by zero")
    return a // b if a.dtype.kind == b.dtype.kind == "i" else a / b


def where(low: Lowering, call: Call) -> Array:
    condition, a, b = (np.asarray(v) for v in call.inputs)
    low.reserve(np.broadcast_shapes(condition.shape, a.shape, b.shape), keep=False)
    return np.where(condition != 0, a, b)


def constant(low: Lowering, call: Call) -> Array:
    known = ("value", "value_float", "value_floats", "value_int", "value_ints")
    given = [call.attributes[k] for k in known if k in call.attributes]
    if len(given) != 1:
        raise CannotLower("it has no value that is read")
    value = np.asarray(given[0])
    return value.astype(np.float64 if value.dtype.kind == "f" else np.int64)


def constant_of_shape(low: Lowering, call: Call) -> Array:
    sizes = [1 if n == BATCH else int(n) for n in np.asarray(call.input(0)).reshape(-1)]
    if min(sizes, default=1) < 0:
        raise CannotLower("it makes a tensor of negative size")
    low.reserve(tuple(sizes), keep=False)
    return np.full(sizes, np.asarray(call.get("value", np.zeros(1))).reshape(-1)[0])


def cast(low: Lowering, call: Call) -> Array:
    value = np.asarray(call.input(0))
    return value.astype(np.int64 if call.get("to") in NOT_FLOAT else np.float64)


def reshape(low: Lowering, call: Call) -> Array:
    value, sizes = np.asarray(call.input(0)), call.numbers(1, "shape") or []
    return value.reshape([value.shape[i] if n == 0 and not call.get("allowzero", 0) else n for i, n in enumerate(sizes)])


def squeeze(low: Lowering, call: Call) -> Array:
    axes = call.numbers(1, "axes")
    return np.squeeze(np.asarray(call.input(0)), None if axes is None else tuple(axes))


def unsqueeze(low: Lowering, call: Call) -> Array:
    return np.expand_dims(np.asarray(call.input(0)), tuple(call.numbers(1, "axes") or []))


def concat(low: Lowering, call: Call) -> Array:
    parts = [np.asarray(v) for v in call.inputs]
    low.reserve((sum(p.size for p in parts),), keep=False)
    return np.concatenate(parts, axis=call.get("axis", 0))


def gather(low: Lowering, call: Call) -> Array:
    value, indices, axis = np.asarray(call.input(0)), np.asarray(call.input(1)), call.get("axis", 0)
    low.reserve((value.size // max(value.shape[axis], 1), indices.size), keep=False)
    return np.take(value, indices, axis=axis)


def slice_(low: Lowering, call: Call) -> Array:
    value, starts, ends = np.asarray(call.input(0)), call.numbers(1, "starts") or [], call.numbers(2, "ends") or []
    axes = call.numbers(3, "axes") or list(range(len(starts)))
    steps = call.numbers(4, "steps") or [1] * len(starts)
    key: list[Any] = [slice(None)] * value.ndim
    for start, end, axis, step in zip(starts, ends, axes, steps, strict=True):
        key[axis] = slice(start, None if step < 0 and end < -value.shape[axis] else end, step)
    return value[tuple(key)]


def expand(low: Lowering, call: Call) -> Array:
    value, sizes = np.asarray(call.input(0)), [1 if n == BATCH else n for n in call.numbers(1, "shape") or []]
    shape = np.broadcast_shapes(value.shape, tuple(sizes))
    low.reserve(shape, keep=False)
    return np.array(np.broadcast_to(value, shape))


def flatten(low: Lowering, call: Call) -> Array:
    value, axis = np.asarray(call.input(0)), call.get("axis", 1)
    return value.reshape(int(np.prod(value.shape[:axis])), -1)


def matmul(low: Lowering, call: Call) -> Array:
    a, b = (np.asarray(call.input(i)) for i in (0, 1))
    if min(a.ndim, b.ndim) < 1:
        raise CannotLower("it multiplies a number as a matrix")
    stack = np.broadcast_shapes(a.shape[:-2], b.shape[:-2])
    low.reserve((*stack, *a.shape[-2:-1], *b.shape[-1:]), keep=False)
    return np.asarray(a @ b)


def dequantize(low: Lowering, call: Call) -> Array:
    """(stored integer - zero) x scale, for all entries or along an axis; the product is not rounded."""
    value, scale = np.asarray(call.input(0)), np.asarray(call.input(1), dtype=np.float64)
    zero = np.zeros(scale.shape) if call.input(2) is None else np.asarray(call.input(2))
    if value.dtype.kind != "i" or call.get("block_size", 0):
        raise CannotLower("only integers with one scale, or one for each place on an axis, are read")
    if scale.size != 1:
        axis = call.get("axis", 1)
        if scale.ndim != 1 or not -value.ndim <= axis < value.ndim or value.shape[axis] != scale.size:
            raise CannotLower("it has as many scales as no axis has places")
        shape = [-1 if i == axis % value.ndim else 1 for i in range(value.ndim)]
        scale, zero = scale.reshape(shape), zero.reshape(shape) if zero.size > 1 else zero.reshape(-1)[0]
    else:
        scale = scale.reshape(-1)[0]
        zero = zero.reshape(-1)[0] if zero.size == 1 else zero
    if np.ndim(zero) and np.shape(zero) != np.shape(scale):
        raise CannotLower("its zeros are not as many as its scales")
    return (value - zero) * scale


def range_(low: Lowering, call: Call) -> Array:
    start, stop, step = (np.asarray(call.input(i)).reshape(()).item() for i in (0, 1, 2))
    if not step or not np.isfinite([start, stop, step]).all():
        raise CannotLower("it counts without end")
    low.reserve((max(int(np.ceil((float(stop) - float(start)) / float(step))), 0),), keep=False)
    return np.arange(start, stop, step)


def truth(function: Callable[..., Any]) -> Callable[[Lowering, Call], Array]:
    """Booleans are the integers 0 and 1 here."""
    return elementwise(lambda *values: np.asarray(function(*values)).astype(np.int64))


FOLDS: dict[str, Callable[[Lowering, Call], Any]] = {
    "Constant": constant,
    "ConstantOfShape": constant_of_shape,
    "Identity": lambda low, call: np.asarray(call.input(0)),
    "Cast": cast,
    "Add": elementwise(np.add),
    "Sub": elementwise(np.subtract),
    "Mul": elementwise(np.multiply),
    "Div": elementwise(divide),
    "Mod": elementwise(np.mod),
    "Pow": elementwise(lambda a, b: np.power(np.asarray(a, dtype=np.float64), b).astype(np.asarray(a).dtype)),
    "Equal": truth(np.equal),
    "Greater": truth(np.greater),
    "GreaterOrEqual": truth(np.greater_equal),
    "Less": truth(np.less),
    "LessOrEqual": truth(np.less_equal),
    "And": truth(np.logical_and),
    "Or": truth(np.logical_or),
    "Not": truth(np.logical_not),
    "MatMul": matmul,
    "DequantizeLinear": dequantize,
    "Range": range_,
    "Where": where,
    "Abs": elementwise(np.abs),
    "Neg": elementwise(np.negative),
    "Sign": elementwise(np.sign),
    "Floor": elementwise(np.floor),
    "Ceil": elementwise(np.ceil),
    "Round": elementwise(np.round),
    "Exp": elementwise(np.exp),
    "Log": elementwise(np.log),
    "Tanh": elementwise(np.tanh),
    "Sigmoid": elementwise(lambda v: 1.0 / (1.0 + np.exp(-v))),
    "Sqrt": elementwise(np.sqrt),
    "Reciprocal": elementwise(lambda v: 1.0 / v),
    "Min": elementwise(np.minimum),
    "Max": elementwise(np.maximum),
    "Reshape": reshape,
    "Flatten": flatten,
    "Transpose": lambda low, call: np.transpose(np.asarray(call.input(0)), call.get("perm")),
    "Squeeze": squeeze,
    "Unsqueeze": unsqueeze,
    "Concat": concat,
    "Gather": gather,
    "Slice": slice_,
    "Expand": expand,
}
