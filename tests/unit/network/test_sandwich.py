"""Smooth activations between two piecewise-linear networks: the interpolants, and what their errors become."""

import warnings
from fractions import Fraction

import numpy as np
import pytest
import torch
from torch import nn

import plica
from plica.errors import InvalidInput, UnsupportedLayer
from plica.network._curves import CURVES, SLACK
from plica.network._interpolants import interpolant

mpmath = pytest.importorskip("mpmath")

TRUE = {
    "sigmoid": lambda t: 1 / (1 + mpmath.exp(-t)),
    "tanh": mpmath.tanh,
    "silu": lambda t: t / (1 + mpmath.exp(-t)),
    "gelu": lambda t: t * mpmath.ncdf(t),
}
MODULES = {"sigmoid": nn.Sigmoid, "tanh": nn.Tanh, "silu": nn.SiLU, "gelu": nn.GELU}


def as_fraction(x: object) -> Fraction:
    return Fraction(str(mpmath.nstr(x, 60, strip_zeros=False, min_fixed=-mpmath.inf, max_fixed=mpmath.inf)))


@pytest.mark.parametrize("name", CURVES)
def test_curves_are_right_to_forty_digits(name: str) -> None:
    curve = CURVES[name]
    with mpmath.workdps(80):
        for t in (Fraction(0), Fraction(1, 3), Fraction(-7, 4), Fraction(5), Fraction(-8), Fraction(317, 100)):
            x = mpmath.mpf(t.numerator) / t.denominator
            assert abs(as_fraction(TRUE[name](x)) - curve.value(t)) < SLACK
            second = mpmath.diff(TRUE[name], x, 2, h=mpmath.mpf(10) ** -25)
            assert abs(as_fraction(second) - curve.second(t)) < Fraction(1, 10**20)


@pytest.mark.parametrize("name", CURVES)
def test_curvatures_are_below_their_bound_and_tails_approach_their_asymptotes(name: str) -> None:
    curve = CURVES[name]
    grid = [Fraction(i, 20) for i in range(-200, 201)]
    largest = max(abs(curve.second(t)) for t in grid)
    assert Fraction(99, 100) * curve.curvature < largest <= curve.curvature
    right = [abs(curve.value(t) - curve.slope * t - curve.right) for t in grid if t >= curve.settled]
    left = [abs(curve.value(t) - curve.left) for t in grid if t <= -curve.settled]
    assert right == sorted(right, reverse=True)
    assert left == sorted(left)


@pytest.mark.parametrize("name", CURVES)
@pytest.mark.parametrize("pieces", [2, 7, 32])
def test_an_interpolant_is_within_its_error_and_not_much_nearer(name: str, pieces: int) -> None:
    unit, worst = interpolant(name, pieces), Fraction(0)
    knots, bends = ([Fraction(float(x)) for x in a] for a in (unit.knots, unit.bends))
    assert len(knots) == pieces + 1
    for t in [Fraction(i, 37) for i in range(-330, 331)] + knots:
        value = Fraction(unit.start) + sum(b * max(t - k, Fraction(0)) for k, b in zip(knots, bends, strict=True))
        worst = max(worst, abs(value - CURVES[name].value(t)))
    assert worst <= Fraction(unit.error) <= Fraction(5, 4) * worst
    assert sum(bends) == CURVES[name].slope  # the right tail is parallel to the asymptote, exactly
    slopes = np.cumsum(unit.bends)
    assert np.abs(slopes).max() <= unit.slope


@pytest.mark.parametrize("name", CURVES)
def test_errors_fall_like_one_over_the_square_of_the_pieces(name: str) -> None:
    errors = [interpolant(name, n).error for n in (16, 64)]
    assert 8 < errors[0] / errors[1] < 20


@pytest.mark.parametrize("name", MODULES)
def test_the_model_is_between_the_two_networks_at_every_point(name: str) -> None:
    torch.manual_seed(0)
    module = nn.Sequential(
        nn.Linear(3, 8), MODULES[name](), nn.Linear(8, 6), nn.ReLU(), MODULES[name](), nn.Linear(6, 2)
    ).double()
    between = plica.sandwich(module, pieces=12)
    x = np.random.default_rng(0).normal(size=(400, 3)) * np.repeat([0.5, 3.0, 30.0, 1e4], 100)[:, None]
    y = module(torch.from_numpy(x)).detach().numpy()
    slack = 1e-13 * (1 + np.abs(y))
    assert (between.lower(x) <= y + slack).all() and (y <= between.upper(x) + slack).all()
    distance = np.abs(between.middle(x) - y).max(axis=0)
    assert (distance <= between.error).all() and (distance > between.error / 50).all()
    assert between.gap == 2 * between.error.max()


