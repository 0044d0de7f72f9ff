"""Whether a fold changes the network's map: what one unit's change does to the output.

Two neighboring cells that differ in the state of one unit have the same map exactly when nothing that leaves this unit reaches
the output through the states of the later units. The unit vector of the unit is pushed through the rest of the network: in
floating point with an error bound, which proves a difference, or a zero where every path is cut; otherwise in integers.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from plica._types import Array
from plica.exact import Dyadic, align
from plica.geometry._budget import tick
from plica.geometry.signs._cell_maps import CellMaps, cell_maps
from plica.geometry.signs._decisions import Tally
from plica.geometry.signs._exact_maps import ExactMap
from plica.geometry.signs._ladder import Question, climb
from plica.geometry.signs._precision import Precision
from plica.geometry.values._tensors import EPS, affine_constants
from plica.network import Affine, Fold, Network, walk

UNPROVED = -1


class SameMaps(Question):
    """Is the network one affine function on two neighboring cells? Items are rows of ``pairs``; answers are in ``differs``."""

    def __init__(self, exact: ExactMap, pairs: Array) -> None:
        self.exact, self.pairs = exact, pairs
        self.differs = np.full(len(pairs), UNPROVED, np.int8)

    def decide(self, precision: Precision, items: Array) -> Array:
        for some in cell_maps(self.exact, precision).parts(items):
            if precision is Precision.DOUBLE:
                self._push(some)
            some = some[self.differs[some] == UNPROVED]
            self.differs[some[_differ(cell_maps(self.exact, precision), self.pairs[some])]] = 1
        return self.differs[items] != UNPROVED

    def _push(self, items: Array) -> None:
        """Where a single unit changes: whether the change reaches the output."""
        exact, pairs = self.exact, self.pairs[items]
        states, others = exact.states(pairs[:, 0]), exact.states(pairs[:, 1])
        changes = [x != y for x, y in zip(states, others, strict=True)]
        alone = sum(c.sum(axis=1) for c in changes) == 1
        for layer, change in enumerate(changes):
            rows = np.flatnonzero(alone & change.any(axis=1))
            units = change[rows].argmax(axis=1)
            bent = has_breakpoint(exact.network, layer, units)
            self.differs[items[rows[~bent]]] = 0
            rows = rows[bent]
            if len(rows):
                self.differs[items[rows]] = reaches_output(exact.network, layer, units[bent], [s[rows] for s in states])

    def decide_exactly(self, items: Array) -> None:
        for i in items.tolist():
            x, y = (self.exact.output(int(c)) for c in self.pairs[i])
            self.differs[i] = not integer_equal(x, y)


def integer_equal(x: Dyadic, y: Dyadic) -> bool:
    """Whether two maps have the same integer columns."""
    (a, b), _ = align(x, y)
    return bool((a == b).all())


def same_maps(exact: ExactMap, pairs: Array, tally: Tally) -> Array:
    """Whether the network is the same affine function on both neighboring cells of each pair. The answers are proved."""
    question = SameMaps(exact, pairs)
    climb(question, np.arange(len(pairs)), tally)
    return question.differs == 0


def _differ(maps: CellMaps, pairs: Array) -> Array:
    """Whether floating point shows that the maps of two cells differ."""
    if not len(pairs):
        return np.zeros(0, np.bool_)
    with np.errstate(all="ignore"):
        (x, error), which = maps.output(pairs)
        a, b = which.reshape(pairs.shape).T
        return np.asarray((np.abs(x[a] - x[b]) > (error[a] + error[b])[..., None] * (1 + 1e-6)).any(axis=(1, 2)))


def has_breakpoint(network: Network, layer: int, units: Array) -> Array:
    """Whether the units' own maps change with their states; a rectifier with slope one only changes its name."""
    return network.folds[layer].bends(units, network.nodes[network.layers[layer]].shape)


def reaches_output(network: Network, layer: int, units: Array, states: list[Array]) -> Array:
    """Whether a change of a unit's output changes the network's output, given the states of later units: 1, 0 or UNPROVED.

    Row i is about ``units[i]`` and row i of the states of each layer. Beside the numbers goes a mask of the entries that any path
    of nonzero weights and open units reaches.
    """
    start, n = network.layers[layer], len(units)
    seed = np.zeros((n, network.nodes[start].size))
    seed[np.arange(n), units] = 1.0
    seed = seed.reshape(n, *network.nodes[start].shape)
    before: dict[int, _Pushed | None] = dict.fromkeys(range(start), None)
    before[start] = _Pushed(seed, seed, np.zeros(n))
    last = walk(network, _Push(network, states, n), before, start=start + 1)[len(network.nodes) - 1]
    if last is None:
        return np.zeros(n, np.int8)
    sure = np.abs(last.value.reshape(n, -1)).max(axis=1) > 2 * last.error + 1e-250
    return np.where(sure, 1, np.where(last.mask.reshape(n, -1).any(axis=1), UNPROVED, 0)).astype(np.int8)


@dataclass(frozen=True, eq=False)
class _Pushed:
    """What a change becomes: its value, a mask of the entries it reaches, and a bound of the value's error in the 2-norm."""

    value: Array
    mask: Array
    error: Array


class _Push:
    """A semantics: changes of single neurons, None where nothing arrives."""

    def __init__(self, network: Network, states: list[Array], n: int) -> None:
        self._network, self._states, self._n = network, states, n

    def affine(self, index: int, op: Affine, xs: list[_Pushed | None]) -> _Pushed | None:
        if all(x is None for x in xs):
            return None
        shapes = [self._network.nodes[i].shape for i in self._network.nodes[index].inputs]
        tick(16 * self._n * self._network.nodes[index].size)
        nothing = [np.zeros((self._n, *shape)) for shape in shapes]
        values = [zero if x is None else x.value for x, zero in zip(xs, nothing, strict=True)]
        masks = [zero if x is None else x.mask for x, zero in zip(xs, nothing, strict=True)]
        error = np.sum([x.error for x in xs if x is not None], axis=0)
        norms = sum(np.linalg.norm(x.reshape(self._n, -1), axis=1) for x in values)
        coefficients, c = op.coefficients, affine_constants(self._network, index)
        mask = op.linear(masks, None if coefficients is None else (coefficients != 0).astype(np.float64))
        return _arrived(op.linear(values, coefficients), mask, c.gain * error + c.gamma * c.absolute_gain * norms)

    def fold(self, index: int, op: Fold, x: _Pushed | None, layer: int) -> _Pushed | None:
        if x is None:
            return None
        shape = self._network.nodes[index].shape
        value, mask = (linear_select(op, y, self._states[layer], shape) for y in (x.value, x.mask))
        error = op.lipschitz() * x.error
        if len(op.factors):
            error = error + EPS * np.linalg.norm(value.reshape(self._n, -1), axis=1)
        return _arrived(value, mask, error)


def _arrived(value: Array, mask: Array, error: Array) -> _Pushed | None:
    return _Pushed(value, (mask != 0).astype(np.float64), error) if mask.any() else None


def linear_select(op: Fold, x: Array, states: Array, shape: tuple[int, ...]) -> Array:
    """The linear part of the piece that the states choose."""
    n = len(x)
    return op.pieces(states.reshape(len(states), -1), x.shape[1:]).linear(x.reshape(n, -1)).reshape(n, *shape)
