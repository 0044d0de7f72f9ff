"""Affine pieces as columns of floats: slopes apart from constants, and in fractions where their sums cancel."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np

from plica._types import Array
from plica.exact import exactly
from plica.network._fractions import FractionColumns
from plica.network._walk import walk
from plica.network.operations import Affine, Fold

if TYPE_CHECKING:
    from plica.network._network import Network

LOST = 2.0**-22
"""The share of an output's largest slope, or of its constant, that rounding may take before fractions are asked."""
MOST_PRODUCTS = 60_000
"""Weights times columns up to which fractions are computed: a fraction of a second."""


def linear_columns(network: Network, pattern: Sequence[Array], columns: Array) -> Array:
    """The piece with the given pattern as columns: the images of directions (rows) without constants, and of a last point.

    ``columns`` holds floats, or fractions, which floats round once before anything is added up.
    """
    exact, semantics = columns, _Columns(pattern)
    if columns.dtype == object:
        columns = _floats(exact)
    with np.errstate(over="ignore", invalid="ignore"):
        (pair,) = walk(network, semantics, {0: (columns, np.abs(columns))}).values()
        y, size = (part.reshape(len(columns), -1) for part in pair)
        error = 2.0**-53 * semantics.n_roundings * size
        slopes = np.abs(y[:-1]).max(axis=0, initial=0.0)
        is_good = (
            np.isfinite(y).all()
            and (error[:-1] <= LOST * slopes).all()
            and (error[-1] <= LOST * np.maximum(np.abs(y[-1]), slopes)).all()
        )
    if is_good or network.n_parameters * len(columns) > MOST_PRODUCTS:
        return y
    return _exactly(network, pattern, exact)


def _exactly(network: Network, pattern: Sequence[Array], columns: Array) -> Array:
    def choose(layer: int, fold: Fold, flat: Array, shape: tuple[int, ...]) -> Array:
        return np.asarray(pattern[layer]).reshape(-1)

    start = columns if columns.dtype == object else exactly(columns)
    (y,) = walk(network, FractionColumns(choose), {0: start}).values()
    return _floats(y.reshape(len(columns), -1))


def _floats(values: Array) -> Array:
    """An array of fractions, each rounded once."""
    return np.array([_rounded(v) for v in values.reshape(-1)], dtype=np.float64).reshape(values.shape)


def _rounded(value: Fraction | int) -> float:
    try:
        return float(value)
    except OverflowError:
        return np.inf if value > 0 else -np.inf


class _Columns:
    """A semantics: affine pieces as columns, beside the sums of the absolute values of all that is added up in them."""

    def __init__(self, pattern: Sequence[Array]) -> None:
        self._pattern = pattern
        self.n_roundings = 1  # of what is given

    def affine(self, index: int, op: Affine, xs: list[tuple[Array, Array]]) -> tuple[Array, Array]:
        self.n_roundings += op.n_terms() + 2
        y = op.linear([x for x, _ in xs], op.coefficients)
        size = op.linear([m for _, m in xs], None if op.coefficients is None else np.abs(op.coefficients))
        if op.offset is None:
            return y, size
        y, size = np.array(y), np.array(size)
        y[-1] += op.offset
        size[-1] += np.abs(op.offset)
        return y, size

    def fold(self, index: int, op: Fold, x: tuple[Array, Array], layer: int) -> tuple[Array, Array]:
        self.n_roundings += 1
        n, *shape = x[0].shape
        pieces = op.pieces(np.asarray(self._pattern[layer]).reshape(-1), tuple(shape))
        out = (n, *op.output_shape(tuple(shape)))
        return pieces.columns(x[0].reshape(n, -1)).reshape(out), pieces.absolute().columns(x[1].reshape(n, -1)).reshape(out)
