"""Compression is exact up to its bound: against the exact complex of the difference, and by facts that were planted."""

import itertools
from fractions import Fraction

import numpy as np
import pytest
import torch

import plica
from plica.errors import InvalidDomain, InvalidInput, PlicaError
from plica.measure import compare
from plica.network import Conv, Gather, Linear, Network, Rectifier, Reshape, Scale, to_onnx
from plica.sparse import compress, keep_largest
from plica.sparse._rounded import RoundedLayer, product


def net(*layers: tuple[list, list], n: int = 2) -> Network:
    ops = []
    for weight, bias in layers:
        ops += [Linear(np.array(weight, dtype=float), np.array(bias, dtype=float)), Rectifier()]
    return Network.sequential(n, ops[:-1])


def exact_value(f: Network, x) -> list[Fraction]:
    """A chain of dense layers in fractions; a Gather takes the inputs that are read."""
    values = [Fraction(float(v)) for v in x]
    for node in f.nodes[1:]:
        if isinstance(node.op, Gather):
            values = [values[i] for i in node.op.indices]
        elif isinstance(node.op, Rectifier):
            values = [max(v, Fraction(0)) for v in values]
        else:
            rows, bias = node.op.weight.tolist(), node.op.bias.tolist()
            values = [
                sum((Fraction(w) * v for w, v in zip(row, values, strict=True)), Fraction(b))
                for row, b in zip(rows, bias, strict=True)
            ]
    return values


SQUARE = plica.Box([0.0, 0.0], [1.0, 1.0])


def test_a_dead_unit_goes_without_a_trace():
    f = net(([[1.0, 0.0], [-1.0, -1.0], [0.0, 1.0]], [-0.5, -0.25, -0.5]), ([[1.0, 5.0, 2.0]], [0.0]))
    small = compress(f, SQUARE)
    assert (small.dead, small.network.n_neurons, small.largest_error) == (1, 2, 0.0)
    assert compare(f, small.network, SQUARE).is_equal


def test_a_dead_unit_may_live_elsewhere():
    f = net(([[1.0, 0.0], [-1.0, -1.0]], [-0.5, -0.25]), ([[1.0, 5.0]], [0.0]))
    small = compress(f, SQUARE)
    assert small.dead == 1 and float(f(np.array([-1.0, -1.0]))[0]) != float(small.network(np.array([-1.0, -1.0]))[0])
    assert compress(f, plica.Box([-1.0, -1.0], [1.0, 1.0])).dead == 0


def test_constants_move_into_the_next_biases():
    f = net(([[1.0, 1.0], [0.0, 0.0], [0.0, 0.0]], [-1.0, 3.0, -3.0]), ([[1.0, 0.5, 7.0]], [0.25]))
    small = compress(f, SQUARE)
    assert small.network.n_neurons == 1 and small.network.dense_layers[-1].bias.tolist() == [1.75]
    assert small.dead == 1 and small.constant == 1 and compare(f, small.network, SQUARE).is_equal


def test_the_bound_knows_what_a_constant_lost_before_it_moved_on():
    """A fixed input makes a unit constant, rounded; a weight that is a power of two carries the loss on without another."""
    f = net(([[0.1, 0.0], [0.0, 1.0]], [0.1, -0.5]), ([[2.0**40, 1.0]], [0.0]))
    box = plica.Box([0.3, 0.0], [0.3, 1.0])
    small = compress(f, box)
    deviation = abs(exact_value(f, [0.3, 0.75])[0] - exact_value(small.network, [0.3, 0.75])[0])
    assert small.constant == 1 and 0 < deviation <= Fraction(small.largest_error)


def test_multiples_are_merged_exactly():
    f = net(([[1.0, -1.0], [2.0, -2.0], [-1.0, 1.0], [0.5, -0.5]], [0.25, 0.5, 0.125, 0.125]), ([[1.0, 1.0, 1.0, -4.0]], [0.0]))
    small = compress(f, SQUARE)
    assert (small.merged, small.largest_error) == (2, 0.0)
    assert sorted(small.network.dense_layers[-1].weight[0].tolist()) == [1.0, 1.0]  # 1 + 2 - 4/2, and 1
    assert compare(f, small.network, SQUARE).is_equal


