"""Six columns times rows of weights, with all that is added up kept in registers.

A sum over channels whose parts stay in registers reads a number of a column once for all outputs, and a weight once for six
columns. Channels are summed up one by one, from zero, and that sum is added to what there was: of n parts with c channels a
number goes through n + c roundings at most, and not through n * c. Where the processor has it, a product is added with one
rounding, which the plain definition does not know: it is the same within these roundings, and for small integers to the last bit.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic, overload

from plica._types import Array

LANES = 8
VECTORS = 4  # of eight outputs, at most, in one call
COLUMNS = 6  # 24 registers for sums, of 32


def add_products(
    x: Array, starts: Array, first: int, channels: Array, lines: Array, begin: int, end: int,
    w: Array, y: Array, rows: Array, k: int, n: int,
) -> None:  # fmt: skip
    """Add to six rows of ``y`` the products of six columns with rows of weights.

    The columns are ``first`` and the five behind it in ``starts``, which says where each begins in ``x``, and in ``rows``, which
    says where its row begins in ``y``. Of a row the ``n`` times eight numbers from ``k`` on are meant; of a column the
    ``channels`` from ``begin`` to before ``end``; where in ``w`` the weights of each begin is in ``lines``.

    Examples
    --------
    >>> x, y, starts, rows = np.arange(12.0), np.zeros(48), 2 * np.arange(6, dtype=np.uint64), 8 * np.arange(6, dtype=np.uint64)
    >>> channels, lines, w = np.array([0, 1], np.uint64), np.array([0, 8], np.uint64), np.repeat([1.0, 10.0], 8)
    >>> add_products(x, starts, 0, channels, lines, 0, 2, w, y, rows, 0, 1)
    >>> y[::8].tolist()
    [10.0, 32.0, 54.0, 76.0, 98.0, 120.0]
    """
    n_lanes = LANES * int(n)
    to = rows[first : first + COLUMNS].astype(np.int64)[:, None] + int(k) + np.arange(n_lanes)
    sums = np.zeros(to.shape)
    for j in range(int(begin), int(end)):
        numbers = x[(starts[first : first + COLUMNS] + channels[j]).astype(np.int64)]
        place = int(lines[j])
        sums += numbers[:, None] * w[place : place + n_lanes]
    y[to] = y[to] + sums


def _emit(context: Any, builder: Any, signature: Any, args: Any) -> Any:
    arrays = {i: context.make_array(signature.args[i])(context, builder, args[i]).data for i in (0, 1, 3, 4, 7, 8, 9)}
    x, starts, channels, lines, w, y, rows = arrays.values()
    first, begin, end, k, n = (args[i] for i in (2, 5, 6, 10, 11))
    vector = ir.VectorType(ir.DoubleType(), LANES)
    kind = ir.FunctionType(vector, [vector] * 3)
    multiply_add = cgutils.get_or_insert_function(builder.module, kind, f"llvm.fmuladd.v{LANES}f64")
    spread = ir.Constant(ir.VectorType(ir.IntType(32), LANES), [0] * LANES)

    def constant(number: int) -> Any:
        return ir.Constant(first.type, number)

    def vectors(start: Any, at: Any, count: int) -> list[Any]:
        places = [builder.add(at, constant(LANES * v)) for v in range(count)]
        return [builder.bitcast(builder.gep(start, [i]), vector.as_pointer()) for i in places]

    def multiply(count: int) -> None:
        columns = [builder.add(first, constant(i)) for i in range(COLUMNS)]
        froms = [builder.gep(x, [builder.load(builder.gep(starts, [i]))]) for i in columns]
        places = [vectors(y, builder.add(builder.load(builder.gep(rows, [i])), k), count) for i in columns]
        zero = ir.Constant(vector, [0.0] * LANES)
        sums = [[cgutils.alloca_once_value(builder, zero) for _ in row] for row in places]
        with cgutils.for_range_slice(builder, begin, end, constant(1)) as (j, _):
            weights = [builder.load(at, align=8) for at in vectors(w, builder.load(builder.gep(lines, [j])), count)]
            channel = builder.load(builder.gep(channels, [j]))
            for start, totals in zip(froms, sums, strict=True):
                number = builder.load(builder.gep(start, [channel]))
                one = builder.insert_element(ir.Constant(vector, ir.Undefined), number, ir.Constant(ir.IntType(32), 0))
                every = builder.shuffle_vector(one, one, spread)
                for total, weight in zip(totals, weights, strict=True):
                    builder.store(builder.call(multiply_add, [every, weight, builder.load(total)]), total)
        for row_places, totals in zip(places, sums, strict=True):
            for at, total in zip(row_places, totals, strict=True):
                builder.store(builder.fadd(builder.load(at, align=8), builder.load(total)), at, align=8)

    for count in range(1, VECTORS + 1):
        with builder.if_then(builder.icmp_signed("==", n, constant(count))):
            multiply(count)
    return context.get_dummy_value()


def _type_products(
    _: Any, x: Any, starts: Any, first: Any, channels: Any, lines: Any, begin: Any, end: Any,
    w: Any, y: Any, rows: Any, k: Any, n: Any,
) -> Any:  # fmt: skip
    numbers, places, size = types.Array(types.float64, 1, "C"), types.Array(types.uint64, 1, "C"), types.intp
    return types.none(numbers, places, size, places, places, size, size, numbers, numbers, places, size, size), _emit


_compiled: Any = intrinsic(_type_products)


@overload(add_products, strict=False)
def _products(
    x: Any, starts: Any, first: Any, channels: Any, lines: Any, begin: Any, end: Any, w: Any, y: Any, rows: Any, k: Any, n: Any
) -> Any:
    return lambda x, starts, first, channels, lines, begin, end, w, y, rows, k, n: _compiled(
        x, starts, first, channels, lines, begin, end, w, y, rows, k, n
    )
