"""Six columns times rows of weights, with all that is added up kept in registers.

A sum over channels whose parts stay in registers reads a number of a column once for all outputs, and a weight once for six
columns. The order of a sum is written down, channel by channel, so that its plain definition gives the same numbers.
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
    x: Array, starts: Array, first: int, channels: Array, begin: int, end: int, w: Array, y: Array, rows: Array, k: int, n: int
) -> None:
    """Add to six rows of ``y`` the products of six columns with rows of weights.

    The columns are ``first`` and the five behind it in ``starts``, which says where each begins in ``x``, and in ``rows``, which
    says where its row begins in ``y``. Of a row the ``n`` times eight numbers from ``k`` on are meant; of a column the
    ``channels`` from ``begin`` to before ``end``; each of these has a row in ``w``.

    Examples
    --------
    >>> x, y, starts, rows = np.arange(12.0), np.zeros(48), 2 * np.arange(6, dtype=np.uint64), 8 * np.arange(6, dtype=np.uint64)
    >>> add_products(x, starts, 0, np.array([0, 1], np.uint64), 0, 2, np.repeat([1.0, 10.0], 8), y, rows, 0, 1)
    >>> y[::8].tolist()
    [10.0, 32.0, 54.0, 76.0, 98.0, 120.0]
    """
    n_lanes = LANES * int(n)
    to = rows[first : first + COLUMNS].astype(np.int64)[:, None] + int(k) + np.arange(n_lanes)
    sums = y[to]
    for j in range(int(begin), int(end)):
        numbers = x[(starts[first : first + COLUMNS] + channels[j]).astype(np.int64)]
        place = n_lanes * (j - int(begin))
        sums += numbers[:, None] * w[place : place + n_lanes]
    y[to] = sums


def _emit(context: Any, builder: Any, signature: Any, args: Any) -> Any:
    arrays = {i: context.make_array(signature.args[i])(context, builder, args[i]).data for i in (0, 1, 3, 6, 7, 8)}
    x, starts, channels, w, y, rows = (arrays[i] for i in (0, 1, 3, 6, 7, 8))
    first, begin, end, k, n = (args[i] for i in (2, 4, 5, 9, 10))
    vector = ir.VectorType(ir.DoubleType(), LANES)
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
        sums = [[cgutils.alloca_once_value(builder, builder.load(at, align=8)) for at in row] for row in places]
        with cgutils.for_range_slice(builder, begin, end, constant(1)) as (j, _):
            row = builder.mul(builder.sub(j, begin), constant(LANES * count))
            weights = [builder.load(at, align=8) for at in vectors(w, row, count)]
            channel = builder.load(builder.gep(channels, [j]))
            for start, totals in zip(froms, sums, strict=True):
                number = builder.load(builder.gep(start, [channel]))
                one = builder.insert_element(ir.Constant(vector, ir.Undefined), number, ir.Constant(ir.IntType(32), 0))
                every = builder.shuffle_vector(one, one, spread)
                for total, weight in zip(totals, weights, strict=True):
                    builder.store(builder.fadd(builder.load(total), builder.fmul(every, weight)), total)
        for row_places, totals in zip(places, sums, strict=True):
            for at, total in zip(row_places, totals, strict=True):
                builder.store(builder.load(total), at, align=8)

    for count in range(1, VECTORS + 1):
        with builder.if_then(builder.icmp_signed("==", n, constant(count))):
            multiply(count)
    return context.get_dummy_value()


def _type_products(
    _: Any, x: Any, starts: Any, first: Any, channels: Any, begin: Any, end: Any, w: Any, y: Any, rows: Any, k: Any, n: Any
) -> Any:
    numbers, places, size = types.Array(types.float64, 1, "C"), types.Array(types.uint64, 1, "C"), types.intp
    return types.none(numbers, places, size, places, size, size, numbers, numbers, places, size, size), _emit


_compiled: Any = intrinsic(_type_products)


@overload(add_products, strict=False)
def _products(
    x: Any, starts: Any, first: Any, channels: Any, begin: Any, end: Any, w: Any, y: Any, rows: Any, k: Any, n: Any
) -> Any:
    return lambda x, starts, first, channels, begin, end, w, y, rows, k, n: _compiled(
        x, starts, first, channels, begin, end, w, y, rows, k, n
    )
