"""Directions, their normalization, surfaces and permutations."""

import itertools
from copy import deepcopy
from pathlib import Path

import numpy as np
import pytest
import torch

from plica.errors import InvalidInput, UnsupportedLayer
from plica.landscape import (
    balanced,
    connect,
    loss_line,
    loss_surface,
    match,
    moved,
    permuted,
    random_direction,
    toward,
    trajectory,
)
from plica.learn import mlp
from plica.network import Clip, Linear, Network, Rectifier, from_torch, random_network


def data(n: int = 30, d: int = 3) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(0)
    x = rng.normal(size=(n, d))
    return x, np.sin(x[:, :1])


def rescaled(model: torch.nn.Module, factors: np.ndarray | float) -> torch.nn.Module:
    """The same function: hidden units of the first layer times factors, the next layer divided by them."""
    other = deepcopy(model).double()
    c = torch.as_tensor(np.broadcast_to(factors, other[0].bias.shape).copy())
    with torch.no_grad():
        other[0].weight *= c[:, None]
        other[0].bias *= c
        other[2].weight /= c
    return other


@pytest.mark.parametrize("normalize", ["filter", "layer"])
def test_a_rescaled_layer_gets_the_same_picture_with_normalization_and_another_without(normalize: str) -> None:
    x, y = data()
    model = mlp([3, 8, 1], seed=1, bias_std=0.5)
    other = rescaled(model, 16.0)
    t = np.linspace(-1, 1, 9)

    def profile(m: torch.nn.Module, how: str) -> np.ndarray:
        d = random_direction(m, seed=5, normalize=how)
        return loss_line(moved(m, (-1.0, d)), moved(m, (1.0, d)), x, y)((t + 1) / 2)

    np.testing.assert_allclose(profile(model, normalize), profile(other, normalize), rtol=1e-9)
    plain, changed = profile(model, "none"), profile(other, "none")
    assert np.abs(plain / changed - 1).max() > 0.1


def test_single_units_need_the_balanced_form() -> None:
    x, y = data()
    model = mlp([3, 8, 1], seed=1)
    other = rescaled(model, 2.0 ** np.arange(-4, 4))

    def surface(m) -> np.ndarray:
        d = random_direction(m, seed=5), random_direction(m, seed=6)
        return loss_surface(m, x, y, d, coarse=4, levels=0).values

    assert np.abs(surface(model) / surface(other) - 1).max() > 0.01
    first, second = balanced(from_torch(model)), balanced(from_torch(other))
    np.testing.assert_allclose(first(x), from_torch(model)(x), atol=1e-12)
    np.testing.assert_allclose(surface(first), surface(second), rtol=1e-8)


def test_a_bias_is_a_filter_of_its_own() -> None:
    model = mlp([3, 8, 1], seed=1, bias_std=0.5)
    d, layers = (random_direction(model, seed=2, normalize=how) for how in ("filter", "layer"))
    for i in (0, 2):
        w, b = (p.detach().numpy() for p in (model[i].weight, model[i].bias))
        np.testing.assert_allclose(np.linalg.norm(d.parts[f"{i}.weight"], axis=1), np.linalg.norm(w, axis=1), rtol=1e-6)
        np.testing.assert_allclose(np.abs(d.parts[f"{i}.bias"]), np.abs(b), rtol=1e-6)
        assert np.linalg.norm(layers.parts[f"{i}.bias"]) == pytest.approx(np.linalg.norm(b), rel=1e-6)
        assert np.linalg.norm(layers.parts[f"{i}.weight"]) == pytest.approx(np.linalg.norm(w), rel=1e-6)
    assert len(set(np.sign(d.parts["0.bias"]))) == 2


def test_parameters_of_norms_do_not_move() -> None:
    model = mlp([3, 8, 1], seed=1, batch_norm=True)
    d = random_direction(model, seed=2)
    assert not d.parts["1.weight"].any() and not d.parts["1.bias"].any() and d.parts["0.weight"].any()


