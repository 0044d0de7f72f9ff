"""Affine operations on pairs of doubles: errors within their bounds, in fractions, and gains of two operations together."""

from fractions import Fraction
from typing import Any, cast

import numpy as np
import pytest

from plica.geometry.values import _pairs
from plica.geometry.values._composed import error_gain
from plica.geometry.values._pairs import Pairs, pair_affine
from plica.geometry.values._tensors import affine_constants
from plica.network import Builder, Network
from plica.network.operations import Add, Conv, Linear, Rectifier, Scale

RNG = np.random.default_rng


def _exactly(network: Network, index: int, xs: list[Pairs]) -> list[list[Fraction]]:
    """The node on the pairs as they are, column by column, from its matrix, in fractions."""
    node = network.nodes[index]
    op: Any = node.op
    n, d = len(xs), xs[0].high.shape[1]
    rows = [[Fraction(h) + Fraction(v) for h, v in zip(x.high[0, k], x.low[0, k], strict=True)] for k in range(d) for x in xs]
    if n > 1:
        sums = [[sum(entry) for entry in zip(*rows[n * k : n * (k + 1)], strict=True)] for k in range(d)]
    else:
        matrix = op.matrix(network.nodes[node.inputs[0]].shape).toarray()
        weights = [[(j, Fraction(w)) for j, w in enumerate(row) if w] for row in matrix]
        sums = [[sum((w * row[j] for j, w in line), Fraction(0)) for line in weights] for row in rows]
    if op.offset is not None:
        offset = np.broadcast_to(op.offset, node.shape).reshape(-1)
        sums[-1] = [s + Fraction(b) for s, b in zip(sums[-1], offset, strict=True)]
    return sums


def _graph(shape: Any, *nodes: tuple[Any, tuple[int, ...]]) -> Network:
    graph = Builder(shape)
    for op, inputs in nodes:
        graph.add(op, *inputs)
    return graph.build()


def _network(seed: int) -> Network:
    rng = RNG(seed)
    weight = rng.normal(size=(3, 2, 3, 3)) * np.exp(rng.normal(size=(3, 1, 1, 1)))
    if seed % 2:
        weight = weight.astype(np.float32).astype(float)
    conv = Conv(weight, rng.normal(size=3), (1, 1), ((1, 1), (1, 1)), (1, 1))
    scale = Scale(1 / np.abs(weight).max(axis=(1, 2, 3)).reshape(3, 1, 1), rng.normal(size=(3, 1, 1)))
    again = Scale(rng.normal(size=(3, 1, 1)) * 1e3, None)
    nodes = [(conv, (0,)), (scale, (1,)), (again, (2,)), (Add(), (2, 3)), (Rectifier(), (4,))]
    return _graph((2, 4, 4), *nodes)


@pytest.mark.parametrize("seed", range(6))
def test_pairs_are_within_their_bounds_of_what_fractions_say(seed: int) -> None:
    network, rng = _network(seed), RNG(100 + seed)
    high = rng.normal(size=(1, 2, 32)) * np.exp(5 * rng.normal(size=(1, 2, 32)))
    given = Pairs(high, high * rng.uniform(-1, 1, size=high.shape) * 2.0**-54, np.zeros((1, 2)))
    made: dict[int, Pairs] = {0: given}
    for i in (1, 2, 3, 4):
        xs = [Pairs(made[j].high, made[j].low, np.zeros((1, 2))) for j in network.nodes[i].inputs]
        made[i] = pair_affine(network, i, xs)
        size = float(np.abs(made[i].high).max())
        for k, exact in enumerate(_exactly(network, i, xs)):
            found = [Fraction(h) + Fraction(v) for h, v in zip(made[i].high[0, k], made[i].low[0, k], strict=True)]
            error = sum((a - b) ** 2 for a, b in zip(found, exact, strict=True))
            assert error <= Fraction(made[i].error[0, k]) ** 2
            assert made[i].error[0, k] < 1e-19 * size  # and the bound says that digits were gained


