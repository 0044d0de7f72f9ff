"""Affine pieces of a network in fractions."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from plica._types import Array
from plica.exact import exactly
from plica.network.operations import Affine, Fold

Choose = Callable[[int, Fold, Array, tuple[int, ...]], Array]


class FractionColumns:
    """A semantics: affine maps as columns of fractions, one row for each parameter and a last row for the constant.

    ``choose(layer, fold, columns, shape)`` says the states of a layer, given the columns (rows, entries) of its input and the
    input's shape.
    """

    def __init__(self, choose: Choose) -> None:
        self._choose = choose

    def affine(self, index: int, op: Affine, xs: list[Array]) -> Array:
        y = op.linear(xs, None if op.coefficients is None else exactly(op.coefficients))
        if op.offset is None:
            return y
        y = np.array(y, dtype=object)
        y[-1] = y[-1] + exactly(op.offset)
        return y

    def fold(self, index: int, op: Fold, x: Array, layer: int) -> Array:
        flat, shape = x.reshape(len(x), -1), x.shape[1:]
        pieces = op.pieces(self._choose(layer, op, flat, shape), shape)
        return pieces.columns(flat, exactly).reshape(len(x), *op.output_shape(shape))