def test_the_one_of_two_multiples_stays_whose_factor_is_a_float():
    rows, after = [[3.0, -6.0], [1.0, -2.0], [5.0, -10.0]], [[7.0, 1.0, 1.0]]
    for order in ([0, 1, 2], [1, 0, 2], [2, 0, 1]):
        weights = [after[0][i] for i in order]
        f = net(([rows[i] for i in order], [[1.5, 0.5, 2.5][i] for i in order]), ([weights], [0.0]))
        small = compress(f, SQUARE)
        assert (small.merged, small.largest_error) == (2, 0.0)
        assert small.network.dense_layers[-1].weight.tolist() == [[27.0]] and compare(f, small.network, SQUARE).is_equal


def test_nearly_a_multiple_is_none():
    f = net(([[1.0, -1.0], [2.0, np.nextafter(-2.0, 0)]], [0.0, 0.0]), ([[1.0, 1.0]], [0.0]))
    assert compress(f, SQUARE).merged == 0


def test_an_opposite_unit_is_none():
    f = net(([[1.0, -1.0], [-1.0, 1.0]], [0.0, 0.0]), ([[1.0, 1.0]], [0.0]))
    assert compress(f, SQUARE).merged == 0


def test_units_that_are_always_on_are_folded():
    rng = np.random.default_rng(0)
    for n_next, n_left in ((1, 1), (3, 2)):  # as what reads them, as what they read
        f = net(
            (np.abs(rng.standard_normal((12, 2))), np.ones(12)),
            (rng.standard_normal((n_next, 12)), rng.standard_normal(n_next)),
        )
        small = compress(f, SQUARE)
        assert small.folded == 12 - n_left and small.network.n_neurons == n_left
        found = compare(f, small.network, SQUARE)
        assert 0 < small.largest_error < 1e-12 and found.largest.value <= Fraction(small.largest_error)


def test_inputs_that_a_box_fixes_become_biases():
    f = net(([[1.0, 0.5], [-1.0, 0.25]], [-0.5, 0.125]), ([[1.0, -3.0]], [0.0]))
    small = compress(f, ([0.0, 0.5], [1.0, 0.5]), drop_inputs=True)
    assert compress(f, ([0.0, 0.5], [1.0, 0.5])).n_inputs_dropped == 0
    assert small.n_inputs_dropped == 1 and small.largest_error == 0.0
    for t in np.linspace(0, 1, 9):
        assert f(np.array([t, 0.5]))[0] == small.network(np.array([t, 0.5]))[0]


@pytest.mark.parametrize("seed", range(3))
def test_the_bound_covers_the_exact_deviation(seed):
    """Random networks with planted copies on small boxes: the exact complex of the difference has the last word."""
    rng = np.random.default_rng(seed)
    w1, b1 = rng.standard_normal((20, 2)), rng.standard_normal(20)
    w1[3], b1[3] = 2 * w1[7], 2 * b1[7]
    w1[5], b1[5] = 0.75 * w1[7], 0.75 * b1[7]
    f = net(
        (w1, b1), (rng.standard_normal((12, 20)), rng.standard_normal(12)), (rng.standard_normal((2, 12)), rng.standard_normal(2))
    )
    center = rng.uniform(-1, 1, 2)
    box = plica.Box(center - 0.25, center + 0.25)
    for dtype in ("float64", "float32"):
        small = compress(f, box, dtype=dtype)
        assert small.network.n_neurons < f.n_neurons
        found = compare(f, small.network, box)
        assert found.largest.value <= Fraction(small.largest_error)
        if dtype == "float32":
            assert 1e-9 < small.largest_error < 1e-3 and float(found.largest) > 1e-4 * small.largest_error


def test_values_agree_in_fractions_at_corners_of_many_dimensions():
    rng = np.random.default_rng(1)
    f = plica.random_network([6, 60, 40, 3], seed=1)
    center = rng.uniform(-1, 1, 6)
    box = plica.Box(center - 0.05, center + 0.05)
    small = compress(f, box)
    assert small.network.n_parameters < f.n_parameters // 2
    for signs in rng.choice([-1, 1], (10, 6)):
        x = np.where(signs > 0, box.high, box.low)
        gaps = [abs(a - b) for a, b in zip(exact_value(f, x), exact_value(small.network, x), strict=True)]
        assert all(gap <= Fraction(bound) for gap, bound in zip(gaps, small.error.tolist(), strict=True))


