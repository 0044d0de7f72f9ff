r"""Distances from points to the folds around them, in floating point with certified bounds.

On the cell of x every unit k has an affine form :math:`z_k`, and the cell is where no form changes its sign. The distance from
x to the border of the cell is

.. math:: \min_k |z_k(x)| / \|\nabla z_k\|,

over *all* units: the constraints that carry no facet need not be sorted out. For a ball around x lies in the cell exactly when
it lies on one side of every hyperplane, so the minimum r is the radius of the largest ball. Where it is attained the ball
touches the hyperplane at a point p, and every other hyperplane through p would be at distance r too and touch the ball at p, so
it would be the same. At p all other forms are therefore strictly of their sign: the nearest constraint carries a facet, and p
lies inside it.

Values carry the error bounds of the engine. The computed gradient of a unit differs from the true one by at most :math:`\Gamma
a_k`, where :math:`a_k` is the sum of the products of absolute weights along all open paths from the inputs to the unit and
:math:`\Gamma` the sum of the rounding constants of all operations. A unit with :math:`a_k = 0` does not depend on the input.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from plica._types import Array
from plica.exact import Dyadic
from plica.geometry import Box
from plica.geometry.arithmetic import EPS, ExactMap, Tensor, apply_affine, apply_fold, states_exactly
from plica.network import Affine, EntryForms, Fold, Network, walk

CHUNK = 4_000_000  # entries of the largest tensor at a time


@dataclass(eq=False)
class Layer:
    """One layer at some points: values of its inputs, bounds of their errors, states (decided exactly where need be)."""

    op: Fold
    source: int
    values: Array
    bounds: Array
    states: Array

    def walls(self, rows: int | slice) -> EntryForms:
        """The forms that bound the cell of one point, or of some."""
        return self.op.walls(self.states[rows], self.values.shape[1])


@dataclass(eq=False)
class _At:
    """A tensor at points, and which of its entries may differ from zero (None: all)."""

    tensor: Tensor
    live: Array | None = None


class _AtPoints:
    """A semantics: tensors at points with bounds of their errors; keeps the layers, and at which points states are in doubt."""

    def __init__(self, network: Network, n: int) -> None:
        self._network, self._n = network, n
        self.layers: list[Layer] = []
        self.is_undecided = np.zeros(n, bool)

    def affine(self, index: int, op: Affine, xs: list[_At]) -> _At:
        tensor = apply_affine(self._network, index, [x.tensor for x in xs])
        if op.coefficients is not None or any(x.live is None for x in xs):
            return _At(tensor)
        shapes = [self._network.nodes[i].shape for i in self._network.nodes[index].inputs]
        masks = [np.asarray(x.live).reshape(self._n, *shape) for x, shape in zip(xs, shapes, strict=True)]
        return _At(tensor, (op.linear(masks, None) > 0).astype(np.float64).reshape(self._n, -1))

    def fold(self, index: int, op: Fold, x: _At, layer: int) -> _At:
        source = self._network.nodes[index].inputs[0]
        shape, values, rows = self._network.nodes[source].shape, x.tensor.values, x.tensor.bound()
        bounds = rows.scale * rows.error[:, None] + rows.floor
        states = op.state(values.reshape(self._n, *shape)).reshape(self._n, -1)
        self.is_undecided |= _is_undecided(op, values, bounds, states, x.live)
        self.layers.append(Layer(op, source, values, bounds, states))
        return _At(apply_fold(op, x.tensor, shape), (states == 1).astype(np.float64) if op.is_relu else None)


def layers_at(network: Network, points: Array) -> list[Layer]:
    """All layers at all points (rows)."""
    n = len(points)
    found = _AtPoints(network, n)
    walk(network, found, {0: _At(Tensor(points.reshape(n, -1), np.zeros(n)))})
    for row in np.flatnonzero(found.is_undecided):
        _settle(network, points[row], found.layers, int(row))
    return found.layers


def _is_undecided(op: Fold, values: Array, bounds: Array, states: Array, live: Array | None) -> Array:
    """The points at which the bounds do not prove the states: some form that should be positive may not be."""
    walls = op.walls(states, values.shape[1])
    close = walls.values(values) <= _bounds_of(walls, values, bounds)
    if live is not None and walls.other is not None:  # two neurons that are switched off are both zero: a tie, and no doubt
        close &= walls.sums(live) > 0
    return np.asarray(close.any(axis=-1))


def _bounds_of(forms: EntryForms, values: Array, bounds: Array) -> Array:
    """Bounds of the errors of forms, given those of the entries."""
    error = forms.sums(bounds)
    return error + EPS * (forms.sums(np.abs(values)) + forms.size_of_constants()) if forms.rounds else error


def _settle(network: Network, point: Array, layers: list[Layer], row: int) -> None:
    """Values and states of one point in integers."""
    n = network.n_inputs
    inputs = ExactMap(network, Box([-1.0] * n, [1.0] * n)).at_point(Dyadic.from_floats(point))
    for layer, x in zip(layers, inputs, strict=True):
        layer.states[row] = states_exactly(layer.op, _batch(x, layer, network)).reshape(-1)
        layer.values[row] = [float(v) for v in x.fractions()]
        layer.bounds[row] = EPS * np.abs(layer.values[row]) + 1e-300


def _batch(x: Dyadic, layer: Layer, network: Network) -> Dyadic:
    return Dyadic(x.integers.reshape(1, *network.nodes[layer.source].shape), x.exponent)


def gradients_at(network: Network, states: list[Array]) -> tuple[list[Array], list[Array], float]:
    """Layer by layer, for points (rows of the states): norms of the gradients of the forms, sums of absolute paths; Gamma."""
    size = [network.nodes[i].size for i in _sources(network)]
    walls = [op.walls(s, k) for op, s, k in zip(network.folds, states, size, strict=True)]
    squares: list[Any] = [0.0] * len(walls)
    n, n_points = network.n_inputs, len(states[0])
    step = max(1, CHUNK // (_widest(network) * n_points))
    for a in range(0, n, step):
        k = min(step, n - a)
        directions = np.zeros((n_points, k, n))
        directions[:, np.arange(k), a + np.arange(k)] = 1.0
        for layer, x in enumerate(_pushed(network, directions, states)):
            squares[layer] = squares[layer] + (_each(walls[layer]).linear(x) ** 2).sum(axis=1)
    reached = _pushed(network, np.ones((n_points, 1, n)), states, absolute=True)
    paths = [_each(forms).sums(x)[:, 0] for forms, x in zip(walls, reached, strict=True)]
    rounding = sum((node.op.n_terms() + 3) * EPS for node in network.nodes[1:])
    return [np.sqrt(s) for s in squares], paths, rounding * (1 + 1e-6) + (n + 4) * EPS


def n_at_a_time(network: Network) -> int:
    """For so many points the gradients of a network are computed together."""
    return max(1, CHUNK // (_widest(network) * network.n_inputs))


def _widest(network: Network) -> int:
    return max(node.size for node in network.nodes)


def _each(forms: EntryForms) -> EntryForms:
    """Forms of points, for tensors with an axis of directions before the last."""
    arrays = (forms.neuron, forms.entry, forms.other, forms.sign, forms.constant)
    return EntryForms(*(a[:, None] if a is not None and a.ndim > 1 else a for a in arrays))  # type: ignore[arg-type]


def _sources(network: Network) -> list[int]:
    return [network.nodes[i].inputs[0] for i in network.layers]


class _Directions:
    """A semantics: directions (or absolute paths) carried through the pieces that states choose; keeps the layers' inputs."""

    def __init__(self, states: list[Array], absolute: bool) -> None:
        self._states, self._absolute = states, absolute
        self.inputs: list[Array] = []

    def affine(self, index: int, op: Affine, xs: list[Array]) -> Array:
        c = op.coefficients
        return op.linear(xs, c if c is None or not self._absolute else np.abs(c))

    def fold(self, index: int, op: Fold, x: Array, layer: int) -> Array:
        states, shape = self._states[layer], x.shape[1:]
        flat = x.reshape(len(states), -1, math.prod(shape))
        self.inputs.append(flat)
        pieces = op.pieces(states[:, None], shape)
        pieces = pieces.absolute() if self._absolute else pieces
        return pieces.linear(flat).reshape(len(x), *op.output_shape(shape))


