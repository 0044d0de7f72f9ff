"""Sums of squares in eight lanes: the order of a sum is written down, so that a processor may add eight numbers at once.

A compiler may not reorder a sum of floats by itself. Here lane i adds up the entries i, i + 8, i + 16, ...; then the lanes are
added in pairs, and the entries that are left over one by one. Bounds of rounding errors hold for any order.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic, overload

from plica._types import Array

_LANES = 8


def squared_sizes(rows: Array, p: int, q: int) -> tuple[float, float]:
    """The square of the norm of row p of a contiguous array, and of its distance from row q.

    Examples
    --------
    >>> squared_sizes(np.array([[3.0, 0.0], [0.0, 4.0]]), 0, 1)
    (9.0, 25.0)
    """
    return _in_lanes(rows[p]), _in_lanes(rows[q] - rows[p])


def rectified_square(rows: Array, row: int, out: Array) -> float:
    """The positive part of a row of a contiguous array into the same row of ``out``; the square of its norm.

    Examples
    --------
    >>> out = np.empty((1, 2))
    >>> rectified_square(np.array([[3.0, -4.0]]), 0, out), out.tolist()
    (9.0, [[3.0, 0.0]])
    """
    out[row] = np.where(rows[row] < 0.0, 0.0, rows[row])
    return _in_lanes(out[row])


def squared_norm(rows: Array, row: int) -> float:
    """The square of the norm of a row of a contiguous array.

    Examples
    --------
    >>> squared_norm(np.array([[3.0, 4.0]]), 0)
    25.0
    """
    return _in_lanes(rows[row])


def _in_lanes(numbers: Array) -> float:
    return float(squares_of_rows(numbers[None])[0])


def squares_of_rows(rows: Array) -> Array:
    """The plain definition, in the order of the compiled one, of all rows: numpy adds what is not contiguous one after the other.

    Examples
    --------
    >>> squares_of_rows(np.array([[3.0, 4.0], [0.0, 2.0]])).tolist()
    [25.0, 4.0]
    """
    whole = rows.shape[1] - rows.shape[1] % _LANES
    squares = rows * rows
    a, b, c, d, e, f, g, h = squares[:, :whole].reshape(len(rows), whole // _LANES, _LANES).sum(axis=1).T
    total: Array = ((a + b) + (c + d)) + ((e + f) + (g + h))
    for x in squares[:, whole:].T:
        total += x
    return total


def _row(context: Any, builder: Any, kind: Any, array: Any, row: Any) -> tuple[Any, Any]:
    """Where a row begins, and how long it is."""
    struct = context.make_array(kind)(context, builder, array)
    size = builder.extract_value(struct.shape, 1)
    return builder.gep(struct.data, [builder.mul(row, size)]), size


def _load(builder: Any, number: Any, start: Any, k: Any) -> Any:
    return builder.load(builder.bitcast(builder.gep(start, [k]), number.as_pointer()), align=8)


def _sums(builder: Any, size: Any, terms: Callable[[Any, Any], list[Any]], n_sums: int) -> list[Any]:
    """The compiled definition: sums over a row of the squares of ``terms(type, place)``, each in lanes."""
    zero, one, step = (ir.Constant(size.type, i) for i in (0, 1, _LANES))
    scalar, vector = ir.DoubleType(), ir.VectorType(ir.DoubleType(), _LANES)
    whole = builder.sub(size, builder.urem(size, step))

    def add_up(number: Any, start: Any, stop: Any, by: Any, firsts: list[Any]) -> list[Any]:
        sums = [cgutils.alloca_once_value(builder, first) for first in firsts]
        with cgutils.for_range_slice(builder, start, stop, by) as (k, _):
            for total, x in zip(sums, terms(number, k), strict=True):
                builder.store(builder.fadd(builder.load(total), builder.fmul(x, x)), total)
        return [builder.load(total) for total in sums]

    def of_lanes(lanes: Any) -> Any:
        parts = [builder.extract_element(lanes, ir.Constant(ir.IntType(32), i)) for i in range(_LANES)]
        while len(parts) > 1:
            parts = [builder.fadd(a, b) for a, b in zip(parts[::2], parts[1::2], strict=True)]
        return parts[0]

    lanes = add_up(vector, zero, whole, step, [ir.Constant(vector, [0.0] * _LANES)] * n_sums)
    return add_up(scalar, whole, size, one, [of_lanes(each) for each in lanes])


def _type_norm(_: Any, rows: Any, row: Any) -> Any:
    def emit(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        start, size = _row(context, builder, signature.args[0], *args)
        return _sums(builder, size, lambda number, k: [_load(builder, number, start, k)], 1)[0]

    return types.float64(rows, types.intp), emit


def _type_sizes(_: Any, rows: Any, p: Any, q: Any) -> Any:
    def emit(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        array, a, b = args
        (start, size), (other, _) = (_row(context, builder, signature.args[0], array, row) for row in (a, b))

        def terms(number: Any, k: Any) -> list[Any]:
            x = _load(builder, number, start, k)
            return [x, builder.fsub(_load(builder, number, other, k), x)]

        return context.make_tuple(builder, signature.return_type, _sums(builder, size, terms, 2))

    return types.UniTuple(types.float64, 2)(rows, types.intp, types.intp), emit


def _type_rectified(_: Any, rows: Any, row: Any, out: Any) -> Any:
    def emit(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        start, size = _row(context, builder, signature.args[0], args[0], args[1])
        into, _ = _row(context, builder, signature.args[2], args[2], args[1])

        def terms(number: Any, k: Any) -> list[Any]:
            x = _load(builder, number, start, k)
            zero = ir.Constant(number, [0.0] * _LANES if isinstance(number, ir.VectorType) else 0.0)
            positive = builder.select(builder.fcmp_ordered("<", x, zero), zero, x)  # what is not a number stays so
            builder.store(positive, builder.bitcast(builder.gep(into, [k]), number.as_pointer()), align=8)
            return [positive]

        return _sums(builder, size, terms, 1)[0]

    return types.float64(rows, types.intp, out), emit


_compiled_norm: Any = intrinsic(_type_norm)
_compiled_sizes: Any = intrinsic(_type_sizes)
_compiled_rectified: Any = intrinsic(_type_rectified)


def _is_contiguous(rows: Any) -> bool:
    return isinstance(rows, types.Array) and (rows.ndim, rows.layout, rows.dtype) == (2, "C", types.float64)


@overload(squared_norm, strict=False)
def _squared_norm(rows: Any, row: Any) -> Any:
    return (lambda rows, row: _compiled_norm(rows, row)) if _is_contiguous(rows) else None


@overload(squared_sizes, strict=False)
def _squared_sizes(rows: Any, p: Any, q: Any) -> Any:
    return (lambda rows, p, q: _compiled_sizes(rows, p, q)) if _is_contiguous(rows) else None


@overload(rectified_square, strict=False)
def _rectified_square(rows: Any, row: Any, out: Any) -> Any:
    both = _is_contiguous(rows) and _is_contiguous(out)
    return (lambda rows, row, out: _compiled_rectified(rows, row, out)) if both else None
