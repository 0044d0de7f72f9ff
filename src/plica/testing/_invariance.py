"""Invariance: the same function written differently has the same complex."""

from __future__ import annotations

import numpy as np

from plica.geometry import Plane
from plica.network import Linear, Network
from plica.testing._case import Case
from plica.testing._rewrites import after, permuted, rescaled, with_dead_neuron, with_doubled_neuron


def _layers(case: Case) -> list[tuple[int, int]]:
    return [(i, case.network.nodes[index].size) for i, index in enumerate(case.network.layers)]


def _compare(case: Case, other: Network | None, what: str) -> None:
    if other is None:
        return
    cx, own = case.engine(other, case.domain), case.complex
    if (cx.n_cells, cx.n_regions) != (own.n_cells, own.n_regions):
        case.fail(f"{what}: {cx.n_cells} cells and {cx.n_regions} regions instead of {own.n_cells} and {own.n_regions}")
    if {cx.exact_vertex(i) for i in range(cx.n_vertices)} != set(case.vertices):
        case.fail(f"{what}: the vertices move")


def check_permutation(case: Case) -> None:
    """The order of the neurons does not matter."""
    rng = case.rng("permutation")
    for layer, size in _layers(case):
        _compare(case, permuted(case.network, layer, rng.permutation(size)), f"neurons of layer {layer} permuted")


def check_rescaling(case: Case) -> None:
    """Neurons times powers of two, their readers divided by them."""
    rng = case.rng("rescaling")
    for layer, size in _layers(case):
        powers = rng.integers(-40, 41, size)
        _compare(case, rescaled(case.network, layer, powers), f"neurons of layer {layer} times 2**{powers.tolist()}")


def check_dead_neuron(case: Case) -> None:
    """A neuron that is never active adds nothing."""
    for layer, _ in _layers(case):
        _compare(case, with_dead_neuron(case.network, layer), f"a dead neuron in layer {layer}")


def check_doubled_neuron(case: Case) -> None:
    """A neuron written twice adds nothing."""
    rng = case.rng("doubling")
    for layer, size in _layers(case):
        neuron = int(rng.integers(size))
        _compare(case, with_doubled_neuron(case.network, layer, neuron), f"neuron {neuron} of layer {layer} twice")


def check_chart(case: Case) -> None:
    """A linear map in front of the network is the same as a sheared domain."""
    if case.network.n_inputs != 2 or case.network.input_shape != (2,):
        return
    matrix = case.rng("chart").normal(size=(2, 2))
    window = case.domain.window
    front = case.engine(after(case.network, Linear(matrix), n_inputs=2), Plane(np.zeros(2), np.eye(2), window=window))
    sheared = case.engine(case.network, Plane(np.zeros(2), matrix.T, window=window))
    if (front.n_cells, front.n_regions) != (sheared.n_cells, sheared.n_regions):
        case.fail(f"{front.n_cells} cells with a linear map in front, {sheared.n_cells} with it in the domain")
    if {front.exact_vertex(i) for i in range(front.n_vertices)} != {sheared.exact_vertex(i) for i in range(sheared.n_vertices)}:
        case.fail("a linear map in front and in the domain give other vertices")
