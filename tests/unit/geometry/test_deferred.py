"""The dense layer after a layer of ReLUs, carried to new vertices by its kinks."""

from fractions import Fraction
from itertools import pairwise

import numpy as np
import pytest

from plica.geometry import Box, Budget
from plica.geometry._budget import Meter
from plica.geometry.plane._deferred import is_deferrable
from plica.geometry.plane._engine import PlaneWalker
from plica.geometry.signs._oracle import CutOracle
from plica.geometry.values._rescaling import rescaled
from plica.network import Fold, Linear, Network, Rectifier, random_network

SQUARE = Box([-1, -1], [1, 1])


def _integers(widths: list[int], seed: int) -> Network:
    rng = np.random.default_rng(seed)
    ops: list = []
    for a, b in pairwise(widths):
        weight = rng.integers(-2, 3, (b, a)).astype(float)
        weight[b // 2] = -2 * weight[0]  # folds that coincide
        bias = rng.integers(-1, 2, b).astype(float)
        bias[b // 2] = -2 * bias[0]
        ops += [Linear(weight, bias), Rectifier()]
    return Network.sequential(widths[0], ops[:-1])


def _near(widths: list[int], seed: int) -> Network:
    """Folds a rounding error apart: integers decide their order, so that kinks are not where floating point has them."""
    net = random_network(widths, seed=seed, weights="he-normal", bias_std=0.5)
    ops = [node.op for node in net.nodes[1:]]
    first = ops[0]
    assert isinstance(first, Linear) and first.bias is not None
    weight, bias = first.weight.copy(), first.bias.copy()
    weight[1], bias[1] = weight[0] * (1 + 3e-16), bias[0]
    weight[2], bias[2] = weight[0] * -0.3, bias[0] * -0.3
    return Network.sequential(widths[0], [Linear(weight, bias), *ops[1:]])


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("make", [_integers, _near, lambda w, s: random_network(w, seed=s, weights="he-normal", bias_std=0.5)])
def test_values_at_every_vertex_lie_within_their_bounds(make, seed):
    net = make([2, 8, 7, 6, 1], seed)
    floats, exponents = rescaled(net, SQUARE)
    assert not any(exponents)
    w = PlaneWalker(net, floats, exponents, SQUARE, Meter(Budget(), len(net.layers)))
    layer, checked = 0, 0
    for index in range(1, len(net.nodes) - 1):
        node = net.nodes[index]
        if isinstance(node.op, Fold):
            x = w.tensors[node.inputs[0]]
            oracle = CutOracle(w.exact, w.mesh, layer, exponent=exponents[node.inputs[0]])
            rows = x.bound()
            for v in range(0, len(x.values), max(1, len(x.values) // 60)):
                numbers, below = oracle.integers(v)
                exact = [Fraction(a, below) * Fraction(2) ** oracle._exponent for a in numbers]
                for k, true in enumerate(exact):
                    miss = abs(Fraction(float(x.values[v, k])) - true)
                    assert miss <= Fraction(float(rows.scale[k] * rows.error[v] + rows.floor[k]))
                    assert miss == 0 or x.dyadic is None or not x.dyadic.rows[v]
                    checked += 1
            w.fold(layer, index)
            layer += 1
        else:
            w.affine(index)
    assert checked > 200


def test_only_a_dense_layer_right_after_the_relus_is_reached_this_way():
    net = random_network([2, 4, 4, 1], seed=0)
    assert [is_deferrable(net, i) for i in net.layers] == [True, True]
    leaky = Network.sequential(2, [Linear(np.ones((3, 2))), Rectifier(np.full(3, 0.1)), Linear(np.ones((1, 3)))])
    assert not is_deferrable(leaky, leaky.layers[0])
