"""Generated points, scenes and functions by their definitions: circles, twists, shapes pixel by pixel, formulas."""

from __future__ import annotations

import numpy as np
import pytest

from plica.data import load
from plica.data._dataset import LabeledGraph, Text
from plica.data._scenes import scenes
from plica.data._targets import TARGETS


def test_two_moons_are_two_half_circles() -> None:
    data = load("moons", n=800, noise=0.0, seed=1)
    upper, lower = data.x[data.y == 0], data.x[data.y == 1] - [1.0, 0.5]
    for half, sign in ((upper, 1), (lower, -1)):
        np.testing.assert_allclose((half**2).sum(1), 1.0)
        assert (sign * half[:, 1] >= 0).all() and half[:, 0].min() < -0.99 and half[:, 0].max() > 0.99
    assert (data.y == np.arange(800) % 2).all()


def test_two_circles_have_their_radii() -> None:
    data = load("circles", n=400, noise=0.0, factor=0.3, seed=1)
    np.testing.assert_allclose(np.hypot(*data.x.T), np.where(data.y == 0, 1.0, 0.3))
    angle = np.arctan2(*data.x.T)
    assert np.histogram(angle, 4, (-np.pi, np.pi))[0].min() > 70


@pytest.mark.parametrize("turns", [1.25, 2.0])
def test_two_spirals_turn_with_their_radius_and_fill_the_disc_evenly(turns: float) -> None:
    data = load("spirals", n=4000, noise=0.0, turns=turns, seed=1)
    radius = np.hypot(*data.x.T) / 0.92
    angle = 2 * np.pi * turns * radius + np.pi * data.y
    np.testing.assert_allclose(data.x, 0.92 * radius[:, None] * np.stack([np.cos(angle), np.sin(angle)], 1), atol=1e-12)
    assert 0.02 <= (radius**2).min() < 0.03 and 0.99 < (radius**2).max() <= 1
    assert (radius**2).mean() == pytest.approx(0.51, abs=0.015), "uniform in the square of the radius"


def test_blobs_stand_evenly_around_a_circle() -> None:
    data = load("blobs", n=6000, classes=5, noise=0.3, seed=1)
    for k in range(5):
        cloud = data.x[data.y == k]
        assert cloud.mean(0) == pytest.approx([np.cos(2 * np.pi * k / 5), np.sin(2 * np.pi * k / 5)], abs=0.04)
        assert cloud.std(0) == pytest.approx([0.3, 0.3], rel=0.07)


def test_digits_are_sixteenths() -> None:
    data = load("digits")
    assert data.n_classes == 10 and data.x.min() == 0 and data.x.max() == 1 and (data.x * 16 == np.round(data.x * 16)).all()


@pytest.mark.parametrize(("dimension", "radius"), [(1, 1.0), (2, 3.0), (4, 0.5)])
def test_a_sphere_is_uniform(dimension: int, radius: float) -> None:
    """E x^2 = 1/n and E x^4 = 3/(n (n + 2)) in n coordinates."""
    x = load("sphere", n=20_000, dimension=dimension, radius=radius, seed=1).x / radius
    n = dimension + 1
    np.testing.assert_allclose((x**2).sum(1), 1.0)
    assert (x**2).mean(0) == pytest.approx(np.full(n, 1 / n), rel=0.04)
    assert (x**4).mean(0) == pytest.approx(np.full(n, 3 / (n * (n + 2))), rel=0.06)


def test_cubes_and_gaussians_are_their_latent_coordinates() -> None:
    cube, gaussian = load("cube", n=20_000, dimension=3, seed=1), load("gaussian", n=20_000, dimension=3, seed=1)
    assert (cube.x == cube.latent).all() and (gaussian.x == gaussian.latent).all()
    assert 0 <= cube.x.min() < 0.001 and 0.999 < cube.x.max() <= 1
    assert cube.x.var(0) == pytest.approx(np.full(3, 1 / 12), rel=0.03)
    assert np.cov(gaussian.x.T) == pytest.approx(np.eye(3), abs=0.04)


@pytest.mark.parametrize("twists", [0, 1, 3])
def test_a_strip_turns_by_half_turns_around_its_circle(twists: int) -> None:
    data = load("moebius", n=500, twists=twists, seed=1)
    for (u, v), point in zip(data.latent, data.x, strict=True):
        outward, up = np.array([np.cos(u), np.sin(u), 0.0]), np.array([0.0, 0.0, 1.0])
        across = np.cos(twists * u / 2) * outward + np.sin(twists * u / 2) * up
        assert point == pytest.approx(outward + v * across)
    u, v = data.latent.T
    assert 0 <= u.min() and 6.2 < u.max() < 2 * np.pi and -0.5 <= v.min() < -0.49 and 0.49 < v.max() <= 0.5


def test_a_flat_torus_is_a_circle_for_every_angle() -> None:
    data = load("torus", n=300, dimension=3, seed=1)
    np.testing.assert_allclose(data.x[:, :3] + 1j * data.x[:, 3:], np.exp(1j * data.latent), atol=1e-12)
    assert 0 <= data.latent.min() and 6.2 < data.latent.max() < 2 * np.pi


