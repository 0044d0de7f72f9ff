"""Random networks: the numbers torch would draw, the laws the schemes promise, the counts that are known."""

import math
from itertools import pairwise

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import nn

from plica.errors import InvalidInput
from plica.network import Clip, Linear, Rectifier, random_network
from plica.network._random import ACTIVATIONS, SCHEMES, TorchStream


def linear_layers(network):
    return [node.op for node in network.nodes if isinstance(node.op, Linear)]


def n_cells_of_square(network):
    """Cells over [-1, 1]^2 by splitting polygons in plain floating point, neuron by neuron."""
    layers = linear_layers(network)[:-1]
    cells = [(np.array([[-1.0, -1.0], [1.0, -1.0], [1.0, 1.0], [-1.0, 1.0]]), np.eye(2), np.zeros(2))]
    for op in layers:
        finer = []
        for polygon, A, c in cells:
            A, c = op.weight @ A, op.weight @ c + op.bias
            parts = [polygon]
            for row, offset in zip(A, c, strict=True):
                parts = [piece for part in parts for piece in split(part, part @ row + offset)]
            for part in parts:
                center = part.mean(0)
                active = A @ center + c > 0
                finer.append((part, A * active[:, None], c * active))
        cells = finer
    return len(cells)


def split(polygon, values):
    if (values >= 0).all() or (values <= 0).all():
        return [polygon]
    sides = ([], [])
    for i, v in enumerate(values):
        w, j = values[(i + 1) % len(values)], (i + 1) % len(values)
        sides[int(v > 0)].append(polygon[i])
        if (v > 0) != (w > 0):
            crossing = polygon[i] + v / (v - w) * (polygon[j] - polygon[i])
            sides[0].append(crossing)
            sides[1].append(crossing)
    return [np.array(side) for side in sides]


@pytest.mark.parametrize(
    ("weights", "width", "depth", "seed", "n_cells"),
    [
        ("torch-default", 16, 2, 0, 101),
        ("torch-default", 16, 2, 1, 121),
        ("torch-default", 16, 2, 2, 219),
        ("torch-default", 32, 3, 0, 788),
        ("he-normal", 16, 2, 0, 282),
        ("he-normal", 16, 2, 1, 295),
        ("he-normal", 16, 2, 2, 264),
        ("he-normal", 32, 3, 0, 1880),
    ],
)
def test_seeds_give_the_networks_whose_cells_are_known(weights, width, depth, seed, n_cells):
    bias_std = 0.5 if weights == "he-normal" else None
    network = random_network([2, *[width] * depth, 1], seed=seed, weights=weights, bias_std=bias_std)
    assert n_cells_of_square(network) == n_cells


@pytest.mark.parametrize("widths", [[2, 16, 16, 1], [3, 1, 5, 2], [7, 31, 3], [100, 50, 10]])
@pytest.mark.parametrize("seed", [0, 1, 2**32 - 1])
def test_the_default_scheme_draws_what_torch_draws(widths, seed):
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        layers = [nn.Linear(a, b, dtype=torch.float64) for a, b in pairwise(widths)]
    ours = linear_layers(random_network(widths, seed=seed))
    # the last bit of torch's own numbers depends on whether the processor fuses multiply and add
    for theirs, op in zip(layers, ours, strict=True):
        for a, b in ((theirs.weight, op.weight), (theirs.bias, op.bias)):
            assert np.abs(a.detach().numpy() - b).max() <= 2.0**-53
    if torch.backends.cpu.get_cpu_capability() != "DEFAULT":
        assert all((t.weight.detach().numpy() == op.weight).all() for t, op in zip(layers, ours, strict=True))
        assert all((t.bias.detach().numpy() == op.bias).all() for t, op in zip(layers, ours, strict=True))


def test_he_weights_are_torch_normals_in_order():
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(7)
        expected = []
        for n_in, n_out in ((3, 8), (8, 5), (5, 1)):
            expected.append(torch.randn(n_out, n_in, dtype=torch.float64).numpy() * math.sqrt(2 / n_in))
            expected.append(torch.randn(n_out, dtype=torch.float64).numpy() * 0.5)
    network = random_network([3, 8, 5, 1], seed=7, weights="he-normal", bias_std=0.5)
    found = [array for op in linear_layers(network) for array in (op.weight, op.bias)]
    assert all(np.allclose(a, b, rtol=1e-15, atol=0) for a, b in zip(expected, found, strict=True))


@settings(max_examples=40, deadline=None)
@given(seed=st.integers(0, 2**32 - 1), sizes=st.lists(st.integers(1, 70), min_size=1, max_size=5))
def test_the_stream_follows_torch_through_calls_of_any_size(seed, sizes):
    stream = TorchStream(seed)
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        for n in sizes:
            assert (stream.random((n,)) == torch.rand(n, dtype=torch.float64).numpy()).all()
            normals = torch.randn(n, dtype=torch.float64).numpy()
            assert np.allclose(stream.standard_normal((n,)), normals, rtol=1e-14, atol=1e-300)


def test_torch_is_neither_needed_nor_disturbed():
    state = torch.get_rng_state()
    random_network([2, 8, 1], seed=0)
    assert torch.equal(state, torch.get_rng_state())


