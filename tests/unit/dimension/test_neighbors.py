"""Nearest neighbors and sums over pairs: equal to the slow way, also where floating point is treacherous."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

import plica.dimension._neighbors as engine
from plica.dimension import nearest_neighbors, pair_sums
from plica.errors import InvalidInput


def slow_distances(X):
    return np.sqrt(((X[:, None] - X[None]) ** 2).sum(axis=-1))


@settings(max_examples=30, deadline=None)
@example(n=65, d=1, k=2, shift=0.0, scale=1.0, seed=0)  # the last point is alone in its group of 64
@given(
    n=st.integers(3, 150),
    d=st.sampled_from([1, 2, 5, 13, 40, 120, 300]),
    k=st.integers(1, 12),
    shift=st.sampled_from([0.0, 1e3, 1e8]),
    scale=st.sampled_from([1.0, 1e-30, 1e20]),
    seed=st.integers(0, 10**6),
)
def test_neighbors_are_those_of_all_distances(n, d, k, shift, scale, seed):
    rng = np.random.default_rng(seed)
    X = scale * (rng.normal(size=(n, d)) * np.geomspace(1, 1e-4, d) + shift)
    k = min(k, n - 1)
    for found in (engine._by_blocks(X, k), nearest_neighbors(X, k)):
        r = slow_distances(X)
        own = found.indices == np.arange(n)[:, None]
        assert not own.any()
        np.fill_diagonal(r, np.inf)
        assert np.allclose(found.distances, np.sort(r, axis=1)[:, :k], rtol=1e-12, atol=0)
        assert np.allclose(np.take_along_axis(r, found.indices, axis=1), found.distances, rtol=1e-12, atol=0)


@pytest.mark.parametrize("scale", [2.0**700, 2.0**-700])
@pytest.mark.parametrize("d", [2, 30])
def test_squares_that_would_overflow_or_vanish_do_not(d, scale):
    X = np.random.default_rng(0).normal(size=(100, d))
    for find in (engine._by_blocks, nearest_neighbors):
        assert (find(scale * X, 3).distances == scale * find(X, 3).distances).all()


@pytest.mark.parametrize("d", [2, 30])
def test_duplicates_are_neighbors_at_distance_zero(d):
    X = np.repeat(np.random.default_rng(0).normal(size=(40, d)), 3, axis=0)
    for found in (engine._by_blocks(X, 4), nearest_neighbors(X, 4)):
        assert (found.distances[:, :2] == 0).all() and (found.distances[:, 2:] > 0).all()
        assert all(set(found.indices[i, :2]) == {3 * (i // 3), 3 * (i // 3) + 1, 3 * (i // 3) + 2} - {i} for i in range(120))


def test_many_equal_points_are_no_trouble():
    X = np.zeros((200, 20))
    X[0] = 1
    found = nearest_neighbors(X, 5)
    assert (found.distances[1:] == 0).all() and (found.indices != np.arange(200)[:, None]).all()


def test_small_blocks_give_the_same(monkeypatch):
    X = np.random.default_rng(0).normal(size=(300, 50))
    whole = engine._by_blocks(X, 7)
    monkeypatch.setattr(engine, "_BLOCK_BYTES", 4 * 300 * 7)
    parts = engine._by_blocks(X, 7)
    assert (whole.indices == parts.indices).all() and (whole.distances == parts.distances).all()


def test_differences_survive_where_products_cancel():
    rng = np.random.default_rng(0)
    X = 1e6 + 1e-4 * rng.normal(size=(100, 30))
    r = slow_distances(X)
    np.fill_diagonal(r, np.inf)
    assert np.allclose(nearest_neighbors(X, 3).distances, np.sort(r, axis=1)[:, :3], rtol=1e-13)


@pytest.mark.parametrize("k", [0, 3, 4])
def test_too_many_neighbors_are_refused(k):
    with pytest.raises(InvalidInput, match="neighbors of each of 3 points"):
        nearest_neighbors(np.eye(3), k)


@settings(max_examples=20, deadline=None)
@given(
    n=st.integers(2, 80),
    d=st.integers(1, 20),
    shift=st.sampled_from([0.0, 1e4, 1e7]),
    seed=st.integers(0, 10**6),
)
def test_sums_over_pairs_are_those_of_all_distances(n, d, shift, seed):
    rng = np.random.default_rng(seed)
    X = rng.integers(-3, 4, size=(n, d)) + shift  # equal points, and pairs exactly at a radius
    radii = np.array([0.5, 1.0, 2.0, np.sqrt(5.0), 7.0])
    r = slow_distances(X)[np.triu_indices(n, 1)]
    sums = pair_sums(X, radii)
    assert sums.n_zero == (r == 0).sum() and sums.n_pairs == len(r)
    for i, radius in enumerate(radii):
        inside = r[(r > 0) & (r < radius)]
        assert sums.counts[i] == len(inside)
        assert np.isclose(sums.squares[i], (inside**2).sum())
        assert np.isclose(sums.logarithms[i], np.log(inside).sum(), atol=1e-9)


@pytest.mark.parametrize("radii", [[], [0.0, 1.0], [2.0, 1.0], [1.0, np.inf], [[1.0]]])
def test_radii_must_be_positive_and_in_order(radii):
    with pytest.raises(InvalidInput, match="radii"):
        pair_sums(np.eye(3), np.array(radii))
