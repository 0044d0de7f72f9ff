"""Features of the inputs: fixed ReLUs in front of the network, exact where they can be and near where they cannot."""

from math import pi

import numpy as np
import pytest

from plica.errors import InvalidInput
from plica.web._features import N_KNOTS, STEP, TERMS, Features
from plica.web._limits import MAX_WIDTH, Limits
from plica.web._options import FEATURES
from plica.web._picture import picture
from plica.web._scene import scene_of
from plica.web._state import State

MEANT = {
    "abs-x": lambda x, y: np.abs(x),
    "abs-y": lambda x, y: np.abs(y),
    "square-x": lambda x, y: x**2,
    "square-y": lambda x, y: y**2,
    "times": lambda x, y: x * y,
    "sine-x": lambda x, y: np.sin(pi * x),
    "sine-y": lambda x, y: np.sin(pi * y),
}
BOUNDS = {"abs": 1e-15, "square": STEP**2 / 4, "times": STEP**2 / 4, "sine": (pi * STEP) ** 2 / 8}
"""Of interpolants: a quarter of the squared step for a square, pi squared times an eighth of it for a sine."""


def scene(**fields):
    return scene_of(State(**fields), lambda digest: b"")


def test_every_feature_is_what_it_is_called_within_the_bound_of_its_interpolant():
    points = np.random.default_rng(0).uniform(-1.9, 1.9, (4000, 2))
    found = Features.of(FEATURES, 2)(points)
    assert np.array_equal(found[:, :2], points)
    for name, values in zip(FEATURES, found[:, 2:].T, strict=True):
        error = np.abs(values - MEANT[name](*points.T)).max()
        bound = BOUNDS[name.split("-")[0]]
        assert error <= bound + 1e-12
        assert name.startswith("abs") or error > 0.8 * bound  # the bound is met: these are the interpolants that were promised


def test_interpolants_are_right_at_their_knots():
    knots = STEP * np.arange(-N_KNOTS, N_KNOTS + 1)
    points = np.stack([knots, -knots], axis=1)
    for name, values in zip(FEATURES, Features.of(FEATURES, 2)(points)[:, 2:].T, strict=True):
        assert values == pytest.approx(MEANT[name](*points.T), abs=1e-12)


def test_all_features_together_are_no_wider_than_a_layer_may_be():
    assert len(Features.of(FEATURES, 2).units[0]) <= MAX_WIDTH
    assert set(TERMS) == set(FEATURES)


@pytest.mark.parametrize("chosen", [("abs-x",), ("square-x", "square-y"), FEATURES])
def test_the_network_of_the_inputs_is_the_network_of_the_features(chosen):
    found = scene(data="circles", widths=(5, 4), features=chosen, step=30)
    from plica.web._training import Trainer, dense_network

    trainer = Trainer(found.state, found.problem)
    alone = trainer._dense(found.checkpoint)
    points = np.random.default_rng(1).uniform(-1.4, 1.4, (300, 2))
    wanted = alone.stages(trainer.features(points))[-1]
    assert found.network(points) == pytest.approx(wanted, abs=1e-9)
    whole = dense_network(found.layers, found.activations, "logistic")
    assert whole.loss(found.problem.points, found.problem.targets[:, None]) == pytest.approx(found.loss, rel=1e-9)


def test_squares_make_circles_easy():
    """One neuron that reads squares separates two circles; without them it cannot."""
    rest = {"data": "circles", "widths": (1,), "act": ("leaky-relu",), "step": 400, "noise": 0.05, "seed": 1}
    assert scene(**rest, features=("square-x", "square-y")).loss < 0.3 * scene(**rest).loss


def test_folds_of_features_are_those_of_layer_0_and_the_cells_are_exact():
    facts, arrays = picture(scene(data="circles", widths=(4,), features=("square-x",)), Limits())
    assert facts["widths"] == [2, 2 * N_KNOTS + 2, 4, 1] and facts["n_fixed"] == 1 and facts["kind"] == "exact"
    ends = arrays["vertices"][arrays["edges"][arrays["edge_layer"] == 0]]
    a, b, c, d = facts["window"]
    x, y = a + ends[..., 0] * (b - a), c + ends[..., 1] * (d - c)
    on_x = (np.abs(x - np.round(x / STEP) * STEP) < 1e-5).all(axis=1)
    assert (on_x | (np.abs(y) < 1e-5).all(axis=1)).all()


def test_what_does_not_fit_is_refused_with_a_hint():
    with pytest.raises(InvalidInput, match="two inputs") as refused:
        scene(data="sine", features=("abs-y",))
    assert refused.value.hint
    with pytest.raises(InvalidInput, match="plain inputs"):
        scene(data="square", init="square", widths=(3, 3), features=("abs-x",))
    with pytest.raises(InvalidInput):
        State.from_query("features=cube")


def test_the_code_that_is_copied_makes_the_same_network(tmp_path):
    from plica.web._snippet import snippet

    found = scene(data="circles", widths=(3,), features=("abs-x",), step=5)
    names: dict = {}
    exec(snippet(found), names)  # noqa: S102 code that we wrote
    points = np.random.default_rng(2).uniform(-1, 1, (50, 2))
    assert np.array_equal(names["net"](points), found.network(points))
