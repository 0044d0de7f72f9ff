"""The gradients of the network on many cells at once, in floating point with a bound of their error."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from plica._types import Array
from plica.geometry.regions._jumps import linear_select
from plica.geometry.values._tensors import EPS, UNDERFLOW, affine_constants
from plica.network import Affine, Fold, Network, walk


def cell_gradients(network: Network, directions: Array, states: Sequence[Array]) -> tuple[Array, Array]:
    """Derivatives along the directions on each cell: values (cells, directions, outputs), errors (cells, directions).

    ``states[layer]`` has one row of states for each cell. The error bounds the 2-norm of each row of derivatives.
    """
    n_cells, n_directions = len(states[0]) if states else 1, len(directions)
    n = n_cells * n_directions
    start = np.tile(directions, (n_cells, 1)).reshape(n, *network.input_shape)
    semantics = _Derivatives(network, states, n_directions)
    ((y, error),) = walk(network, semantics, {0: (start, np.zeros(n))}).values()
    return y.reshape(n_cells, n_directions, -1), error.reshape(n_cells, n_directions)


class _Derivatives:
    """A semantics: rows of derivatives, and bounds of their errors in the 2-norm."""

    def __init__(self, network: Network, states: Sequence[Array], n_directions: int) -> None:
        self._network, self._states, self._n = network, states, n_directions

    def affine(self, index: int, op: Affine, xs: list[tuple[Array, Array]]) -> tuple[Array, Array]:
        c = affine_constants(self._network, index)
        norm = np.sum([np.sqrt((x.reshape(len(x), -1) ** 2).sum(axis=1)) for x, _ in xs], axis=0)
        error = np.sum([e for _, e in xs], axis=0)
        y = op.linear([x for x, _ in xs], op.coefficients)
        return y, c.gain * error + c.gamma * c.absolute_gain * norm + UNDERFLOW

    def fold(self, index: int, op: Fold, x: tuple[Array, Array], layer: int) -> tuple[Array, Array]:
        rows = np.repeat(self._states[layer], self._n, axis=0)
        y = linear_select(op, x[0], rows, self._network.nodes[index].shape)
        error = op.lipschitz() * x[1]
        return y, error + EPS * np.sqrt((y.reshape(len(y), -1) ** 2).sum(axis=1)) + UNDERFLOW if len(op.factors) else error
