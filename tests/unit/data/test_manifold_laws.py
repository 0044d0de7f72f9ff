"""Generated manifolds follow the laws that their docstrings name: scales, ranges, noise, labels."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.special import erf

from plica.data import load


def test_noise_is_normal_with_the_given_deviation():
    options = {"n": 4000, "dimension": 2, "ambient": 5, "seed": 3}
    off = load("cube", noise=0.2, **options).x - load("cube", **options).x
    assert abs(off.mean()) < 5 * 0.2 / np.sqrt(off.size)
    assert off.std() == pytest.approx(0.2, rel=0.02)
    assert (off**4).mean() == pytest.approx(3 * 0.2**4, rel=0.08)


def test_a_helix_rises_by_one_with_every_turn():
    data = load("helix", n=500, turns=3.0, seed=1)
    np.testing.assert_allclose(data.x[:, 2], data.latent[:, 0] / (2 * np.pi), rtol=1e-12)
    assert 2.9 < data.x[:, 2].max() <= 3.0
    np.testing.assert_allclose((data.x[:, :2] ** 2).sum(1), 1.0, rtol=1e-12)


def test_a_swiss_roll_has_one_and_a_half_turns_from_where_the_published_one_begins():
    data = load("swiss-roll", n=4000, seed=2)
    radius = np.hypot(data.x[:, 0], data.x[:, 2])
    assert 1.5 * np.pi <= radius.min() < 1.52 * np.pi and 4.48 * np.pi < radius.max() <= 4.5 * np.pi
    assert 0 <= data.x[:, 1].min() < 0.1 and 20.9 < data.x[:, 1].max() <= 21


@pytest.mark.parametrize("layers", [1, 3])
def test_layers_of_a_generator_keep_the_mean_square(layers):
    """He's scale: 2 / n_in times half of a mean square of 1, whatever the number of latent variables; biases add 0.01 / 2."""
    found = [(load("generator", n=200, dimension=4, ambient=400, layers=layers, seed=s).x ** 2).mean() for s in range(8)]
    assert np.mean(found) == pytest.approx(1.0, abs=0.1)


def test_labels_of_a_hidden_manifold_are_those_of_its_teacher():
    """A teacher of one unit says the sign of a form; with more units the scale of the forms matters."""
    n, d, units = 3000, 3, 4
    data = load("hidden-manifold", n=n, dimension=d, ambient=5, teacher_units=units, seed=7)
    rng = np.random.default_rng(7)
    rng.standard_normal((d, 5))
    teacher = rng.standard_normal((d, units))
    expected = erf(data.latent @ teacher / np.sqrt(d)).sum(1) > 0
    other = erf(data.latent @ teacher).sum(1) > 0
    assert (expected != other).any(), "the scale would not be seen"
    assert (data.y == expected).all()
