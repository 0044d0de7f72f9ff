"""Networks up to permutation and rescaling: what was done to a network is found, and nothing else is called equal."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from plica.errors import InvalidInput
from plica.geometry import Box
from plica.measure import compare, equivalence
from plica.measure._perceptron import dense_layers
from plica.network import Linear, Network, Rectifier, random_network


def moved(net: Network, seed: int, scales: tuple[float, ...] = (0.25, 0.5, 1.0, 2.0, 8.0)) -> tuple[Network, list[np.ndarray]]:
    """The network with the units of each hidden layer in another order and scale, and the orders."""
    rng = np.random.default_rng(seed)
    layers = [(w.copy(), b.copy()) for w, b in dense_layers(net)]
    orders = []
    for i in range(len(layers) - 1):
        (w, b), (v, c) = layers[i], layers[i + 1]
        order, scale = rng.permutation(len(b)), rng.choice(scales, len(b))
        layers[i] = (w[order] * scale[:, None], b[order] * scale)
        layers[i + 1] = (v[:, order] / scale, c)
        orders.append(order)
    ops: list[Linear | Rectifier] = []
    for w, b in layers:
        ops += [Linear(w, b), Rectifier()]
    return Network.sequential(net.n_inputs, ops[:-1]), orders


@pytest.mark.parametrize("widths", [(2, 5, 1), (3, 6, 4, 2), (4, 8, 8, 8, 3)])
@pytest.mark.parametrize("seed", range(3))
def test_orders_and_scales_are_found_and_equality_is_proved(widths: tuple[int, ...], seed: int) -> None:
    net = random_network(widths, seed=seed, weights="he-normal", bias_std=0.3)
    other, orders = moved(net, seed)
    found = equivalence(net, other)
    assert found.is_exact and found.deviation == 0
    assert all((p == q).all() for p, q in zip(found.permutations, orders, strict=True))
    rows = [np.abs(np.column_stack([w, b])).sum(axis=1) for w, b in dense_layers(net)]
    first = np.abs(np.column_stack(dense_layers(other)[0])).sum(axis=1) / rows[0][orders[0]]
    assert np.allclose([float(s) for s in found.scales[0]], first)
    assert not equivalence(net, random_network(widths, seed=seed + 50)).is_exact


def test_one_bit_is_noticed_wherever_it_is() -> None:
    net = random_network([2, 4, 3, 2], seed=0)
    other, _ = moved(net, 1)
    for layer in range(3):
        for part in range(2):
            layers = [[w.copy(), b.copy()] for w, b in dense_layers(other)]
            entry = layers[layer][part].reshape(-1)
            entry[-1] = np.nextafter(entry[-1], 9.0)
            ops: list[Linear | Rectifier] = []
            for w, b in layers:
                ops += [Linear(w, b), Rectifier()]
            found = equivalence(net, Network.sequential(2, ops[:-1]))
            assert 0 < found.deviation < 1e-14 and not found.is_exact


def test_scales_that_round_leave_a_deviation_as_small_as_rounding() -> None:
    net = random_network([3, 6, 5, 1], seed=2)
    other, orders = moved(net, 2, scales=(0.3, 0.7, 1.1))
    found = equivalence(net, other)
    assert not found.is_exact and found.deviation < Fraction(1, 2**48)
    assert all((p == q).all() for p, q in zip(found.permutations, orders, strict=True))
    far = compare(net, other, Box([-1.0, 0.5, -1.0], [1.0, 0.5, 1.0]))
    assert not far.is_equal and float(far.largest) < 1e-13


def test_a_negative_factor_is_no_rescaling() -> None:
    net = random_network([2, 3, 1], seed=0)
    (w, b), (v, c) = dense_layers(net)
    flipped = Network.sequential(2, [Linear(-w, -b), Rectifier(), Linear(-v, c)])
    assert equivalence(net, flipped).deviation > Fraction(1, 100)


def test_repeated_and_dead_units_do_no_harm() -> None:
    weight = np.array([[1.0, 2.0], [1.0, 2.0], [0.0, 0.0], [3.0, -1.0]])
    net = Network.sequential(2, [Linear(weight, np.array([1.0, 1.0, 0.0, 0.5])), Rectifier(), Linear(np.ones((1, 4)))])
    other, _ = moved(net, 4)
    assert equivalence(net, other).is_exact
    # one unit twice: what is read from both counts, not from which
    shared = Network.sequential(2, [net.nodes[1].op, Rectifier(), Linear(np.array([[0.5, 1.5, 7.0, 1.0]]))])
    assert equivalence(net, shared).is_exact and equivalence(shared, net).is_exact
    less = Network.sequential(2, [net.nodes[1].op, Rectifier(), Linear(np.array([[0.5, 1.0, 1.0, 1.0]]))])
    assert not equivalence(net, less).is_exact


def test_other_shapes_are_refused() -> None:
    with pytest.raises(InvalidInput, match="other sizes"):
        equivalence(random_network([2, 3, 1], seed=0), random_network([2, 4, 1], seed=0))
    with pytest.raises(InvalidInput, match="chain of dense layers"):
        equivalence(*[Network.sequential(2, [Linear(np.eye(2)), Rectifier(0.1), Linear(np.ones((1, 2)))])] * 2)
