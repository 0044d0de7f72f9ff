"""Sums of squares in eight lanes: the order of a sum is written down, so that a processor may add eight numbers at once.

A compiler may not reorder a sum of floats by itself. Here lane i adds up the entries i, i + 8, i + 16, ...; then the lanes are
added in pairs, and the entries that are left over one by one. Bounds of rounding errors hold for any order.
"""

from __future__ import annotations

from typing import Any

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic, overload

from plica._types import Array

_LANES = 8


def squared_distance(rows: Array, p: int, q: int) -> float:
    """The square of the distance of rows p and q of a contiguous array.

    Examples
    --------
    >>> import numpy as np
    >>> squared_distance(np.array([[3.0, 0.0], [0.0, 4.0]]), 0, 1)
    25.0
    """
    return _in_lanes((rows[q] - rows[p]).tolist())


def squared_norm(rows: Array, row: int) -> float:
    """The square of the norm of a row of a contiguous array.

    Examples
    --------
    >>> import numpy as np
    >>> squared_norm(np.array([[3.0, 4.0]]), 0)
    25.0
    """
    return _in_lanes(rows[row].tolist())


def _in_lanes(numbers: list[float]) -> float:
    """The plain definition, in the order of the compiled one."""
    whole = len(numbers) - len(numbers) % _LANES
    lanes = [0.0] * _LANES
    for k in range(whole):
        lanes[k % _LANES] += numbers[k] * numbers[k]
    while len(lanes) > 1:
        lanes = [a + b for a, b in zip(lanes[::2], lanes[1::2], strict=True)]
    total = lanes[0]
    for x in numbers[whole:]:
        total += x * x
    return total


def _emit(context: Any, builder: Any, kind: Any, array: Any, rows: Any) -> Any:
    """The compiled definition, for one row or the difference of two."""
    struct = context.make_array(kind)(context, builder, array)
    size = builder.extract_value(struct.shape, 1)
    starts = [builder.gep(struct.data, [builder.mul(row, size)]) for row in rows]
    zero, one, step = (ir.Constant(size.type, i) for i in (0, 1, _LANES))

    def square(number: Any, k: Any) -> Any:
        places = [builder.bitcast(builder.gep(start, [k]), number.as_pointer()) for start in starts]
        x = [builder.load(place, align=8) for place in places]
        d = x[0] if len(x) == 1 else builder.fsub(x[1], x[0])
        return builder.fmul(d, d)

    scalar, vector = ir.DoubleType(), ir.VectorType(ir.DoubleType(), _LANES)
    whole = builder.sub(size, builder.urem(size, step))
    lanes = cgutils.alloca_once_value(builder, ir.Constant(vector, [0.0] * _LANES))
    with cgutils.for_range_slice(builder, zero, whole, step) as (k, _):
        builder.store(builder.fadd(builder.load(lanes), square(vector, k)), lanes)
    sums = [builder.extract_element(builder.load(lanes), ir.Constant(ir.IntType(32), i)) for i in range(_LANES)]
    while len(sums) > 1:
        sums = [builder.fadd(a, b) for a, b in zip(sums[::2], sums[1::2], strict=True)]
    total = cgutils.alloca_once_value(builder, sums[0])
    with cgutils.for_range_slice(builder, whole, size, one) as (k, _):
        builder.store(builder.fadd(builder.load(total), square(scalar, k)), total)
    return builder.load(total)


def _type_distance(_: Any, rows: Any, p: Any, q: Any) -> Any:
    def emit(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return _emit(context, builder, signature.args[0], args[0], args[1:])

    return types.float64(rows, types.intp, types.intp), emit


def _type_norm(_: Any, rows: Any, row: Any) -> Any:
    def emit(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return _emit(context, builder, signature.args[0], args[0], args[1:])

    return types.float64(rows, types.intp), emit


_compiled_distance: Any = intrinsic(_type_distance)
_compiled_norm: Any = intrinsic(_type_norm)


def _is_contiguous(rows: Any) -> bool:
    return isinstance(rows, types.Array) and (rows.ndim, rows.layout, rows.dtype) == (2, "C", types.float64)


@overload(squared_distance, strict=False)
def _squared_distance(rows: Any, p: Any, q: Any) -> Any:
    return (lambda rows, p, q: _compiled_distance(rows, p, q)) if _is_contiguous(rows) else None


@overload(squared_norm, strict=False)
def _squared_norm(rows: Any, row: Any) -> Any:
    return (lambda rows, row: _compiled_norm(rows, row)) if _is_contiguous(rows) else None