def test_what_comes_before_the_dense_layers_stays():
    rng = np.random.default_rng(0)
    ops = [
        Conv(rng.standard_normal((2, 1, 2, 2)), np.zeros(2), (1, 1), ((0, 0), (0, 0)), (1, 1), 1),
        Rectifier(),
        Reshape((8,)),
        Linear(rng.standard_normal((10, 8)), np.where(np.arange(10) < 4, -50.0, 0.0)),
        Rectifier(),
        Linear(rng.standard_normal((2, 10))),
    ]
    f = Network.sequential((1, 3, 3), ops)
    small = compress(f, plica.Box([0.0] * 9, [1.0] * 9))
    assert small.dead == 4 and small.network.input_shape == (1, 3, 3)
    x = rng.uniform(0, 1, (20, 1, 3, 3))
    np.testing.assert_allclose(f(x), small.network(x), atol=small.largest_error + 1e-12)


def test_weights_in_float32_stay_in_float32():

    from plica.learn import mlp
    from plica.sparse import apply_masks, prune_units

    model = mlp([20, 30, 10, 3], seed=0)
    apply_masks(model, prune_units(model, 0.3))
    f = plica.from_torch(model)
    small = compress(f, plica.Box([0.0] * 20, [1.0] * 20))
    stored = [a for layer in small.network.dense_layers for a in (layer.weight, layer.bias)]
    assert all((a == a.astype(np.float32)).all() for a in stored)
    assert small.ratio > 2.5 and small.largest_error < 1e-5
    x = np.random.default_rng(0).uniform(0, 1, (50, 20))
    assert np.abs(f(x) - small.network(x)).max() <= small.largest_error + 1e-12


def test_factors_and_offsets_behind_a_matrix_are_part_of_the_layer():
    rng = np.random.default_rng(3)
    ops = []
    for m, n in ((15, 2), (8, 15)):
        ops += [
            Linear(rng.standard_normal((m, n)), rng.standard_normal(m)),
            Scale(rng.uniform(0.1, 3, m), rng.standard_normal(m)),
        ]
        ops.append(Rectifier())
    f = Network.sequential(2, [*ops, Linear(rng.standard_normal((2, 8))), Scale(np.array(1.0), np.array([0.5, -2.0]))])
    small = compress(f, SQUARE)
    found = compare(f, small.network, SQUARE)
    assert small.network.n_neurons < 20 and 0 < found.largest.value <= Fraction(small.largest_error) < Fraction(1, 10**12)


def test_a_network_from_onnx_is_read_as_dense_layers(tmp_path):
    f = plica.random_network([3, 30, 20, 2], seed=4)
    to_onnx(f, tmp_path / "f.onnx")
    box = plica.Box([0.4] * 3, [0.6] * 3)
    ours, theirs = compress(f, box), compress(plica.load(tmp_path / "f.onnx"), box)
    assert ours.to_dict() == theirs.to_dict() and ours.network.n_neurons < 25


def test_a_network_that_is_constant_keeps_one_unit_in_each_layer():
    f = net(([[1.0, 1.0]], [-9.0]), ([[1.0]], [2.0]))
    small = compress(f, SQUARE)
    assert small.network(np.array([0.5, 0.5])).tolist() == [2.0]


def test_bad_questions_are_refused():
    f = net(([[1.0, 1.0]], [0.0]), ([[1.0]], [0.0]))
    with pytest.raises(InvalidInput):
        compress("f", SQUARE)
    with pytest.raises(InvalidDomain):
        compress(f, plica.Box([0.0], [1.0]))
    with pytest.raises(InvalidDomain):
        compress(f, plica.Segment([0.0, 0.0], [1.0, 1.0]))
    with pytest.raises(InvalidDomain):
        compress(f, ([0.0, 0.0], [1.0, float("nan")]))
    with pytest.raises(InvalidInput):
        compress(f, SQUARE, dtype="float16")
    with pytest.raises(PlicaError):
        compress(Network.sequential(2, [Linear(np.eye(2))]), SQUARE)


def test_what_a_constant_input_lost_is_its_weights_error_times_its_size() -> None:
    """The bias takes over 3 times a weight that is known up to 1/8 and one known up to 1/4: 3/8 and 3/4, rounded up."""
    layer = RoundedLayer(np.array([[0.5, 1.0], [0.25, 2.0]]), np.zeros(2), np.array([[0.125, 0.0], [0.25, 0.0]]), np.zeros(2))
    layer.absorb(0, Fraction(-3))
    np.testing.assert_array_equal(layer.bias, [-1.5, -0.75])
    np.testing.assert_allclose(layer.bias_error, [0.375, 0.75], rtol=1e-12)
    assert (layer.bias_error >= [0.375, 0.75]).all()


