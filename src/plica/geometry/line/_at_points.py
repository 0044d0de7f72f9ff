"""A layer's input at a few breakpoints of a part, from the network itself, in pairs of doubles.

Columns of a part lose digits with every layer. Where they leave a sign open, the affine functions of the breakpoint's piece are
computed at the point where floating point has it: one column, where the maps of its piece and of those that named it are six.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from plica._types import Array
from plica.geometry.signs._exact_maps import ExactMap
from plica.geometry.signs._kept_maps import Maps
from plica.geometry.signs._pair_maps import PairMaps
from plica.geometry.signs._precision import Precision
from plica.geometry.values._pairs import Pairs, two_product, two_sum
from plica.geometry.values._tensors import EPS, UNDERFLOW
from plica.network import Affine, Fold, walk


def values_at_points(exact: ExactMap, start: Pairs, u: Array, pieces: Array, source: int) -> tuple[Array, Array]:
    """A node on some pieces of a part at places u, and a bound of the error of each row in the 2-norm.

    ``start`` is the input as slope and constant. Places may lie outside of their pieces: the functions are continued there.
    """
    states = []
    for layer in reversed(exact.layers):
        states.append(layer.rows(pieces))
        pieces = layer.parent[pieces]
    semantics = _OnPieces(exact.float_maps[Precision.EXTENDED], states[::-1])
    x, error = walk(exact.network, semantics, {0: _start(start, u)}, stop=source + 1)[source]
    return x[:, 0] + x[:, 1], error[:, 0] + EPS * np.linalg.norm(x[:, 0], axis=1)


class _OnPieces:
    """A semantics: one column in pairs on each of some pieces, whose states in all layers are given."""

    def __init__(self, maps: PairMaps, states: list[Array]) -> None:
        self._maps, self._states = maps, states

    def affine(self, index: int, op: Affine, xs: list[Maps]) -> Maps:
        return self._maps.apply(index, op, xs)

    def fold(self, index: int, op: Fold, x: Maps, layer: int) -> Maps:
        return self._maps.select(op, *x, self._states[layer], self._maps.input_shape(index))


def _start(start: Pairs, u: Array) -> Any:
    """slope * u + constant, in pairs."""
    (slope, constant), (slope_low, constant_low) = start.high[0], start.low[0]
    product, lost = two_product(np.broadcast_to(slope, (len(u), len(slope))), np.broadcast_to(u[:, None], (len(u), len(slope))))
    high, rest = two_sum(product, constant)
    scaled = slope_low * u[:, None]
    low = lost + rest + scaled + constant_low
    small = np.abs(lost) + np.abs(rest) + np.abs(scaled) + np.abs(constant_low)
    error = start.error[0] @ np.stack([np.abs(u), np.ones(len(u))]) + 4 * EPS * np.linalg.norm(small, axis=1) + UNDERFLOW
    return np.stack([*two_sum(high, low)], axis=1), error[:, None] * (1 + 1e-9)
