"""Level sets and decision boundaries: one more fold on top of the network, cut into its complex with the same exactness."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from plica._types import Array
from plica.errors import InvalidInput
from plica.geometry._budget import Budget, Meter, reading
from plica.geometry.line._engine import PARAMETERS, LineWalker
from plica.geometry.plane._engine import PlaneStart, PlaneWalker
from plica.geometry.signs._positions import settled_positions
from plica.geometry.values._tensors import EPS, UNDERFLOW, Tensor
from plica.network import Affine, Fold, Gather, Max, Network, Rectifier, Scale, extended

if TYPE_CHECKING:
    from plica.geometry.line._complex import LineComplex
    from plica.geometry.plane._complex import PlaneComplex


def _check_output(network: Network, output: Any) -> int:
    if not isinstance(output, (int, np.integer)) or not 0 <= output < network.n_outputs:
        raise InvalidInput(f"there is no output {output!r}; the network has outputs 0 to {network.n_outputs - 1}.")
    return int(output)


def level_ops(network: Network, value: float, output: int) -> list[Affine | Fold]:
    if not np.isfinite(value):
        raise InvalidInput(f"the level must be a finite number, got {value}.")
    index = np.array([_check_output(network, output)])
    return [Gather(index), Scale(np.ones(1), np.array([-float(value)])), Rectifier()]


def decision_ops(network: Network, outputs: Sequence[int] | None) -> list[Affine | Fold]:
    if network.n_outputs == 1 and outputs is None:
        return level_ops(network, 0.0, 0)
    chosen = list(range(network.n_outputs)) if outputs is None else [_check_output(network, i) for i in outputs]
    if len(set(chosen)) < 2:
        raise InvalidInput(f"a decision is between at least two outputs, got {chosen}.")
    groups = np.arange(len(chosen))[None]
    return [Gather(np.array(chosen)), Scale(np.ones(1), np.zeros(1)), Max(groups)]


def _top_tensor(outputs: Tensor, ops: list[Affine | Fold], exponent: int) -> Tensor:
    """The input of the new fold at the vertices, scaled as the output is."""
    gather, shift = ops[0], ops[1]
    assert isinstance(gather, Gather) and isinstance(shift, Scale) and shift.offset is not None
    constant = np.ldexp(shift.offset, -exponent)
    values = outputs.values[:, gather.indices] + constant
    error = outputs.error + EPS * (np.abs(values).max(initial=0.0) + np.abs(constant).max()) + UNDERFLOW
    return Tensor(np.ascontiguousarray(values), error)


@reading
@np.errstate(over="ignore", under="ignore", invalid="ignore")  # what floating point loses, exact arithmetic decides
def _plane_cut(cx: PlaneComplex, ops: list[Affine | Fold]) -> Array:
    network = extended(cx.network, ops)
    layer, index = len(network.layers) - 1, len(network.nodes) - 1
    exponents = [cx._exponent] * len(network.nodes)
    tensors = {index - 1: _top_tensor(cx._outputs, ops, cx._exponent), PARAMETERS: cx._walk.parameters}
    start = PlaneStart(cx._walk.mesh, tensors, cx._walk.exact.layers, [])
    walker = PlaneWalker(network, network, exponents, cx.domain, Meter(cx.budget or Budget(), layer + 1), start=start)
    walker.fold(layer, index)
    states = walker.states[-1].rows(slice(None))[:, 0]
    sides = walker.mesh.edge_cells()
    inner = (sides >= 0).all(axis=1)
    differ = inner & (states[sides[:, 0]] != states[sides[:, 1]])
    return settled_positions(walker.tensors[PARAMETERS], walker.mesh.vertex_hyperplanes, walker.exact)[walker.mesh.edges[differ]]


def level_segments(cx: PlaneComplex, value: float, output: int) -> Array:
    return _plane_cut(cx, level_ops(cx.network, value, output))


def decision_segments(cx: PlaneComplex, outputs: Sequence[int] | None) -> Array:
    return _plane_cut(cx, decision_ops(cx.network, outputs))


@reading
@np.errstate(over="ignore", under="ignore", invalid="ignore")  # what floating point loses, exact arithmetic decides
def _line_cut(cx: LineComplex, ops: list[Affine | Fold]) -> Array:
    network = extended(cx.network, ops)
    layer, index = len(network.layers) - 1, len(network.nodes) - 1
    found = []
    for part in cx._parts:
        exponents = [cx._exponent] * len(network.nodes)
        walker = LineWalker(
            network, network, exponents, part.domain, Meter(cx.budget or Budget(), layer + 1), layers=part.exact.layers
        )
        tensors = {index - 1: _top_tensor(part.chunk.outputs, ops, cx._exponent), PARAMETERS: part.chunk.parameters}
        line, tensors, done, _ = walker.fold(layer, index, part.chunk.hyperplanes, tensors, 0)
        states = done.states.neuron_states(0, len(line) - 1)
        changes = np.flatnonzero(states[1:] != states[:-1]) + 1
        found.append(settled_positions(tensors[PARAMETERS], line, walker.exact)[changes, 0] + part.start)
    return np.concatenate(found)


def level_points(cx: LineComplex, value: float, output: int) -> Array:
    return _line_cut(cx, level_ops(cx.network, value, output))


def decision_points(cx: LineComplex, outputs: Sequence[int] | None) -> Array:
    return _line_cut(cx, decision_ops(cx.network, outputs))