def test_what_a_merged_input_lost_is_its_weights_error_times_the_factor() -> None:
    """A column known up to 1/8 and 1/4, three times added to another known up to 1/2: 1/2 + 3/8 and 1/2 + 3/4, rounded up."""
    layer = RoundedLayer(np.array([[1.0, 0.5], [2.0, 0.25]]), np.zeros(2), np.array([[0.5, 0.125], [0.5, 0.25]]), np.zeros(2))
    layer.add_column(0, 1, Fraction(3))
    np.testing.assert_array_equal(layer.weight[:, 0], [2.5, 2.75])
    np.testing.assert_allclose(layer.weight_error[:, 0], [0.875, 1.25], rtol=1e-12)
    assert (layer.weight_error[:, 0] >= [0.875, 1.25]).all()


def test_what_a_sum_of_biases_loses_is_known_exactly():
    """1 + 2^-60 is rounded to 1: the bound of the layer holds the 2^-60."""
    ones, tiny = (RoundedLayer(np.ones((1, 1)), np.array([b]), np.zeros((1, 1)), np.zeros(1)) for b in (1.0, 2.0**-60))
    found = ones.beside(np.array([True]), tiny)
    assert found.weight.tolist() == [[1.0, 1.0]] and found.bias.tolist() == [1.0]
    assert 2.0**-60 <= found.bias_error[0] <= 2.0**-60 * (1 + 1e-12)


def test_the_bound_of_a_product_is_reached_where_all_errors_have_the_worst_signs():
    """|(a + d)(b + e) - a b| is at most |a| e + d (|b| + e), entry by entry and summed."""
    rng = np.random.default_rng(0)
    a, b = rng.normal(size=(2, 3)), rng.normal(size=(3, 2))
    d, e = rng.uniform(0.01, 0.1, (2, 3)), rng.uniform(0.01, 0.1, (3, 2))
    c, f = rng.normal(size=3), rng.uniform(0.01, 0.1, 3)
    left, right = RoundedLayer(a, np.zeros(2), d, np.zeros(2)), RoundedLayer(b, c, e, f)
    weight, weight_error, bias, bias_error = product(left, np.arange(3), right, np.arange(3))
    np.testing.assert_allclose(weight, a @ b)
    np.testing.assert_allclose(bias, a @ c)
    for error, other, slip in ((weight_error, b, e), (bias_error[:, None], c[:, None], f[:, None])):
        worst = np.zeros_like(error)
        for signs in itertools.product((-1, 1), repeat=2):  # of all terms at once: both factors, each way
            moved = (np.abs(a) + signs[0] * d)[:, :, None] * (np.abs(other) + signs[1] * slip)[None]
            worst = np.maximum(worst, np.abs(moved - np.abs(a)[:, :, None] * np.abs(other)[None]).sum(axis=1))
        np.testing.assert_allclose(error, worst, rtol=1e-9)
        assert (error >= worst * (1 - 1e-15)).all()


@pytest.mark.parametrize("little", [5e-4, 1e-7, 1e-12])
def test_units_that_live_a_little_are_not_taken_for_dead_or_affine(little):
    """One is positive on the last bit of the box, another negative on the first: both are read with a large weight."""
    first = Linear(np.array([[1.0], [1.0], [2.0], [1.0]]), np.array([little - 1.0, 1.0, 3.0, -little]))
    net = Network.sequential(1, [first, Rectifier(), Linear(np.array([[1e3, 1.0, 1.0, 1e3]]))])
    found = compress(net, plica.Box([0.0], [1.0]), dtype="float64")
    assert found.largest_error < 1e-9
    for x in (0.0, little / 2, 0.3, 1 - little / 2, 1.0):
        assert abs(float(net([x])[0]) - float(found.network([x])[0])) <= found.largest_error + 1e-12 * 1e3


def test_of_many_equal_scores_the_first_stay():
    kept = keep_largest({"a": torch.ones(30_000)}, 0.25)["a"]
    assert bool(kept[:7500].all()) and not bool(kept[7500:].any())


def test_factors_of_both_signs_make_errors_larger_and_never_negative() -> None:
    layer = RoundedLayer(np.ones((2, 3)), np.ones(2), np.full((2, 3), 1e-3), np.full(2, 1e-3))
    layer.scale(np.array([2.0, -3.0]), None)
    assert (layer.weight[:, 0].tolist(), layer.bias.tolist()) == ([2.0, -3.0], [2.0, -3.0])
    for error in (layer.weight_error, layer.bias_error[:, None]):
        assert (error >= np.array([[2e-3], [3e-3]])).all() and (error < np.array([[2e-3], [3e-3]]) * (1 + 1e-9)).all()
