r"""Bits kept in weights: m + n units remember m n of them, and a walk of m n steps; what makes very deep networks so strong.

A block of n bits is one number, the digits of a weight; which number it is depends on the block in which the input lies, by ramps
between blocks. One layer after the other takes the first digit off, and the position in the block says which digit is asked for.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from itertools import pairwise
from typing import Any

import numpy as np

from plica._types import Array
from plica.construct._arguments import integer_argument
from plica.construct._construction import Construction
from plica.construct.circuits._circuit import Circuit, Wire
from plica.errors import InvalidInput

MAX_BITS = 48  # in one block: all that is computed with them fits into a float


def stored_bits(bits: Sequence[Sequence[int]]) -> Construction:
    r"""A ReLU network of one input that is bit k of block j at :math:`x = j n + k`, exactly, with O(m + n) weights.

    Whatever the m blocks of n bits are, the layers are the same: m n points get any labels, so that the dimension of Vapnik and
    Chervonenkis of networks with W weights is at least of the order of :math:`W^2` when the depth may grow [bartlett2019]_.

    Examples
    --------
    >>> net = stored_bits([[1, 0, 1], [0, 0, 1], [1, 1, 0]])
    >>> net([[float(i)] for i in range(9)]).ravel().astype(int).tolist()
    [1, 0, 1, 0, 0, 1, 1, 1, 0]
    """
    rows, n = _table(bits)
    circuit = Circuit(1)
    (x,) = circuit.inputs
    code, position = _block(circuit, x, rows, n, width=Fraction(1))
    found = [circuit.constant(0)]
    for k, bit in enumerate(_digits(circuit, code, n)):
        here = circuit.relu(position - (k - 1)) - 2 * circuit.relu(position - k) + circuit.relu(position - (k + 1))
        found.append(circuit.relu(bit + here - 1))
    network = circuit.network(circuit.total(found), name=f"{len(rows)} blocks of {n} bits")
    return Construction("stored_bits", network, {"blocks": len(rows), "bits": n}, {"depth": _depth(n)}, ("bartlett2019",))


def stored_walk(heights: Sequence[int], *, bits: int, jump: Fraction = Fraction(1, 2**20)) -> Construction:
    r"""A ReLU network through the points (i, height i) of a walk with steps of one up or down, by O(N / bits + bits) weights.

    Within a block of ``bits`` steps it is the walk itself, in straight lines; only on the last ``jump`` before each block does it
    move to another block's number, and is anything. Every function with Lipschitz constant 1 is within 1 of such a walk, so N
    steps scaled to the unit interval are an error of 1/N: with bits = :math:`\sqrt N` of the order of :math:`W^{-2}` for W
    weights, which no choice of weights that is continuous in the function reaches [yarotsky2018]_.

    Examples
    --------
    >>> net = stored_walk([0, 1, 2, 1, 0, -1, 0, 1, 2], bits=4)
    >>> net([[0.0], [1.5], [3.0], [5.0], [8.0]]).ravel().tolist()
    [0.0, 1.5, 1.0, -1.0, 2.0]
    """
    n = integer_argument("bits", bits, least=1)
    steps = [b - a for a, b in pairwise(heights)]
    if not steps or len(steps) % n or any(step not in (-1, 1) for step in steps):
        raise InvalidInput(f"{len(steps)} steps in blocks of {n}.", hint="steps of one up or down, whole blocks of them")
    _check_jump(jump)
    circuit = Circuit(1)
    out = _walk(circuit, circuit.inputs[0], heights, n, Fraction(jump))
    network = circuit.network(out, name=f"a walk of {len(steps)} steps in blocks of {n}")
    return Construction("stored_walk", network, {"steps": len(steps), "bits": n}, {"depth": _depth(n)}, ("yarotsky2018",))


def stored_surface(heights: Any, *, bits: int, jump: Fraction = Fraction(1, 2**20)) -> Construction:
    r"""A ReLU network of d >= 2 inputs that is height (i, j, ...) on the cube :math:`[i, i+1) \times [j, j+1) \times \dots`.

    The heights are a table of d axes with K entries each. The K^d cubes are walked through as an ox plows, one layer forth and
    the next one back, so that every step leads to a neighbor, and heights that change by one up or down on the way are a walk
    (:func:`stored_walk`). Only on the last ``jump`` before each plane of the grid is it anything. It takes of the order of
    :math:`K + K^d / b + b` weights for b bits in a block. Every function with Lipschitz constant 1 in the largest coordinate is
    within 3/2 of such a surface: scaled to the unit cube, with b = :math:`K^{d/2}`, an error of the order of :math:`W^{-2/d}` for
    W weights [yarotsky2018]_.

    Examples
    --------
    >>> net = stored_surface([[0, 1], [1, 2]], bits=2)
    >>> net([[0.5, 0.5], [0.0, 1.5], [1.5, 1.0], [1.25, 0.75]]).ravel().tolist()
    [0.0, 1.0, 2.0, 1.0]
    >>> net = stored_surface([[[0, 1], [1, 2]], [[1, 2], [2, 3]]], bits=4)
    >>> net([[0.5, 0.5, 0.5], [1.0, 0.0, 0.25], [1.5, 1.5, 1.5]]).ravel().tolist()
    [0.0, 1.0, 3.0]
    """
    n, table = integer_argument("bits", bits, least=1), _cube(heights)
    K, d = len(table), table.ndim
    walk = [int(h) for h in _plowed(table)]
    if any(abs(b - a) != 1 for a, b in pairwise(walk)):
        raise InvalidInput("heights that do not change by one.", hint="up or down, along a row and from its end to the next row")
    walk += [walk[-1] + k % 2 for k in range(1, 2 + (-len(walk)) % n)]  # whole blocks of steps
    _check_jump(jump)
    circuit = Circuit(d)
    *others, last = circuit.inputs
    place, size = _steps(circuit, last, range(K), 1, Fraction(jump)), K
    for x in reversed(others):
        row, is_back = (_steps(circuit, x, values, 1, Fraction(jump)) for values in (range(K), [i % 2 for i in range(K)]))
        along = circuit.relu(place - size * is_back) + circuit.relu(size * is_back - 1 - place)
        place = circuit.relu(size * row + along)  # a unit, so that what follows reads one number and not K ramps
        size *= K
    out = _walk(circuit, place, walk, n, Fraction(1))
    network = circuit.network(out, name=f"a surface of {table.size} cubes in blocks of {n}")
    layers = {"depth": _depth(n) + 2 * d}
    return Construction("stored_surface", network, {"side": K, "dimension": d, "bits": n}, layers, ("yarotsky2018",))


def _cube(heights: Any) -> Array:
    """A table of as many entries along every axis."""
    try:
        table = np.array(heights, dtype=np.int64)
    except (ValueError, TypeError, OverflowError):
        table = np.zeros(0, dtype=np.int64)
    if table.ndim < 2 or len(table) < 2 or len(set(table.shape)) > 1 or not np.array_equal(table, np.asarray(heights)):
        raise InvalidInput("the heights are no cube of integers.", hint="[[0, 1], [1, 2]]: as many entries along every axis")
    return table


def _plowed(table: Array) -> Array:
    """The entries on the way: every second layer is gone through from its end to its beginning."""
    if table.ndim == 1:
        return table
    return np.concatenate([_plowed(part)[:: -1 if i % 2 else 1] for i, part in enumerate(table)])


def _walk(circuit: Circuit, x: Wire, heights: Sequence[int], n: int, jump: Fraction) -> Wire:
    """The height of a walk at x, from the bits of its steps."""
    steps = [b - a for a, b in pairwise(heights)]
    rows, n = _table([[(step + 1) // 2 for step in steps[i : i + n]] for i in range(0, len(steps), n)])
    starts = [int(h) for h in heights[:-1:n]]
    code, position = _block(circuit, x, rows, n, width=jump)
    start = _steps(circuit, x, starts, n, jump)
    ups = [circuit.constant(0)]
    for k, bit in enumerate(_digits(circuit, code, n)):
        done = circuit.relu(position - k) - circuit.relu(position - (k + 1))
        ups.append(circuit.relu(bit + done - 1))
    return start + 2 * circuit.total(ups) - position


def _check_jump(jump: Fraction) -> None:
    if not 0 < jump < 1:
        raise InvalidInput(f"the jump takes {jump}.", hint="more than 0 and less than a step")


def _depth(n: int) -> int:
    """Layers: two for the ramps, one for the number of the block; two for each bit, one for what is left of it; one more."""
    return 3 * n + 3


def _table(bits: Sequence[Sequence[int]]) -> tuple[list[list[int]], int]:
    rows = [[int(bit) for bit in row] for row in bits]
    n = len(rows[0]) if rows else 0
    if not n or any(len(row) != n for row in rows) or any(bit not in (0, 1) for row in rows for bit in row):
        raise InvalidInput("the bits are no table of zeros and ones.", hint="[[1, 0, 1], [0, 0, 1]]: as many bits in every block")
    if n > MAX_BITS:
        raise InvalidInput(f"a block of {n} bits does not fit into one weight.", hint=f"at most {MAX_BITS}; more blocks instead")
    return rows, n


def _steps(circuit: Circuit, x: Wire, values: Sequence[int], n: int, width: Fraction) -> Wire:
    """A step function of the block: value j from j n on, by ramps on the last ``width`` before."""
    parts = [circuit.constant(values[0])]
    for j in range(1, len(values)):
        ramp = circuit.relu(1 - circuit.relu((j * n - x) / width))  # 0 or 1 exactly: differences of long ramps would round
        parts.append(ramp * (values[j] - values[j - 1]))
    return circuit.total(parts)


def _block(circuit: Circuit, x: Wire, rows: Sequence[Sequence[int]], n: int, *, width: Fraction) -> tuple[Wire, Wire]:
    """The number whose binary digits are the bits of the block, and the position in the block, each by a unit of its own."""
    codes = [sum(bit << (n - 1 - k) for k, bit in enumerate(row)) for row in rows]
    position = x - n * _steps(circuit, x, range(len(rows)), n, width)
    return circuit.relu(_steps(circuit, x, codes, n, width)), circuit.relu(position)


def _digits(circuit: Circuit, code: Wire, n: int) -> list[Wire]:
    """The n binary digits of an integer, the first one first: each is a step, and what is left is a unit again."""
    found, rest = [], code
    for k in range(n):
        half = 2 ** (n - 1 - k)
        bit = circuit.relu(1 - circuit.relu(half - rest))  # 0 or 1 for integers, without a difference of large numbers
        found.append(bit)
        if k < n - 1:
            rest = circuit.relu(rest - half * bit)
    return found
