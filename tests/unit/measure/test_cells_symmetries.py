"""Symmetries: known networks, every direction against the derivatives, and arithmetic modulo primes against plain integers."""

from __future__ import annotations

import numpy as np
import pytest

from plica.geometry import Box, Space, decompose
from plica.measure import symmetries
from plica.measure._perceptron import dense_layers
from plica.measure.cells._functional import _modulo, derivatives
from plica.measure.cells._modular import PRIMES, Span, multiplied
from plica.measure.cells._symmetries import _modular, _Places
from plica.network import Linear, Network, Rectifier, random_network

P = PRIMES[0]


def layer(weight: list[list[float]], bias: list[float], read: list[list[float]]) -> Network:
    return Network.sequential(len(weight[0]), [Linear(np.array(weight), np.array(bias)), Rectifier(), Linear(np.array(read))])


@pytest.mark.parametrize("widths", [(2, 4, 1), (2, 3, 3, 1), (3, 4, 2)])
def test_a_generic_network_has_its_rescalings_alone(widths: tuple[int, ...]) -> None:
    found = symmetries(decompose(random_network(widths, seed=3, weights="he-normal", bias_std=0.5), Space(widths[0])))
    assert found.dimensions["rescalings"] == sum(widths[1:-1])
    assert not found.repeated and found.n_known + found.n_hidden + found.functional.value == found.functional.n_parameters
    if len(widths) == 3:
        assert found.n_hidden == 0 and found.n_known == sum(widths[1:-1]) and found.kind == "exact"


def test_a_repeated_unit_lets_output_move() -> None:
    net = layer([[1.0, 2.0], [0.5, 1.0], [1.0, -1.0]], [1.0, 0.5, 0.25], [[1.0, 3.0, 1.0]])
    found = symmetries(decompose(net, Space(2)))
    assert found.repeated == (((0, 0), (0, 1)),) and found.dimensions["repeated"] == 1
    assert found.n_hidden == 3 - 1  # the two rows may also turn against each other: three numbers, one of them a rescaling


def test_a_dead_unit_has_idle_parameters() -> None:
    net = layer([[1.0, 0.0], [0.0, 0.0], [0.0, 1.0]], [0.0, -1.0, 0.5], [[1.0, 5.0, 1.0]])
    found = symmetries(decompose(net, Space(2)))
    assert found.dead == ((0, 1),) and found.dimensions["idle"] == 4 - 1 and found.n_hidden == 0
    assert np.flatnonzero(found.idle).tolist() == [2, 3, 7, 10]


def test_linear_units_mix() -> None:
    net = layer([[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]], [8.0, 8.0, 0.25], [[1.0, 2.0, 1.0]])
    found = symmetries(decompose(net, Box([-1, -1], [1, 1])))
    assert found.linear == ((0, 0), (0, 1)) and found.dimensions["linear"] == 4
    assert found.functional.value == 13 - found.n_known - found.n_hidden


@pytest.mark.parametrize("seed", range(4))
def test_every_direction_is_in_the_kernel(seed: int) -> None:
    rng = np.random.default_rng(seed)
    first = rng.integers(-2, 3, (5, 2)).astype(float)
    first[1], bias = 2 * first[0], rng.integers(-2, 3, 5).astype(float)
    bias[1], bias[4] = 2 * bias[0], 9.0
    second, last = rng.integers(-2, 3, (3, 5)).astype(float), rng.integers(-2, 3, (2, 3)).astype(float)
    ops = [Linear(first, bias), Rectifier(), Linear(second, np.array([9.0, -1.0, 0.0])), Rectifier(), Linear(last)]
    cx = decompose(Network.sequential(2, ops), Box([-1, -1], [1, 1]))
    layers, found = dense_layers(cx.network), symmetries(cx)
    place = _Places(layers)
    directions = [place.rescaled(k, u) for k in (0, 1) for u in range(len(layers[k][1]))]
    directions += [{int(i): 1} for i in np.flatnonzero(found.idle)]  # type: ignore[dict-item]
    directions += [d for group in found.repeated for other in group[1:] for d in place.exchanged(group[0], other)]
    directions += [place.shifted(*a) for a in found.linear]
    directions += [place.mixed(a, b) for a in found.linear for b in found.linear if a[0] == b[0] and a != b]
    modular = [(_modulo(w, P), _modulo(b, P)) for w, b in layers]
    points = np.array([[0, 0], [1, 0], [0, 1]])
    patterns = [x.reshape(cx.n_cells, -1).astype(np.int64) for x in cx.patterns()]
    kernel = _modular(directions, found.functional.n_parameters)
    for cell in range(cx.n_cells):
        rows = derivatives(modular, [x[cell] for x in patterns], points, P)
        assert not multiplied(rows, kernel.T, P).any()
    assert found.n_hidden >= 0 and (0, 1) in {unit for group in found.repeated for unit in group}


@pytest.mark.parametrize("seed", range(3))
def test_products_and_spans_are_those_of_plain_integers(seed: int) -> None:
    rng = np.random.default_rng(seed)
    a, b = rng.integers(0, P, (7, 40)), rng.integers(0, P, (40, 9))
    assert (multiplied(a, b, P) == (a.astype(object) @ b.astype(object)) % P).all()
    rows = multiplied(rng.integers(0, P, (30, 6)), rng.integers(0, P, (6, 20)), P)
    span = Span(20, P)
    for part in np.split(rows, 5):
        span.add(part)
    assert span.rank == 6 and not span.rest(rows).any()
    assert (span.rows[:, span.pivots] == np.eye(6, dtype=np.int64)).all()
    assert span.rest(rng.integers(0, P, (1, 20))).any()