@pytest.mark.parametrize("weights", SCHEMES)
def test_the_same_seed_gives_the_same_network_and_another_seed_another(weights):
    a, b, c = (random_network([3, 9, 2], seed=s, weights=weights) for s in (5, 5, 6))
    for first, second, third in zip(*map(linear_layers, (a, b, c)), strict=True):
        assert (first.weight == second.weight).all()
        assert (first.weight != third.weight).any()


@pytest.mark.parametrize(
    ("weights", "variance"),
    [
        ("torch-default", 1 / (3 * 400)),
        ("he-normal", 2 / 400),
        ("he-uniform", 2 / 400),
        ("glorot-normal", 2 / 1000),
        ("glorot-uniform", 2 / 1000),
        ("orthogonal", 1 / 600),
        ("normal", 1 / 400),
        ("uniform", 1 / (3 * 400)),
        ("discrete", 1 / 400),
    ],
)
def test_weights_have_the_variance_of_their_scheme(weights, variance):
    W = linear_layers(random_network([400, 600], seed=3, weights=weights))[0].weight
    # 240,000 entries: the relative standard error of the variance is at most sqrt(2 / 240000) = 0.3 %
    assert abs(W.mean()) < 5 * math.sqrt(variance / W.size)
    assert abs(W.var() / variance - 1) < 0.02


@pytest.mark.parametrize("shape", [(6, 6), (4, 9), (9, 4)])
def test_orthogonal_weights_have_orthonormal_rows_or_columns(shape):
    n_in, n_out = shape
    W = linear_layers(random_network([n_in, n_out], seed=0, weights="orthogonal"))[0].weight
    gram = W @ W.T if n_out <= n_in else W.T @ W
    assert np.allclose(gram, np.eye(min(shape)), atol=1e-14)


def test_discrete_weights_take_two_values():
    W = linear_layers(random_network([16, 64], seed=0, weights="discrete", gain=2.0))[0].weight
    assert set(np.unique(W)) == {-0.5, 0.5}


def test_density_is_the_share_of_weights_that_are_kept():
    dense, sparse = (random_network([300, 300], seed=1, weights="normal", density=d) for d in (1.0, 0.2))
    W = linear_layers(sparse)[0].weight
    assert abs((W != 0).mean() - 0.2) < 5 * math.sqrt(0.2 * 0.8 / W.size)
    kept = W != 0
    assert (W[kept] == linear_layers(dense)[0].weight[kept]).all()


def test_gain_multiplies_the_weights_and_not_the_biases():
    one, two = (linear_layers(random_network([3, 4], seed=0, weights="normal", bias_std=1.0, gain=g))[0] for g in (1.0, 3.0))
    assert (two.weight == 3.0 * one.weight).all()
    assert (two.bias == one.bias).all()


def test_biases_are_absent_unless_asked_for():
    assert linear_layers(random_network([3, 4], seed=0, weights="he-normal"))[0].bias is None
    assert (linear_layers(random_network([3, 4], seed=0, weights="he-normal", bias_std=0.0))[0].bias == 0).all()


def test_a_numpy_generator_is_a_seed():
    a, b = (random_network([2, 5, 1], seed=np.random.default_rng(4)) for _ in range(2))
    assert (a(np.ones(2)) == b(np.ones(2))).all()


@pytest.mark.parametrize("activation", ACTIVATIONS)
def test_activations_fold_all_layers_but_the_last(activation):
    network = random_network([2, 4, 5, 3], seed=0, activation=activation, slope=0.25)
    folds = [network.nodes[i].op for i in network.layers]
    assert network.widths == (2, 4, 5, 3)
    kinds = {"relu": Rectifier, "leaky-relu": Rectifier, "abs": Rectifier, "hard-tanh": Clip}
    assert all(type(op) is kinds[activation] for op in folds)
    x = np.array([-2.0, -0.5, 0.5, 2.0])
    expected = {
        "relu": [0, 0, 0.5, 2],
        "leaky-relu": [-0.5, -0.125, 0.5, 2],
        "abs": [2, 0.5, 0.5, 2],
        "hard-tanh": [-1, -0.5, 0.5, 1],
    }
    assert folds[0].apply([x[None]])[0].tolist() == expected[activation]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"widths": []}, "widths"),
        ({"widths": [2]}, "widths"),
        ({"widths": [2, 0, 1]}, "widths"),
        ({"widths": [2, -3, 1]}, "widths"),
        ({"widths": [2, 2.5, 1]}, "widths"),
        ({"widths": [2, True]}, "widths"),
        ({"widths": 7}, "widths"),
        ({"seed": "zero"}, "seed"),
        ({"seed": 1.0}, "seed"),
        ({"seed": -1}, "seed"),
        ({"seed": 2**32}, "seed"),
        ({"seed": True}, "seed"),
        ({"seed": None}, "seed"),
        ({"weights": "xavier"}, "xavier"),
        ({"activation": "gelu"}, "gelu"),
        ({"density": 0.0}, "density"),
        ({"density": 1.5}, "density"),
        ({"density": float("nan")}, "density"),
        ({"bias_std": -1.0}, "bias_std"),
        ({"bias_std": float("inf")}, "bias_std"),
        ({"gain": float("nan")}, "gain"),
    ],
)
def test_bad_arguments_are_named(options, message):
    arguments = {"widths": [2, 3, 1], "seed": 0, **options}
    with pytest.raises(InvalidInput, match=message):
        random_network(arguments.pop("widths"), **arguments)