def test_points_are_turned_and_not_stretched_and_noise_is_of_every_coordinate() -> None:
    plain, turned = load("swiss-roll", n=60, seed=3), load("swiss-roll", n=60, ambient=7, seed=3)
    np.testing.assert_allclose(turned.x @ turned.x.T, plain.x @ plain.x.T, atol=1e-9)
    noise = load("swiss-roll", n=4000, ambient=7, noise=0.5, seed=3).x - load("swiss-roll", n=4000, ambient=7, seed=3).x
    assert np.cov(noise.T) == pytest.approx(0.25 * np.eye(7), abs=0.03)


@pytest.mark.parametrize("activation", ["tanh", "linear", "sign", "relu", "erf"])
def test_a_hidden_manifold_is_a_function_of_latent_forms(activation: str) -> None:
    from scipy.special import erf

    functions = {"tanh": np.tanh, "linear": lambda z: z, "sign": np.sign, "relu": lambda z: z * (z > 0), "erf": erf}
    data = load("hidden-manifold", n=50, dimension=4, ambient=6, activation=activation, seed=7)
    features = np.random.default_rng(7).standard_normal((4, 6))
    np.testing.assert_allclose(data.x, functions[activation](data.latent @ features / 2), atol=1e-12)


def test_biases_of_a_generator_have_a_tenth_of_a_deviation() -> None:
    """With as many layers of linear units the offset at latent zero is known: a sum of biases that the weights double."""
    found = []
    for seed in range(40):
        data = load("generator", n=30, dimension=2, ambient=50, activation="linear", seed=seed)
        design = np.column_stack([np.ones(30), data.latent])
        found.append(np.linalg.lstsq(design, data.x, rcond=None)[0])
    coefficients = np.array(found)
    assert coefficients[:, 0].std() == pytest.approx(0.1, rel=0.06)
    assert coefficients[:, 1:].std() == pytest.approx(1.0, rel=0.06)  # sqrt(2 / 2)


def test_scenes_are_painted_shape_by_shape() -> None:
    found = scenes(400, size=20, noise=0.0, seed=4)
    alone = found.masks.sum(axis=(2, 3)) * (found.y.sum(1) == 1)[:, None]
    whole = {"disc": 29, "square": 25, "stripes": 25}  # lattice points within 3, squares of side 5
    for k, name in enumerate(found.concepts):
        assert set(alone[:, k].tolist()) == {0, whole[name]}
    assert found.y.mean() == pytest.approx(0.5, abs=0.05)
    for image, masks, there in zip(found.x, found.masks, found.y, strict=True):
        assert (masks.sum(0) <= 1).all() and (masks.any(axis=(1, 2)) == there).all()
        assert (image[~masks.any(0)] == 0).all()
        assert (image[masks[1]] == np.float32(0.7)).all()
        columns = np.broadcast_to(np.arange(20), (20, 20))
        assert (image[masks[2]] == columns[masks[2]] % 2).all()
        if masks[0].sum() == 29:
            rows, columns = np.nonzero(masks[0])
            square = (rows - rows.mean()) ** 2 + (columns - columns.mean()) ** 2
            assert (image[masks[0]] == np.where(square <= 2, 0.5, 1.0)).all()


def test_what_is_hidden_is_not_there() -> None:
    found = scenes(1500, size=12, noise=0.0, seed=4)
    rng = np.random.default_rng(4)
    painted = rng.random((1500, 3)) < 0.5
    assert (found.y == found.masks.any(axis=(2, 3))).all() and (found.y <= painted).all() and (found.y != painted).any()


@pytest.mark.parametrize("n", range(1, 9))
def test_every_scene_is_painted(n: int) -> None:
    painted = np.random.default_rng(3).random((n, 3)) < 0.5
    found = scenes(n, noise=0.0, seed=3)
    single = painted.sum(1) <= 1
    assert (found.y[single] == painted[single]).all() and (found.y.any(1) == painted.any(1)).all()


def test_noise_of_scenes_stays_in_the_unit_interval() -> None:
    clean, noisy = scenes(50, noise=0.0, seed=4).x, scenes(50, noise=0.1, seed=4).x
    middle = clean == np.float32(0.7)
    assert (noisy - clean)[middle].std() == pytest.approx(0.1, rel=0.1)
    assert noisy.min() == 0 and noisy.max() == 1


FORMULAS = {
    "sine": lambda x: np.sin(2 * np.pi * x),
    "chirp": lambda x: np.sin(2 * np.pi * 5 * x**2),
    "parabola": lambda x: x**2,
    "cubic": lambda x: x * x * x,
    "absolute": lambda x: np.where(x < 0, -x, x),
    "step": lambda x: np.where(x > 0.5, 1.0, 0.0),
    "sawtooth": lambda x: 1 - np.abs(np.mod(64 * x, 2) - 1),
    "product": lambda x, y: x * y,
    "radial": lambda x, y: np.sin(np.pi * np.sqrt(x * x + y * y)),
    "checkerboard": lambda x, y: np.where(np.floor(2 * x) % 2 == np.floor(2 * y) % 2, 1.0, -1.0),
    "waves": lambda x, y: (np.cos(2 * np.pi * (x - y)) - np.cos(2 * np.pi * (x + y))) / 2,
}