def _pushed(network: Network, directions: Array, states: list[Array], *, absolute: bool = False) -> list[Array]:
    """From directions (points, directions, inputs) the input of every layer, its entries flat on the last axis."""
    semantics = _Directions(states, absolute)
    walk(network, semantics, {0: directions.reshape(-1, *network.input_shape)}, stop=network.layers[-1] + 1)
    return semantics.inputs


def form_values(layer: Layer, rows: int | slice) -> tuple[Array, Array]:
    """How far each wall of a layer is from zero at points, with bounds; infinite for walls that do not exist."""
    walls, z, e = layer.walls(rows), layer.values[rows], layer.bounds[rows]
    gap = np.abs(walls.values(z))
    return gap if walls.entry is None else np.where(walls.entry < 0, np.inf, gap), _bounds_of(walls, z, e)


def distances_at(network: Network, layers: list[Layer], rows: slice) -> list[tuple[Array, Array, Array]]:
    """For each layer: distance, lower and upper bound (points, forms) for each of its forms, in the cells of some points."""
    norms, paths, rounding = gradients_at(network, [layer.states[rows] for layer in layers])
    out = []
    for layer, g, a in zip(layers, norms, paths, strict=True):
        gap, bound = form_values(layer, rows)
        error = rounding * a
        with np.errstate(divide="ignore", invalid="ignore"):
            lower = np.maximum(gap - bound, 0.0) / (g * (1 + 1e-12) + error) * (1 - 1e-12)
            sure = g * (1 - 1e-12) > error
            upper = np.where(sure, (gap + bound) / (g * (1 - 1e-12) - error) * (1 + 1e-12), np.inf)
            middle = np.where(g > 0, gap / g, np.inf)
        nothing = (a == 0) | np.isinf(gap)
        middle, lower, upper = (np.where(nothing, np.inf, x) for x in (np.clip(middle, lower, upper), lower, upper))
        out.append((middle, lower, upper))
    return out
