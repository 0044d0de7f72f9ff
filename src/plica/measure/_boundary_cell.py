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

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from plica._types import Array
from plica.exact import Dyadic
from plica.geometry import Box
from plica.geometry.regions._jumps import linear_select
from plica.geometry.signs._exact_maps import ExactMap, states_exactly
from plica.geometry.values._tensors import EPS, Tensor, apply_affine, apply_fold
from plica.network import Affine, Clip, Fold, Max, Network, Rectifier

CHUNK = 4_000_000  # entries of the largest tensor at a time


@dataclass(eq=False)
class Layer:
    """One layer at some points: values of its inputs, bounds of their errors, states (decided exactly where need be)."""

    op: Fold
    source: int
    values: Array
    bounds: Array
    states: Array


def layers_at(network: Network, points: Array) -> list[Layer]:
    """All layers at all points (rows)."""
    n = len(points)
    tensors = {0: Tensor(points.reshape(n, -1), np.zeros(n))}
    found: list[Layer] = []
    doubtful = np.zeros(n, bool)
    live: dict[int, Array | None] = {0: None}  # which entries may differ from zero; None: all
    for i, node in enumerate(network.nodes[1:], start=1):
        if isinstance(node.op, Fold):
            source = node.inputs[0]
            x = tensors[source]
            rows = x.bound()
            bounds = rows.scale * rows.error[:, None] + rows.floor
            states = node.op.state(x.values.reshape(n, *network.nodes[source].shape)).reshape(n, -1)
            doubtful |= _is_doubtful(node.op, x.values, bounds, live[source])
            live[i] = (states == 1).astype(np.float64) if isinstance(node.op, Rectifier) and not node.op.slope.any() else None
            found.append(Layer(node.op, source, x.values, bounds, states))
            tensors[i] = apply_fold(node.op, x, network.nodes[source].shape)
        else:
            tensors[i] = apply_affine(network, i, [tensors[j] for j in node.inputs])
            live[i] = _live(node.op, [(live[j], network.nodes[j].shape) for j in node.inputs], n)
    for row in np.flatnonzero(doubtful):
        _settle(network, points[row], found, int(row))
    return found


def _live(op: Any, inputs: list[tuple[Array | None, tuple[int, ...]]], n: int) -> Array | None:
    """Entries that may differ from zero after an operation that moves or adds entries."""
    if op.coefficients is not None or any(mask is None for mask, _ in inputs):
        return None
    masks = [np.asarray(mask).reshape(n, *shape) for mask, shape in inputs]
    return (op.linear(masks, None) > 0).astype(np.float64).reshape(n, -1)


