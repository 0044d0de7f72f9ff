"""Bounds of spectral norms: never below, and near."""

import numpy as np
import pytest

from plica.network.operations import spectral_norm_bound


@pytest.mark.parametrize("shape", [(1, 1), (3, 200), (200, 3), (64, 64), (300, 256)])
@pytest.mark.parametrize("scale", [1e-150, 1.0, 1e150])
def test_the_bound_is_above_the_norm_and_within_a_fifth(shape, scale):
    for seed in range(5):
        matrix = np.random.default_rng(seed).normal(size=shape)
        norm = np.linalg.norm(matrix, 2)
        assert norm <= spectral_norm_bound(scale * matrix) / scale <= 1.2 * norm


def test_matrices_of_few_directions():
    assert spectral_norm_bound(np.zeros((4, 3))) == 0.0
    u, v = np.arange(1.0, 5.0), np.array([3.0, -4.0])
    assert spectral_norm_bound(np.outer(u, v)) == pytest.approx(np.linalg.norm(u) * 5, rel=0.2)
    assert 1.0 <= spectral_norm_bound(np.eye(50)) < 1.2