def test_a_surface_is_the_loss_of_the_moved_model() -> None:
    x, y = data()
    model = mlp([3, 8, 6, 1], seed=1)
    d = random_direction(model, seed=2), random_direction(model, seed=3)
    surface = loss_surface(model, x, y, d, coarse=4, levels=1, reach=0.5)
    for i, j in np.argwhere(surface.sampled)[::7]:
        there = moved(model, (float(surface.u[i]), d[0]), (float(surface.v[j]), d[1]))
        value = float(np.mean((from_torch(there)(x) - y) ** 2))
        assert surface.values[i, j] == pytest.approx(value, rel=1e-10)
    single = loss_surface(model, x, y, d, coarse=4, levels=1, reach=0.5, dtype=np.float32)
    np.testing.assert_allclose(single.values, surface.values, rtol=1e-4)


@pytest.mark.parametrize("loss", ["absolute", "cross-entropy"])
def test_other_losses_agree_with_lines(loss: str) -> None:
    x, _ = data()
    y = np.arange(30) % 2
    model = mlp([3, 8, 2], seed=1)
    d = random_direction(model, seed=2), random_direction(model, seed=3)
    surface = loss_surface(model, x, y, d, coarse=4, levels=0, loss=loss)
    line = loss_line(moved(model, (-1.0, d[0])), moved(model, (1.0, d[0])), x, y, loss=loss)
    np.testing.assert_allclose(surface.values[:, 2], line((surface.u + 1) / 2), rtol=1e-9)


def test_flat_squares_are_not_divided_and_the_error_is_told() -> None:
    x, y = data()
    model = mlp([3, 8, 1], seed=1)
    d = random_direction(model, seed=2), random_direction(model, seed=3)
    surface = loss_surface(model, x, y, d, coarse=4, levels=3)
    full = loss_surface(model, x, y, d, coarse=4, levels=3, tolerance=0.0)
    assert surface.n_evaluations < full.n_evaluations == full.values.size
    assert np.abs(surface.values - full.values).max() < 3 * surface.tolerance
    assert full.error < surface.tolerance


def test_a_surface_becomes_a_mesh(tmp_path: Path) -> None:
    x, y = data()
    model = mlp([3, 8, 1], seed=1)
    d = random_direction(model, seed=2), random_direction(model, seed=3)
    surface = loss_surface(model, x, y, d, coarse=4, levels=0)
    points, triangles = surface.triangles()
    assert len(points) == 25 and len(triangles) == 32 and set(triangles.reshape(-1)) == set(range(25))
    area = sum(abs(np.linalg.det(points[t[1:], :2] - points[t[0], :2])) / 2 for t in triangles)
    assert area == pytest.approx(4.0)
    assert len(surface.table()) == 25


def test_the_path_of_an_optimizer_in_its_plane() -> None:
    model = mlp([3, 4, 1], seed=0)
    e, f = random_direction(model, seed=1), random_direction(model, seed=2)
    states = [moved(model, (1.0 - s, e), ((1.0 - s) ** 2, f)) for s in np.linspace(0, 1, 9)]
    path = trajectory(states)
    assert path.explained.sum() == pytest.approx(1.0)  # the path lies in a plane
    for state, (a, b) in zip(states, path.path, strict=True):
        again = moved(states[-1], (a, path.directions[0]), (b, path.directions[1]))
        assert toward(again, state).norm < 1e-9
    with pytest.raises(InvalidInput, match="no path"):
        trajectory([model])


@pytest.mark.parametrize("by", ["weights", "activations"])
def test_matching_finds_a_hidden_permutation(by: str) -> None:
    rng = np.random.default_rng(0)
    net = random_network([5, 20, 16, 12, 3], seed=1)
    x = rng.normal(size=(200, 5))
    hidden = [rng.permutation(n) for n in (20, 16, 12)]
    shuffled = permuted(net, hidden)
    np.testing.assert_allclose(shuffled(x), net(x), atol=1e-12)
    found = match(net, shuffled, by=by, x=x)
    assert found.distance_after == 0.0 < found.distance_before
    assert all((p[q] == np.arange(len(p))).all() for p, q in zip(hidden, found.permutations, strict=True))
    labels = np.argmax(net(x), axis=1)
    before, after = (loss_line(net, other, x[:50], labels[:50], loss="cross-entropy") for other in (shuffled, found.network))
    assert float(after.barrier.value) < 1e-9 < 1e-3 < float(before.barrier.value)


