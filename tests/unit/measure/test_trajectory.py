"""Lengths of curves: exact where the network is piecewise linear, with a stated error elsewhere."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import nn

import plica
from plica.errors import BudgetExceeded, InvalidDomain, InvalidInput, InvalidNetwork
from plica.measure import circle, great_circle, path_through, trajectory_length
from plica.network import Add, Builder, Conv, Linear, Max, Network, Rectifier, Reshape


def dense_lengths(network: Network, points: np.ndarray, nodes: list[int]) -> np.ndarray:
    """The independent path: many chords."""
    values = network.tensors(points.reshape(-1, *network.input_shape))
    return np.array([np.linalg.norm(np.diff(values[i].reshape(len(points), -1), axis=0), axis=1).sum() for i in nodes])


def residual_convolution() -> Network:
    rng = np.random.default_rng(5)
    b = Builder((1, 6, 6))
    first = b.add(
        Conv(rng.normal(size=(2, 1, 3, 3)), rng.normal(size=2), stride=(1, 1), padding=((1, 1), (1, 1)), dilation=(1, 1))
    )
    z = b.add(Rectifier(), first)
    h = b.add(
        Conv(rng.normal(size=(2, 2, 3, 3)) * 0.5, rng.normal(size=2), stride=(1, 1), padding=((1, 1), (1, 1)), dilation=(1, 1)), z
    )
    z = b.add(Rectifier(np.array(0.1)), b.add(Add(), h, first))
    flat = b.add(Reshape((72,)), z)
    pooled = b.add(Max(np.arange(72).reshape(18, 4)), flat)
    b.add(Linear(rng.normal(size=(3, 18))), pooled)
    return b.build()


def test_the_identity_keeps_every_length():
    net = Network.sequential(3, [Linear(np.eye(3)), Rectifier(np.array(1.0))])
    length = trajectory_length(net, plica.Segment([0, 0, 0], [1, 2, 2]))
    assert length.kind == "exact"
    assert length.input == length.pre[0] == length.post[0] == length.output == 3.0


def test_a_rectifier_halves_what_is_symmetric():
    net = Network.sequential(1, [Linear(np.ones((1, 1))), Rectifier()])
    length = trajectory_length(net, plica.Segment([-2.0], [2.0]))
    assert (length.pre[0], length.post[0]) == (4.0, 2.0)


def test_the_sawtooth_doubles_its_length_at_every_level():
    tooth = [Linear(np.array([[2.0], [4.0]]), np.array([0.0, -2.0])), Rectifier(), Linear(np.array([[1.0, -1.0]]))]
    net = Network.sequential(1, [op for _ in range(6) for op in tooth])
    length = trajectory_length(net, plica.Segment([0.0], [1.0]))
    assert length.output == 2.0**6
    assert length.n_points == 2**6 + 1


@given(seed=st.integers(0, 10_000), widths=st.lists(st.integers(1, 12), min_size=1, max_size=3))
@settings(max_examples=25, deadline=None)
def test_no_chords_are_longer_and_many_chords_come_near(seed, widths):
    rng = np.random.default_rng(seed)
    net = plica.random_network([3, *widths, 2], seed=seed, weights="he-normal", bias_std=0.3)
    a, b = rng.normal(size=(2, 3))
    length = trajectory_length(net, plica.Segment(a, b))
    points = a + np.linspace(0, 1, 20_001)[:, None] * (b - a)
    nodes = [0, *(net.nodes[i].inputs[0] for i in net.layers), *net.layers, len(net.nodes) - 1]
    exact = np.array([length.input, *length.pre, *length.post, length.output])
    chords = dense_lengths(net, points, nodes)
    assert (chords <= exact * (1 + 1e-9) + 1e-12).all()
    np.testing.assert_allclose(exact, chords, rtol=2e-3, atol=1e-9)
    assert length.error < 1e-9


def test_convolutions_skips_and_pooling_are_measured_exactly():
    net = residual_convolution()
    rng = np.random.default_rng(0)
    a, b, c = rng.normal(size=(3, 36))
    length = trajectory_length(net, plica.Path([a, b, c]))
    t = np.linspace(0, 1, 5001)[:, None]
    points = np.concatenate([a + t * (b - a), b + t[1:] * (c - b)])
    nodes = [*net.layers, len(net.nodes) - 1]
    chords = dense_lengths(net, points, nodes)
    assert (chords <= np.array([*length.post, length.output])).all()
    np.testing.assert_allclose([*length.post, length.output], chords, rtol=1e-3)
    assert length.kind == "exact" and length.widths == tuple(net.nodes[i].size for i in net.layers)


def test_lengths_of_parts_add_up():
    net = plica.random_network([4, 16, 16, 3], seed=3)
    a, b, c = np.random.default_rng(1).normal(size=(3, 4))
    whole = trajectory_length(net, plica.Path([a, b, c]))
    parts = [trajectory_length(net, plica.Segment(p, q)) for p, q in ((a, b), (b, c))]
    np.testing.assert_allclose(whole.post, parts[0].post + parts[1].post, rtol=1e-12)


def test_chunks_do_not_change_the_sum(monkeypatch):
    net = plica.random_network([4, 32, 32, 3], seed=3, weights="he-normal", bias_std=0.2)
    path = plica.Segment([-1.0] * 4, [1.0, 2.0, 0.5, 1.0])
    before = trajectory_length(net, path)
    monkeypatch.setattr("plica.measure._trajectory_exact.CHUNK_ENTRIES", 400)
    np.testing.assert_allclose(trajectory_length(net, path).post, before.post, rtol=1e-13)


def test_chosen_layers_are_those_of_all_layers():
    net = plica.random_network([2, 8, 8, 8, 1], seed=0)
    path = plica.Segment([-1, -1], [1, 1])
    every, some = trajectory_length(net, path), trajectory_length(net, path, layers=[2, 0])
    assert some.layers == (2, 0)
    np.testing.assert_array_equal(some.post, every.post[[2, 0]])


# -- modules -------------------------------------------------------------------------------------------------------------------


def test_a_piecewise_linear_module_is_measured_exactly_and_others_with_an_error():
    torch.manual_seed(0)
    relu = nn.Sequential(nn.Linear(2, 8), nn.ReLU(), nn.Linear(8, 8), nn.ReLU(), nn.Linear(8, 1))
    smooth = nn.Sequential(nn.Linear(2, 8), nn.Tanh(), nn.Linear(8, 8), nn.GELU(), nn.Linear(8, 1))
    path = plica.Segment([-1.0, -1.0], [2.0, 1.0])
    assert trajectory_length(relu, path).kind == "exact"
    length = trajectory_length(smooth, path, tolerance=1e-6)
    assert length.kind == "estimated" and length.error <= 1e-6
    assert length.names == ("1", "3") and length.widths == (8, 8)


@pytest.mark.parametrize("activation", [nn.Tanh, nn.Sigmoid, nn.GELU, nn.SiLU])
def test_the_stated_error_of_smooth_modules_holds(activation):
    torch.manual_seed(1)
    module = nn.Sequential(nn.Linear(2, 16), activation(), nn.Linear(16, 3)).double()
    with torch.no_grad():
        module[0].weight *= 5
    path = plica.Segment([-1.0, -1.0], [2.0, 1.0])
    t = torch.linspace(0, 1, 400_001, dtype=torch.float64)[:, None]
    points = torch.tensor([-1.0, -1.0]) + t * torch.tensor([3.0, 2.0])
    with torch.no_grad():
        truth = float((module(points).diff(dim=0)).norm(dim=1).sum())
    length = trajectory_length(module, path, tolerance=1e-5)
    assert -1e-9 * truth <= truth - length.output <= 1.1 * length.error * truth + 1e-9


def test_the_length_of_erf_on_a_line_is_known():
    from scipy.special import erf

    length = trajectory_length(erf, plica.Segment([-3.0], [3.0]), tolerance=1e-8)
    assert length.output == pytest.approx(2 * erf(3.0), rel=1e-12)


def test_a_function_bends_a_segment_to_a_circle():
    length = trajectory_length(lambda x: np.column_stack([np.cos(x[:, 0]), np.sin(x[:, 0])]), plica.Segment([0.0], [2 * np.pi]))
    assert 0 <= 2 * np.pi - length.output <= length.error * length.output


def test_an_activation_that_runs_twice_is_two_layers():
    class Twice(nn.Module):
        def __init__(self):
            super().__init__()
            self.first, self.second, self.act = nn.Linear(2, 4), nn.Linear(4, 4), nn.Tanh()

        def forward(self, x):
            return self.act(self.second(self.act(self.first(x))))

    length = trajectory_length(Twice(), plica.Segment([0.0, 0.0], [1.0, 1.0]))
    assert length.names == ("act (1)", "act (2)")
    assert length.post[1] == length.output


def test_activations_that_are_called_as_functions_are_seen_where_they_run():
    class Functional(nn.Module):
        def __init__(self):
            super().__init__()
            self.first, self.second, self.act = nn.Linear(2, 4), nn.Linear(4, 5), nn.SiLU(inplace=True)

        def forward(self, x):
            return torch.erf(self.act(self.second(self.first(x).tanh())))

    module = Functional()
    length = trajectory_length(module, plica.Segment([0.0, 0.0], [1.0, 1.0]), tolerance=1e-6)
    assert length.names == ("tanh", "act", "erf") and length.widths == (4, 5, 5)
    t = torch.linspace(0, 1, 5001, dtype=torch.float64)[:, None].repeat(1, 2)
    module = module.double()
    with torch.no_grad():
        hidden = module.second(module.first(t).tanh())
        chords = hidden.diff(dim=0).norm(dim=1).sum().item()
    assert length.pre[1] == pytest.approx(chords, rel=1e-6)


def test_images_go_through_a_convolutional_module():
    module = nn.Sequential(nn.Conv2d(1, 2, 3), nn.Tanh(), nn.Flatten(), nn.Linear(2 * 16, 2))
    a, b = np.random.default_rng(0).normal(size=(2, 36))
    length = trajectory_length(module, plica.Segment(a, b), input_shape=(1, 6, 6))
    assert length.widths == (32,) and length.input == pytest.approx(np.linalg.norm(a - b))


def test_the_module_itself_is_left_alone():
    module = nn.Sequential(nn.Linear(2, 4), nn.Tanh())
    trajectory_length(module, plica.Segment([0.0, 0.0], [1.0, 1.0]))
    assert module[0].weight.dtype == torch.float32 and not module[1]._forward_hooks


# -- curves --------------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("n", [4, 64, 1000])
def test_a_polygonal_circle_states_its_own_error(n):
    c = circle([0.0, 3.0, 0.0], [1.0, 1.0, 0.0], n_points=n)
    assert c.length == pytest.approx(6 * np.pi)
    assert c.polygon_length == pytest.approx(2 * n * 3 * np.sin(np.pi / n))
    middles = (c.points[1:] + c.points[:-1]) / 2
    assert 3 - np.linalg.norm(middles, axis=1).min() == pytest.approx(c.gap)
    np.testing.assert_array_equal(c.points[0], c.points[-1])


def test_the_curve_error_covers_the_true_circle():
    net = plica.random_network([2, 16, 16, 2], seed=1, weights="he-normal", bias_std=0.3)
    coarse, fine = (trajectory_length(net, circle([1.0, 0], [0, 1.0], n_points=n)) for n in (64, 1024))
    assert coarse.curve_error is not None
    assert (np.abs(coarse.post / fine.post - 1) <= coarse.curve_error).all()
    assert fine.curve_error < 1e-3


def test_smooth_modules_see_the_circle_and_not_its_polygon():
    module = nn.Sequential(nn.Linear(2, 4), nn.Tanh())
    length = trajectory_length(module, circle([1.0, 0.0], [0.0, 1.0], n_points=8), tolerance=1e-6)
    assert length.input == pytest.approx(2 * np.pi, rel=1e-6)


def test_a_great_circle_stays_on_the_sphere_and_ends_where_it_should():
    x, y = np.array([3.0, 0.0, 4.0]), np.array([0.0, 5.0, 0.0])
    arc = great_circle(x, y, n_points=32)
    np.testing.assert_allclose(np.linalg.norm(arc.points, axis=1), 5)
    np.testing.assert_array_equal(arc.points[[0, -1]], [x, y])
    assert arc.length == pytest.approx(5 * np.pi / 2)
    assert arc.polygon_length < arc.length


def test_a_path_through_data_visits_every_row_once():
    data = np.random.default_rng(0).normal(size=(30, 2, 3))
    path = path_through(data, order="nearest")
    assert sorted(map(tuple, path.points)) == sorted(map(tuple, data.reshape(30, 6)))
    steps = np.linalg.norm(np.diff(path.points, axis=0), axis=1).sum()
    given_order = np.linalg.norm(np.diff(data.reshape(30, 6), axis=0), axis=1).sum()
    assert steps < given_order
    assert len(path_through([[0.0], [0.0], [1.0]]).points) == 2


# -- errors --------------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("call", "error", "words"),
    [
        (lambda net: plica.Path([]), InvalidDomain, "at least two points"),
        (lambda net: path_through(np.zeros((0, 2))), InvalidDomain, "at least two points"),
        (lambda net: path_through([[0.0], [np.nan]]), InvalidDomain, "NaN"),
        (lambda net: path_through([[0.0], [1.0]], order="short"), InvalidDomain, "not known"),
        (lambda net: circle([0.0, 0.0], [1.0, 0.0]), InvalidDomain, "zero"),
        (lambda net: circle([1.0, 0.0], [2.0, 0.0]), InvalidDomain, "parallel"),
        (lambda net: circle([1.0, 0.0], [0.0, 1.0], radius=-1), InvalidDomain, "radius"),
        (lambda net: circle([1.0, 0.0], [0.0, 1.0], n_points=7), InvalidDomain, "even number"),
        (lambda net: great_circle([1.0, 0.0], [0.0, 2.0]), InvalidDomain, "lengths"),
        (lambda net: great_circle([1.0, 0.0], [-1.0, 0.0]), InvalidDomain, "parallel"),
        (lambda net: trajectory_length(net, plica.Segment([0.0], [1.0])), InvalidDomain, "inputs"),
        (lambda net: trajectory_length(net, plica.Box([0.0, 0.0], [1.0, 1.0])), InvalidInput, "expected a path"),
        (lambda net: trajectory_length("net", plica.Segment([0, 0], [1, 1])), InvalidInput, "got str"),
        (lambda net: trajectory_length(net, plica.Segment([0, 0], [1, 1]), layers=[7]), InvalidInput, "counted from 0"),
        (lambda net: trajectory_length(net, plica.Segment([0, 0], [1, 1]), layers="last"), InvalidInput, "not known"),
        (lambda net: trajectory_length(net, plica.Segment([0, 0], [1, 1]), tolerance=0), InvalidInput, "tolerance"),
        (lambda net: trajectory_length(net, plica.Segment([0, 0], [1, 1]), input_shape=(3,)), InvalidDomain, "entries"),
        (lambda net: trajectory_length(lambda x: x[:1], plica.Segment([0, 0], [1, 1])), InvalidInput, "rows"),
        (lambda net: trajectory_length(lambda x: x / 0.0 * 0, plica.Segment([1, 1], [2, 2])), InvalidInput, "NaN"),
    ],
)
@pytest.mark.filterwarnings("ignore:divide by zero")
@pytest.mark.filterwarnings("ignore:invalid value")
def test_bad_input_gets_a_clear_error(call, error, words):
    with pytest.raises(error, match=words):
        call(plica.random_network([2, 4, 1], seed=0))


def test_weights_that_are_not_finite_and_train_mode_are_refused():
    module = nn.Sequential(nn.Linear(2, 4), nn.Tanh())
    with torch.no_grad():
        module[0].weight[0, 0] = float("nan")
    with pytest.raises(InvalidNetwork, match="nan"):
        trajectory_length(module, plica.Segment([0, 0], [1, 1]))
    with pytest.raises(InvalidNetwork, match="train mode"):
        trajectory_length(nn.Sequential(nn.Linear(2, 4), nn.Dropout(0.5), nn.Tanh()), plica.Segment([0, 0], [1, 1]))


def test_refinement_that_needs_too_many_points_says_how_far_it_came():
    with pytest.raises(BudgetExceeded, match="max_points") as caught:
        trajectory_length(lambda x: np.sin(1e4 * x), plica.Segment([0.0], [1.0]), tolerance=1e-9, max_points=1000)
    assert caught.value.partial["n_points"] <= 1000


@pytest.mark.parametrize("frequency", [64.0, 1000.0, 2 * np.pi * 512])
def test_oscillations_in_step_with_the_first_points_are_not_missed(frequency):
    length = trajectory_length(lambda x: np.sin(frequency * x), plica.Segment([0.0], [1.0]), tolerance=1e-3)
    t = np.linspace(0, 1, 2_000_001)
    assert length.output == pytest.approx(np.abs(np.diff(np.sin(frequency * t))).sum(), rel=1e-3)


def test_lengths_beyond_floating_point_are_refused():
    big = Linear(np.full((2, 2), 1e300))
    net = Network.sequential(2, [big, Rectifier(), big, Rectifier(), Linear(np.ones((1, 2)))])
    with pytest.raises(InvalidInput, match="too large"):
        trajectory_length(net, plica.Segment([0.5, 0.5], [1.0, 1.5]))


def test_the_result_shows_itself():
    length = trajectory_length(plica.random_network([2, 4, 1], seed=0), plica.Segment([-1, -1], [1, 1]))
    assert repr(length).startswith("<TrajectoryLength exact: 2.82843 at the input")
    assert "<table>" in length._repr_html_()
    assert length.to_dict()["kind"] == "exact"
    np.testing.assert_allclose(np.cumprod(length.ratios), length.growth)
    assert length.plot().get_yscale() == "log"


def test_images_are_planar_polylines_through_the_breakpoints():
    net = plica.random_network([2, 16, 16, 1], seed=0, weights="normal", gain=2.0)
    for projection in ("principal", "random"):
        images = plica.measure.trajectory_images(net, circle([1.0, 0.0], [0.0, 1.0], n_points=32), projection=projection)
        assert images.layers == (-1, 0, 1) and all(line.shape[1] == 2 for line in images.polylines)
        assert images.explained[0] == pytest.approx(1.0)
        assert len(images.plot()) == 3
    with pytest.raises(InvalidInput, match="projection"):
        plica.measure.trajectory_images(net, plica.Segment([0, 0], [1, 1]), projection="flat")


def test_a_ratio_is_the_factor_of_one_layer():
    net = plica.random_network([2, 8, 6, 5, 1], seed=3, weights="he-normal", bias_std=0.2)
    found = trajectory_length(net, plica.Segment([-1.0, 0.3], [1.0, -0.4]))
    first, second, third = found.post
    np.testing.assert_allclose(found.ratios, [first / found.input, second / first, third / second])
    np.testing.assert_allclose(np.cumprod(found.ratios), found.growth)


def test_a_circle_is_around_its_center():
    c = circle([0.0, 3.0, 0.0], [1.0, 1.0, 0.0], center=[1.0, -2.0, 5.0], radius=2.0, n_points=8)
    corners = c.to_input(np.arange(8.0))
    assert np.allclose(np.linalg.norm(corners - [1.0, -2.0, 5.0], axis=1), 2.0)
    assert np.allclose(corners.mean(axis=0), [1.0, -2.0, 5.0]) and np.allclose(corners[0], [1.0, 0.0, 5.0])
