"""Estimators where their settings end: the least numbers of neighbors, levels and resamples, and data without a dimension."""

from __future__ import annotations

import numpy as np
import pytest

from plica.dimension import CorrelationDimension, DANCo, FisherS, PersistentHomology, bootstrap
from plica.dimension._fisher import ALPHAS
from plica.dimension._local_pca import CRITERIA
from plica.errors import InvalidInput, PlicaError


@pytest.fixture(scope="module")
def points() -> np.ndarray:
    return np.random.default_rng(3).normal(size=(40, 3))


def test_a_gap_is_between_neighboring_eigenvalues() -> None:
    # no eigenvalue is ten times the next, though the first is ten times the third; 80 % are reached by eight
    signal, noise = np.array([1.0, 0.5, *[0.09] * 10]), np.full(200, 0.001)
    enough = 1 + int(np.argmax(np.cumsum(signal) / signal.sum() > 0.8))
    assert CRITERIA["fan"](np.concatenate([signal + 0.001, noise]), 0.05) == enough > 3


def test_two_numbers_of_neighbors_grow(points: np.ndarray) -> None:
    for wrong in ((10, 10), (10, 5)):
        with pytest.raises(InvalidInput):
            CorrelationDimension(n_neighbors=wrong).fit(points)
    assert CorrelationDimension(n_neighbors=(10, 11)).fit(points).n_neighbors_ == (10, 11)


def test_points_at_one_distance_have_no_dimension() -> None:
    # trees of k corners of a simplex are k - 1 long: that grows faster than the number of points
    with pytest.raises(PlicaError, match="gives inf"):
        PersistentHomology(n_sizes=4, n_resamples=1).fit(np.eye(20))


def test_one_level_of_separability_and_one_dimension_are_enough(points: np.ndarray) -> None:
    found = FisherS(n_levels=1).fit(points)
    assert found.alphas_.tolist() == [0.6] and found.dimension_ > 0
    assert len(ALPHAS) == 20 and ALPHAS.max() < 1
    assert DANCo(max_dimension=1).fit(points).dimension_ == 1


def test_a_spread_needs_two_resamples(points: np.ndarray) -> None:
    estimator = CorrelationDimension(n_neighbors=(4, 8))
    with pytest.raises(PlicaError):
        bootstrap(estimator, points, n_resamples=1)
    assert np.isfinite(bootstrap(estimator, points, n_resamples=2).standard_error)