def _is_doubtful(op: Fold, values: Array, bounds: Array, live: Array | None) -> Array:
    """The points at which the state of some unit is not decided by the bounds."""
    if isinstance(op, Rectifier):
        return np.asarray((np.abs(values) <= bounds).any(axis=1))
    if isinstance(op, Clip):
        more = bounds + EPS * (np.abs(values) + max(abs(op.low), abs(op.high)))
        return np.asarray(((np.abs(values - op.low) <= more) | (np.abs(values - op.high) <= more)).any(axis=1))
    assert isinstance(op, Max)
    members, absent = _members(op)
    if members.shape[1] == 1:
        return np.zeros(len(values), bool)
    x = np.where(absent, -np.inf, values[:, members])
    order = np.argsort(x, axis=-1)[..., -2:]
    second, first = (np.take_along_axis(x, order[..., i : i + 1], axis=-1)[..., 0] for i in (0, 1))
    close = first - second <= 2 * bounds.max(axis=1)[:, None] + EPS * np.abs(first)
    if live is not None:  # two units that are switched off are both zero: a tie, and no doubt
        both = np.take_along_axis(live[:, members], order, axis=-1)
        close &= both.any(axis=-1)
    return np.asarray(close.any(axis=1))


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
    """For one point, by layer: norms of the gradients of the forms, sums of absolute paths, and the constant Gamma."""
    squares = [np.zeros(s) for s in _form_shapes(network)]
    n, widest = network.n_inputs, max(node.size for node in network.nodes)
    step = max(1, CHUNK // widest)
    for a in range(0, n, step):
        directions = np.zeros((min(step, n - a), n))
        directions[np.arange(len(directions)), a + np.arange(len(directions))] = 1.0
        for layer, _, x in _push(network, directions, states, absolute=False):
            squares[layer] += _form_squares(network, layer, x, states[layer])
    paths = [
        _form_paths(network, layer, x, states[layer]) for layer, _, x in _push(network, np.ones((1, n)), states, absolute=True)
    ]
    rounding = sum((node.op.n_terms() + 3) * EPS if isinstance(node.op, Affine) else 2 * EPS for node in network.nodes[1:])
    return [np.sqrt(s) for s in squares], paths, rounding * (1 + 1e-6) + (n + 4) * EPS


def _push(network: Network, directions: Array, states: list[Array], *, absolute: bool) -> Iterator[tuple[int, Fold, Array]]:
    """Directions (or absolute paths) carried through the piece that the states choose: the input of every layer, flattened."""
    n = len(directions)
    last = network.layers[-1]
    values = {0: directions.reshape(n, *network.input_shape)}
    layer = 0
    for i, node in enumerate(network.nodes[1 : last + 1], start=1):
        xs = [values[j] for j in node.inputs]
        if isinstance(node.op, Fold):
            yield layer, node.op, xs[0].reshape(n, -1)
            op = Rectifier(np.abs(node.op.slope)) if absolute and isinstance(node.op, Rectifier) else node.op
            values[i] = linear_select(
                op, xs[0], np.broadcast_to(states[layer].reshape(1, *node.shape), (n, *node.shape)), node.shape
            )
            layer += 1
        else:
            assert isinstance(node.op, Affine)
            c = node.op.coefficients
            values[i] = node.op.linear(xs, c if c is None or not absolute else np.abs(c))


def _members(op: Max) -> tuple[Array, Array]:
    """The members of each group (absent ones repeat the first) and which are absent."""
    groups = op.groups.reshape(-1, op.groups.shape[-1])
    return np.where(groups < 0, groups[:, :1], groups), groups < 0


def _form_shapes(network: Network) -> list[tuple[int, ...]]:
    """A rectifier and a clip have a gradient for each unit, a maximum one for each member of a group, against the winner."""
    return [
        (network.nodes[i].size,) if not isinstance(op := network.nodes[i].op, Max) else _members(op)[0].shape
        for i in network.layers
    ]


def _form_squares(network: Network, layer: int, x: Array, states: Array) -> Array:
    op = network.nodes[network.layers[layer]].op
    if isinstance(op, Max):
        members, _ = _members(op)
        winner = members[np.arange(len(members)), states]
        return np.asarray(((x[:, winner][:, :, None] - x[:, members]) ** 2).sum(axis=0))
    return np.einsum("ij,ij->j", x, x)


def _form_paths(network: Network, layer: int, x: Array, states: Array) -> Array:
    op = network.nodes[network.layers[layer]].op
    if isinstance(op, Max):
        members, _ = _members(op)
        winner = members[np.arange(len(members)), states]
        return np.asarray(x[0, winner][:, None] + x[0, members])
    return x[0]


def form_values(layer: Layer, row: int) -> tuple[Array, Array]:
    """How far each form of a layer is from zero at a point, with bounds; infinite for forms that do not exist."""
    z, e = layer.values[row], layer.bounds[row]
    if isinstance(layer.op, Rectifier):
        return np.abs(z), e
    if isinstance(layer.op, Clip):
        gap = np.minimum(np.abs(z - layer.op.low), np.abs(z - layer.op.high))
        return gap, e + EPS * (np.abs(z) + max(abs(layer.op.low), abs(layer.op.high)))
    assert isinstance(layer.op, Max)
    members, absent = _members(layer.op)
    places = np.arange(members.shape[1])[None] == layer.states[row][:, None]
    winner = members[np.arange(len(members)), layer.states[row]]
    gap = np.abs(z[winner][:, None] - z[members])
    bound = e[winner][:, None] + e[members] + EPS * np.abs(z[winner])[:, None]
    return np.where(absent | places, np.inf, gap), bound


def distances_at(network: Network, layers: list[Layer], row: int) -> list[tuple[Array, Array, Array]]:
    """For each layer: distance, lower and upper bound for each of its forms, in the cell of one point."""
    norms, paths, rounding = gradients_at(network, [layer.states[row] for layer in layers])
    out = []
    for layer, g, a in zip(layers, norms, paths, strict=True):
        gap, bound = form_values(layer, row)
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