def test_matching_looks_at_biases_where_weights_are_alike() -> None:
    biases = np.array([0.5, -1.0, 2.0, 0.25, -3.0])
    order = np.array([3, 0, 4, 2, 1])

    def network(bias: np.ndarray) -> Network:
        return Network.sequential(2, [Linear(np.ones((5, 2)), bias), Rectifier(), Linear(np.ones((1, 5)), np.zeros(1))])

    found = match(network(biases), network(biases[order]))
    assert found.distance_after == 0.0 < found.distance_before


def test_matching_never_moves_weights_apart_and_keeps_the_function() -> None:
    a, b = (random_network([4, 10, 8, 2], seed=s) for s in (3, 4))
    x = np.random.default_rng(0).normal(size=(20, 4))
    found = match(a, b)
    assert found.distance_after < found.distance_before
    np.testing.assert_allclose(found.network(x), b(x), atol=1e-12)


def test_what_cannot_be_matched_is_refused() -> None:
    def clipped(seed: int) -> Network:
        rng = np.random.default_rng(seed)
        return Network.sequential(2, [Linear(rng.normal(size=(3, 2))), Clip(-1.0, 1.0), Linear(rng.normal(size=(1, 3)))])

    with pytest.raises(UnsupportedLayer, match="no scale"):
        balanced(clipped(0))
    with pytest.raises(InvalidInput, match="samples"):
        match(clipped(0), clipped(1), by="activations")
    from torch import nn

    conv = nn.Sequential(nn.Conv2d(1, 2, 2), nn.ReLU(), nn.Flatten(), nn.Linear(8, 2))
    with pytest.raises(UnsupportedLayer, match="plain dense"):
        match(conv, conv, x=np.zeros((1, 1, 3, 3)))


@pytest.mark.parametrize("kind", ["bezier", "chain"])
def test_the_weights_of_a_curve_add_up_to_one_and_begin_and_end_at_its_ends(kind: str) -> None:
    from plica.landscape._connect import curve_weights

    for n in (2, 3, 5):
        assert all(np.isclose(curve_weights(kind, n, t).sum(), 1) for t in (0.0, 0.3, 0.5, 1.0))
        assert curve_weights(kind, n, 0.0)[0] == curve_weights(kind, n, 1.0)[-1] == 1
    assert np.allclose(curve_weights("bezier", 3, 0.25), [9 / 16, 6 / 16, 1 / 16])


def test_units_are_matched_by_correlations_and_weights_compared_in_the_2_norm():
    a, b = (random_network([3, 6, 6, 2], seed=s, bias_std=3.0) for s in (0, 1))
    x = np.random.default_rng(0).normal(size=(50, 3))
    found = match(a, b, by="activations", x=x)
    u, v = (net.tensors(x)[net.layers[0]] for net in (a, b))
    alive = [z.std(axis=0) > 0 for z in (u, v)]
    table = np.zeros((6, 6))
    table[np.ix_(*alive)] = np.corrcoef(u[:, alive[0]].T, v[:, alive[1]].T)[: alive[0].sum(), alive[0].sum() :]
    chosen = table[np.arange(6), found.permutations[0]].sum()
    assert chosen == pytest.approx(max(table[np.arange(6), list(p)].sum() for p in itertools.permutations(range(6))))
    pairs = [(p.weight, q.weight) for p, q in zip(a.dense_layers, b.dense_layers, strict=True)]
    pairs += [(p.bias, q.bias) for p, q in zip(a.dense_layers, b.dense_layers, strict=True)]
    zero = [(np.zeros(1) if p is None else p, np.zeros(1) if q is None else q) for p, q in pairs]
    assert found.distance_before == pytest.approx(np.linalg.norm(np.concatenate([(p - q).ravel() for p, q in zero])))


def test_in_the_balanced_form_what_a_unit_reads_is_as_long_as_what_reads_it() -> None:
    net = random_network([3, 6, 5, 2], seed=2, bias_std=1.0)
    layers = balanced(net).dense_layers
    for layer, after in itertools.pairwise(layers):
        into = np.sqrt((layer.weight**2).sum(axis=1) + layer.bias**2)
        np.testing.assert_allclose(into, np.linalg.norm(after.weight, axis=0), rtol=1e-9)
        assert np.abs(layer.bias).min() > 1e-3


