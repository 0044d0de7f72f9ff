"""A training in the space of weights: its line as pieces, its plane, its path, and the curvature along it."""

import numpy as np
import pytest
from torch import nn

from plica.errors import InvalidInput
from plica.landscape import (
    Curvature,
    curvature_path,
    from_vector,
    loss_line,
    moved,
    one_layer,
    random_direction,
    survey,
    weights_view,
)
from plica.learn import mlp
from plica.network import from_torch


def training(n_states: int = 5, widths=(3, 6, 2)):
    rng = np.random.default_rng(1)
    model = mlp(list(widths), seed=1)
    n = sum(p.numel() for p in model.parameters())
    steps = np.cumsum(rng.normal(size=(n_states, n)), axis=0) * 0.1
    states = [moved(model, (1.0, from_vector(model, s))) for s in steps]
    x = rng.normal(size=(12, widths[0]))
    return states, x, rng.normal(size=(12, widths[-1]))


def mean_square(model: nn.Module, x: np.ndarray, y: np.ndarray) -> float:
    return float(np.mean((from_torch(model)(x) - y) ** 2))


def test_pieces_are_the_polynomials_of_the_line() -> None:
    states, x, y = training()
    line = loss_line(states[0], states[-1], x, y)
    knots, c = line.pieces()
    assert len(c) == line.n_breakpoints + len(line.cells) and knots[0] == 0 and knots[-1] == 1
    assert (np.diff(knots) >= 0).all() and c.shape[1] == 2 * line.degree + 1
    for t in np.random.default_rng(2).uniform(size=40):
        k = int(np.searchsorted(knots, t)) - 1
        s = (t - knots[k]) / (knots[k + 1] - knots[k])
        assert sum(a * s**i for i, a in enumerate(c[k])) == pytest.approx(line.at(t).middle, rel=1e-9)
    with pytest.raises(InvalidInput, match="no polynomial"):
        loss_line(states[0], states[-1], x, np.zeros(12, int), loss="cross-entropy").pieces()


def test_the_path_lies_where_its_states_are() -> None:
    states, x, y = training(n_states=3)  # three states lie in a plane: everything is explained
    seen = weights_view(states, x, y, coarse=8, levels=0)
    assert seen.trajectory.explained.sum() == pytest.approx(1.0)
    for state, loss in zip(states, seen.losses, strict=True):
        assert loss == pytest.approx(mean_square(state, x, y), rel=1e-9)
    first, second = seen.trajectory.directions
    spans = seen.path - seen.path[-1]
    scale = seen.trajectory.path[0] / spans[0]
    corner = [(float(seen.surface.u[0]), float(seen.surface.v[8])), (float(seen.surface.u[3]), float(seen.surface.v[5]))]
    for (u, v), value in zip(corner, (seen.surface.values[0, 8], seen.surface.values[3, 5]), strict=True):
        there = ((u, v) - seen.path[-1]) * scale
        assert value == pytest.approx(mean_square(moved(states[-1], (there[0], first), (there[1], second)), x, y), rel=1e-9)
    arrays = seen.arrays(n_points=11)
    assert np.abs(arrays["path"]).max() == pytest.approx(0.8)  # a fourth wider than the path
    assert arrays["loss"][0] == pytest.approx(seen.losses[0]) and arrays["loss"][-1] == pytest.approx(seen.losses[-1])
    with pytest.raises(InvalidInput, match=r"no path|span no plane"):
        weights_view(states[:1], x, y, coarse=2)


def test_index_and_mass_are_those_of_the_eigenvalues() -> None:
    states, x, y = training(3)
    path = curvature_path(states, x, y)
    for i, state in enumerate(states):
        values = np.linalg.eigvalsh(Curvature(state, x, y).matrix())
        assert path.index[i] == (values < -1e-8 * np.abs(values).max()).mean()
        assert path.negative_mass[i] == pytest.approx(-values[values < 0].sum() / np.abs(values).sum())
        assert (path.least[i], path.largest[i]) == pytest.approx((values[0], values[-1]))
    assert path.kind == "exact" and path.table()[1]["negative_mass"] == path.negative_mass[1]
    gauss = curvature_path(states, x, y, part="gauss-newton")
    assert gauss.index.max() == 0 and gauss.negative_mass.max() < 1e-12
    with pytest.raises(InvalidInput, match="no states"):
        curvature_path([], x, y)


def test_large_models_are_seen_by_random_vectors() -> None:
    states, x, y = training(2, widths=(3, 80, 2))
    seen: list[dict] = []
    path = curvature_path(states, x, y, n_vectors=20, n_steps=40, progress=seen.append)
    values = np.linalg.eigvalsh(Curvature(states[-1], x, y).matrix())
    mass = -values[values < 0].sum() / np.abs(values).sum()
    assert path.kind == "estimated" and len(seen) == 2
    assert abs(path.negative_mass[-1] - mass) < 5 * path.negative_mass_error[-1] and path.negative_mass_error[-1] > 0
    assert path.largest[-1] == pytest.approx(values[-1], rel=1e-6)


def test_an_exact_plane_is_not_kept_in_parts(tmp_path) -> None:
    states, x, y = training(2)
    pair = [one_layer(random_direction(states[0], seed=s), "0") for s in (0, 1)]
    with pytest.raises(InvalidInput, match="takes no store"):
        survey(states[0], x, y, pair, store=tmp_path)
    assert survey(states[0], x, y, pair, store=tmp_path, coarse=4, levels=0).kind == "estimated"