OPTIONS = [
    ((4, 4), {"stride": (1, 1), "padding": ((1, 1), (1, 1)), "dilation": (1, 1)}),
    ((5, 7), {"stride": (2, 1), "padding": ((0, 2), (1, 0)), "dilation": (1, 1)}),
    ((7, 6), {"stride": (1, 2), "padding": ((2, 2), (2, 1)), "dilation": (2, 2)}),
    ((9,), {"stride": (1,), "padding": ((1, 1),), "dilation": (1,)}),
]


@pytest.mark.parametrize(("sides", "options"), OPTIONS)
@pytest.mark.parametrize(("n_rows", "channels"), [(1, 2), (2, 3), (5, 1)])
def test_convolutions_of_few_rows_are_within_their_bounds_of_what_fractions_say(
    sides: Any, options: Any, n_rows: int, channels: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(_pairs, "LEAST_PRODUCTS", 0)
    rng = RNG(channels)
    weight = rng.normal(size=(9, channels, *[3] * len(sides)))
    network = _graph((channels, *sides), (Conv(weight, rng.normal(size=9), **options), (0,)))
    shape = (1, n_rows, network.nodes[0].size)
    high = rng.normal(size=shape) * np.exp(5 * rng.normal(size=shape)) * (rng.random((1, 1, shape[2])) < 0.6)
    given = Pairs(high, high * rng.uniform(-1, 1, size=shape) * 2.0**-54, np.zeros((1, n_rows)))
    assert _pairs._windows(network, 1) is not None
    made = pair_affine(network, 1, [given])
    monkeypatch.setattr(_pairs, "FEW_ROWS", 0)
    other = pair_affine(network, 1, [given])
    for k, exact in enumerate(_exactly(network, 1, [given])):
        found = [Fraction(h) + Fraction(v) for h, v in zip(made.high[0, k], made.low[0, k], strict=True)]
        error = sum((a - b) ** 2 for a, b in zip(found, exact, strict=True))
        assert 0 < error <= Fraction(made.error[0, k]) ** 2
        assert made.error[0, k] < 1e-19 * np.abs(made.high).max()
    assert np.abs((made.high - other.high) + (made.low - other.low)).max() <= (made.error + other.error).max()


@pytest.mark.parametrize(("channels", "taps"), [(600, 1), (1, 600)])
def test_every_addition_in_a_sum_over_windows_may_lose_half_a_digit(
    channels: int, taps: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One number and hundreds that are each a little less than what it can take in: all are lost, and the bound says so."""
    monkeypatch.setattr(_pairs, "LEAST_PRODUCTS", 0)
    network = _graph((channels, taps), (Conv(np.ones((1, channels, taps)), None, (1,), ((0, 0),), (1,)), (0,)))
    low = np.full((1, 1, 600), 2.0**-54 * (1 - 2.0**-40))
    low[0, 0, 0] = 1.0
    made = pair_affine(network, 1, [Pairs(np.zeros_like(low), low, np.zeros((1, 1)))])
    off = abs(Fraction(made.high.item()) + Fraction(made.low.item()) - sum(map(Fraction, low[0, 0])))
    assert 599 * 2.0**-54 * 0.99 < off <= Fraction(made.error.item())
    _, _, roundings = _pairs._by_windows(network, 1, np.stack([np.zeros((1, 600)), low[0]]))
    assert off <= Fraction(roundings * 2.0**-52) * sum(map(Fraction, low[0, 0])) < 5 * off  # of the sum, without any norm


@pytest.mark.parametrize("seed", range(4))
def test_the_gain_of_a_convolution_and_its_normalization_bounds_the_norm_of_both(seed: int) -> None:
    network = _network(seed)
    conv, normalize = (cast(Any, network.nodes[i].op) for i in (1, 2))
    both = normalize.matrix((3, 4, 4)).toarray() @ conv.matrix((2, 4, 4)).toarray()
    scale = affine_constants(network, 2).gain
    assert np.linalg.norm(both, 2) <= error_gain(network, 1) * scale
    assert error_gain(network, 1) < 0.9 * affine_constants(network, 1).gain  # channels of different sizes: that is the point
    assert error_gain(network, 2) == affine_constants(network, 2).gain  # read by two
    assert error_gain(network, 3) == affine_constants(network, 3).gain


def test_where_others_read_a_product_or_factors_differ_inside_a_channel_its_own_gain_counts() -> None:
    rng = RNG(0)
    weight = rng.normal(size=(3, 2, 3, 3)) * np.array([1.0, 10.0, 100.0]).reshape(3, 1, 1, 1)
    conv = Conv(weight, None, (1, 1), ((1, 1), (1, 1)), (1, 1))
    factors = np.broadcast_to(np.array([1.0, 0.1, 0.01]).reshape(3, 1, 1), (3, 4, 4)).copy()

    def gains(factor: Any, *more: tuple[Any, tuple[int, ...]]) -> tuple[float, float]:
        network = _graph((2, 4, 4), (conv, (0,)), (Scale(factor, None), (1,)), *more)
        return error_gain(network, 1), affine_constants(network, 1).gain

    together, alone = gains(factors)
    assert together < alone / 5
    assert gains(factors, (Add(), (1, 2)))[0] == alone
    factors[2, 1, 1] = 1.0
    assert gains(factors)[0] == alone
    dense = Network.sequential(2, [Linear(np.array([[1.0, 1.0], [100.0, 0.0]])), Scale(np.array([1.0, 0.01]))])
    assert error_gain(dense, 1) < 2 < affine_constants(dense, 1).gain


KINDS = {
    "plain": {"stride": (1, 1), "dilation": (1, 1), "groups": 1},
    "strided": {"stride": (2, 2), "dilation": (1, 1), "groups": 1},
    "dilated": {"stride": (1, 1), "dilation": (2, 2), "groups": 1},
    "depthwise": {"stride": (1, 1), "dilation": (1, 1), "groups": 8},
}


@pytest.mark.parametrize("kind", sorted(KINDS))
def test_a_given_error_stays_within_its_bound_through_normalized_convolutions(kind: str) -> None:
    """Several hundred units, channels of very different sizes: the worst error of the first block, and one of all blocks."""
    rng, options = RNG(7), cast(Any, KINDS[kind])
    graph = Builder((8, 8, 8))
    node = 0
    for block in range(3):
        chosen = options if block == 0 else KINDS["plain"]
        weight = rng.normal(size=(8, 8 // chosen["groups"], 3, 3)) * np.exp(2 * rng.normal(size=(8, 1, 1, 1)))
        node = graph.add(Conv(weight, rng.normal(size=8), padding=((1, 1), (1, 1)), **chosen), node)
        factor = rng.uniform(0.5, 1.5, size=(8, 1, 1)) / np.linalg.norm(weight.reshape(8, -1), axis=1).reshape(8, 1, 1)
        node = graph.add(Scale(factor, rng.normal(size=(8, 1, 1))), node)
    network = graph.build(node)
    assert sum(node.size for node in network.nodes) > 700
    matrices = [cast(Any, network.nodes[i].op).matrix(network.nodes[i - 1].shape) for i in range(1, 7)]
    first = matrices[1] @ matrices[0]
    every = matrices[5] @ matrices[4] @ matrices[3] @ matrices[2] @ first
    exact = np.vectorize(Fraction, otypes=[object])
    size, high = 1e-3, rng.normal(size=(1, 1, 512))
    for along, most in ((first, 1.4), (every, 20.0)):
        direction = np.linalg.svd(along.toarray())[2][0]
        given = Pairs(high, np.zeros_like(high), np.full((1, 1), size))
        true = (exact(high[0, 0]) + exact(size * (1 - 1e-9) * direction)).reshape(1, 8, 8, 8)
        for i in range(1, 7):
            op: Any = network.nodes[i].op
            given = pair_affine(network, i, [given])
            true = op.linear([true], exact(op.coefficients)) + exact(op.offset)
            if isinstance(op, Scale):
                off = exact(given.high[0, 0]) + exact(given.low[0, 0]) - true.reshape(-1)
                distance = float(sum(d * d for d in off)) ** 0.5
                assert distance <= given.error[0, 0]
                if i == (2 if along is first else 6):
                    assert given.error[0, 0] < most * distance  # so that a bound that is too small would be noticed