def test_distances_are_those_of_a_calculation_by_hand() -> None:
    module = nn.Sequential(nn.Linear(1, 2, bias=False), nn.Tanh(), nn.Linear(2, 1, bias=False), nn.Tanh())
    with torch.no_grad():
        module[0].weight[:] = torch.tensor([[1.0], [2.0]])
        module[2].weight[:] = torch.tensor([[3.0, -4.0]])
    between = plica.sandwich(module, pieces=8)
    unit = interpolant("tanh", 8)
    assert between.error[0] == pytest.approx(unit.slope * 7 * unit.error + unit.error, rel=1e-6)


def test_max_pooling_and_convolutions_are_between_too() -> None:
    torch.manual_seed(0)
    module = nn.Sequential(nn.Conv2d(1, 3, 3), nn.SiLU(), nn.MaxPool2d(2), nn.Flatten(), nn.Linear(12, 2), nn.Sigmoid()).double()
    images = torch.randn(20, 1, 6, 6, dtype=torch.float64)
    between = plica.sandwich(module, pieces=10, example_input=images)
    y, x = module(images).detach().numpy(), images.numpy()
    assert (between.lower(x) <= y).all() and (y <= between.upper(x)).all()
    assert between.gap < 1.0


def test_files_and_estimators_are_read_too(tmp_path) -> None:
    onnx = pytest.importorskip("onnx")
    from onnx import TensorProto, helper, numpy_helper

    weight = np.array([[1.0, -2.0], [0.5, 1.0]], dtype=np.float32)
    nodes = [helper.make_node("MatMul", ["x", "w"], ["h"]), helper.make_node("Tanh", ["h"], ["y"])]
    ends = [helper.make_tensor_value_info(n, TensorProto.FLOAT, ["batch", 2]) for n in ("x", "y")]
    graph = helper.make_graph(nodes, "g", ends[:1], ends[1:], [numpy_helper.from_array(weight, "w")])
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)]), tmp_path / "m.onnx")
    with pytest.raises(UnsupportedLayer) as refused:
        plica.load(tmp_path / "m.onnx")
    assert "plica.sandwich" in refused.value.hint
    between = plica.sandwich(tmp_path / "m.onnx")
    x = np.random.default_rng(0).normal(size=(50, 2))
    assert (np.abs(np.tanh(x @ weight) - between.middle(x)) <= between.error).all()

    neural = pytest.importorskip("sklearn.neural_network")
    points = np.random.default_rng(1).normal(size=(60, 2))
    model = neural.MLPRegressor(hidden_layer_sizes=(5,), activation="logistic", max_iter=5, random_state=0)
    with warnings.catch_warnings():  # five steps are few
        warnings.simplefilter("ignore")
        model.fit(points, points[:, 0] * points[:, 1])
    between = plica.sandwich(model)
    assert (np.abs(model.predict(x) - between.middle(x).reshape(-1)) <= between.error + 1e-12).all()


def test_nothing_is_replaced_unless_it_is_asked_for() -> None:
    module = nn.Sequential(nn.Linear(2, 2), nn.GELU())
    with pytest.raises(UnsupportedLayer, match="GELU, which is not piecewise linear") as refused:
        plica.from_torch(module)
    assert "plica.sandwich(model)" in refused.value.hint
    assert plica.sandwich(module).gap > 0
    with pytest.raises(UnsupportedLayer):
        plica.from_torch(module)
    with pytest.raises(UnsupportedLayer, match="another function"):
        plica.sandwich(nn.Sequential(nn.Linear(2, 2), nn.GELU(approximate="tanh")))
    with pytest.raises(UnsupportedLayer, match="not piecewise linear"):
        plica.sandwich(nn.Sequential(nn.Linear(2, 2), nn.Softmax(dim=1)))
    for pieces in (1, 10**6, 2.5):
        with pytest.raises(InvalidInput, match="pieces"):
            plica.sandwich(module, pieces=pieces)


def test_a_network_without_smooth_activations_is_its_own_sandwich() -> None:
    between = plica.sandwich(nn.Sequential(nn.Linear(2, 3), nn.ReLU(), nn.Linear(3, 1)))
    assert between.gap == 0
    assert "gap 0" in repr(between)
