"""The affine maps of cells in pairs of doubles: for deep networks, whose bounds grow with every layer."""

from __future__ import annotations

import numpy as np

from plica._types import Array
from plica.geometry.signs._cell_maps import CellMaps, _norm
from plica.geometry.signs._exact_maps import ExactMap
from plica.geometry.signs._kept_maps import Maps
from plica.geometry.signs._precision import EXTENDED_EPS, Precision
from plica.geometry.values._pairs import Pairs, pair_affine, scaled, two_sum
from plica.network import Affine, Fold


class PairMaps(CellMaps):
    """What :class:`CellMaps` says in extended precision, with bounds that hardly grow; columns are kept as high and low parts."""

    def __init__(self, exact: ExactMap) -> None:
        super().__init__(exact, Precision.EXTENDED)

    def fold_input(self, layer: int, cells: Array) -> tuple[Maps, Array]:
        maps, which = super().fold_input(layer, cells)
        return self._joined(*maps), which

    def output(self, cells: Array) -> tuple[Maps, Array]:
        maps, which = super().output(cells)
        return self._joined(*maps), which

    def _joined(self, x: Array, error: Array) -> Maps:
        """High and low parts as long doubles, rounded once."""
        d = error.shape[1]
        y = x[:, :d].astype(np.longdouble) + x[:, d:]
        norm = np.sqrt(np.einsum("ijk,ijk->ij", x[:, :d], x[:, :d]))
        return y, error.astype(np.longdouble) + EXTENDED_EPS * norm

    def of_parts(self, x: Array, error: Array) -> Maps:
        d = error.shape[1]
        return x[:, : 2 * d], error + sum(_norm(x[:, k : k + d]) for k in range(2 * d, x.shape[1], d))

    def _start(self) -> Maps:
        points = self._exact.domain.chart.points
        high, low = points.copy(), np.zeros_like(points)
        if self._exact.domain.chart.is_through:
            high[:-1], low[:-1] = two_sum(points[:-1], -points[-1:])
        return np.concatenate([high, low])[None], np.zeros((1, len(points)))

    def apply(self, index: int, op: Affine, xs: list[Maps]) -> Maps:
        pairs = [Pairs(x[:, : e.shape[1]], x[:, e.shape[1] :], e) for x, e in xs]
        y = pair_affine(self._exact.network, index, pairs)
        return np.concatenate([y.high, y.low], axis=1), y.error

    def select(self, op: Fold, x: Array, error: Array, states: Array, shape: tuple[int, ...]) -> Maps:
        if op.is_relu:
            return x * (states[:, None] == 1), error
        pieces = op.pieces(states[:, None], shape)
        if pieces.factor is None and pieces.constant is None:
            return pieces.linear(x), op.lipschitz() * error
        assert pieces.source is None and pieces.factor is not None  # a fold chooses an entry, or changes its own
        d = error.shape[1]
        constant = np.zeros(1) if pieces.constant is None else pieces.constant.reshape(len(x), -1)
        y = scaled(Pairs(x[:, :d], x[:, d:], error), pieces.factor, constant)
        return np.concatenate([y.high, y.low], axis=1), y.error