@pytest.mark.parametrize("name", FORMULAS)
def test_targets_are_their_formulas_on_their_domains(name: str) -> None:
    data = load(name, n=3000, seed=2)
    np.testing.assert_allclose(data.y[:, 0], FORMULAS[name](*data.x.T), atol=1e-9)
    low = -1 if name in ("cubic", "absolute", "product", "radial", "checkerboard", "waves") else 0
    assert low <= data.x.min() < low + 0.01 and 0.99 < data.x.max() <= 1
    assert set(FORMULAS) == set(TARGETS)
    noise = load(name, n=3000, noise=0.3, seed=2).y - data.y
    assert noise.std() == pytest.approx(0.3, rel=0.05)


def test_parts_of_a_data_set_keep_points_labels_and_coordinates_together() -> None:
    data = load("hidden-manifold", n=60, dimension=3, ambient=4, seed=0)
    place = {row.tobytes(): i for i, row in enumerate(data.x)}

    def same(x: np.ndarray, y: np.ndarray, latent: np.ndarray | None) -> list[int]:
        rows = [place[row.tobytes()] for row in x]
        assert (y == data.y[rows]).all() and (latent is None or (latent == data.latent[rows]).all())
        return rows

    small = data.subset(20, seed=1)
    assert len(set(same(small.x, small.y, small.latent))) == 20
    parts = data.split(0.75, seed=1)
    train, test = same(parts.x, parts.y, parts.latent), same(parts.x_test, parts.y_test, None)
    assert len(train) == 45 and sorted(train + test) == list(range(60))
    fewer = parts.subset(10, seed=2, n_test=5)
    same(fewer.x, fewer.y, fewer.latent)
    assert len(set(same(fewer.x_test, fewer.y_test, None))) == 5


def test_texts_and_graphs() -> None:
    text = Text("abc", "hello world, hello")
    assert text.train + text.test == text.text and len(text.train) == int(0.9 * 18) and text.alphabet == " ,dehlorw"
    assert text.decode(text.encode("hold")) == "hold" and text.encode("e").tolist() == [text.alphabet.index("e")]
    rows = np.arange(4)
    graph = LabeledGraph("g", np.eye(4), np.array([[0, 1], [1, 3]]), np.array([0, 2, 1, 2]), rows, rows, rows)
    assert (graph.n_nodes, graph.n_classes) == (4, 3)
    expected = np.zeros((4, 4))
    for i, j in ((0, 1), (1, 0), (1, 3), (3, 1)):
        expected[i, j] = 1
    assert (graph.adjacency() == expected).all()


def test_usual_sizes_of_generated_data() -> None:
    """Without options: how many points, of what dimension, in how many coordinates."""
    known = {
        "moons": (400, 2), "circles": (400, 2), "spirals": (240, 2), "blobs": (400, 2), "sine": (400, 1), "waves": (400, 2),
        "sphere": (1000, 3), "cube": (1000, 2), "gaussian": (1000, 2), "swiss-roll": (1000, 3), "moebius": (1000, 3),
        "torus": (1000, 4), "helix": (1000, 3), "hidden-manifold": (1000, 100), "generator": (1000, 64), "digits": (1797, 64),
    }  # fmt: skip
    assert {name: load(name).flat.shape for name in known} == known
    assert (load("hidden-manifold").dimension, load("generator").dimension) == (10, 4)
    assert [load(name).n_classes for name in ("moons", "circles", "spirals", "hidden-manifold", "sine")] == [2, 2, 2, 2, 0]
    data = load("moons", n=40)
    assert (data.split(0.5).x == data.split(0.5, seed=0).x).all() and (data.subset(9).x == data.subset(9, seed=0).x).all()
    assert data.subset(9, n_test=4).x_test is None
    assert load("blobs").n_classes == 3 and (load("moons").x == load("moons", seed=0, noise=0.1).x).all()
    assert (load("circles").x == load("circles", noise=0.05, factor=0.5).x).all()
    assert (load("spirals").x == load("spirals", noise=0.025, turns=1.25).x).all()
    assert (load("helix").x == load("helix", turns=4.0, noise=0.0).x).all() and (
        load("moebius").x == load("moebius", twists=1).x
    ).all()
    one = load("hidden-manifold")
    assert (one.x == load("hidden-manifold", activation="tanh").x).all()
    assert (one.y == load("hidden-manifold", teacher_units=4).y).all() and one.y.mean() == pytest.approx(0.5, abs=0.1)
    assert (load("generator").x == load("generator", layers=1, activation="relu").x).all()
    assert scenes(3).x.shape == (3, 16, 16) and (scenes(3).x == scenes(3, size=16, noise=0.1, seed=0).x).all()