def test_matching_looks_at_the_readers_of_units_that_read_alike() -> None:
    outer, order = np.array([[0.5, -1.0, 2.0, 0.25, -3.0]]), np.array([3, 0, 4, 2, 1])

    def network(weights: np.ndarray) -> Network:
        return Network.sequential(2, [Linear(np.ones((5, 2)), np.ones(5)), Rectifier(), Linear(weights, np.zeros(1))])

    found = match(network(outer), network(outer[:, order]))
    assert found.distance_after == 0.0 < found.distance_before


def test_bends_begin_on_the_line_at_equal_distances_and_all_of_them_are_trained() -> None:
    x, y = data()
    a, b = (mlp([3, 6, 1], seed=s) for s in (0, 1))
    still = connect(a, b, x, y, loss="squared", n_bends=2, steps=1, rate=1e-12)
    for share, model in zip((0, 1 / 3, 2 / 3, 1), still.models, strict=True):
        expected = (1 - share) * a[0].weight.detach().double() + share * b[0].weight.detach().double()
        torch.testing.assert_close(model[0].weight.detach(), expected, rtol=0, atol=1e-9)
    curve = connect(a, b, x, y, loss="squared", n_bends=3, steps=40, rate=1e-2)
    for k in (1, 2, 3):
        straight = (1 - k / 4) * a[0].weight.detach().double() + k / 4 * b[0].weight.detach().double()
        assert float((curve.models[k][0].weight.detach() - straight).abs().max()) > 1e-3


def test_the_error_of_a_surface_is_the_largest_miss_and_its_tolerance_a_hundredth_of_the_range() -> None:
    x, y = data()
    model = mlp([3, 8, 1], seed=1)
    d = random_direction(model, seed=5), random_direction(model, seed=6)
    coarse = loss_surface(model, x, y, d, coarse=4, levels=0).values
    fine = loss_surface(model, x, y, d, coarse=4, levels=1, tolerance=0.0)
    rows = np.array([np.interp(np.linspace(0, 4, 9), np.arange(5), column) for column in coarse.T]).T
    guessed = np.array([np.interp(np.linspace(0, 4, 9), np.arange(5), row) for row in rows])
    assert fine.sampled.all() and fine.error == pytest.approx(np.abs(fine.values - guessed).max(), rel=1e-9)
    assert loss_surface(model, x, y, d, coarse=4, levels=1).tolerance == pytest.approx(np.ptp(coarse) / 100)


def test_triangles_of_a_surface_meet_along_their_edges() -> None:
    x, y = data()
    model = mlp([3, 8, 1], seed=1)
    surface = loss_surface(model, x, y, (random_direction(model, seed=5), random_direction(model, seed=6)), coarse=3, levels=0)
    points, triangles = surface.triangles()
    edges = [tuple(sorted(pair)) for t in triangles.tolist() for pair in itertools.combinations(t, 2)]
    inner = [e for e in edges if not any(points[e[0], k] == points[e[1], k] in (-1.0, 1.0) for k in (0, 1))]
    assert len(triangles) == 2 * 9 and all(inner.count(e) == 2 for e in inner)
    assert all(edges.count(e) == 1 for e in set(edges) - set(inner))


@pytest.mark.parametrize("seed", range(6))
def test_units_are_matched_by_correlations_whatever_their_means(seed: int) -> None:
    a, b = (random_network([3, 5, 2], seed=2 * seed + s, bias_std=3.0) for s in (0, 1))
    x = np.random.default_rng(seed).normal(size=(40, 3))
    u, v = (net.tensors(x)[net.layers[0]] for net in (a, b))
    centered = [z - z.mean(axis=0) for z in (u, v)]
    unit = [z / np.maximum(np.linalg.norm(z, axis=0), 1e-300) for z in centered]
    table = unit[0].T @ unit[1]
    chosen = table[np.arange(5), match(a, b, by="activations", x=x).permutations[0]].sum()
    assert chosen == pytest.approx(max(table[np.arange(5), list(p)].sum() for p in itertools.permutations(range(5))))
