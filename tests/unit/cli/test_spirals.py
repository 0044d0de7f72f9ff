"""The data and the training of the demo."""

import numpy as np
import pytest

from plica.cli._demo import sparkline
from plica.cli._spirals import drawn_epochs, spirals, train


def test_spirals_are_balanced_in_the_window_and_repeatable():
    points, labels = spirals(seed=1)
    again, _ = spirals(seed=1)
    assert (points == again).all()
    assert labels.sum() * 2 == len(labels)
    assert np.abs(points).max() < 1.05


def test_the_second_spiral_is_the_first_turned_by_half():
    points, labels = spirals(seed=0, noise=0.0)
    radius = np.hypot(*points.T) / 0.92
    angle = np.arctan2(points[:, 1], points[:, 0]) - 2 * np.pi * 1.25 * radius
    assert np.allclose(np.cos(angle), np.where(labels, -1, 1))


@pytest.mark.parametrize("epochs", [1, 2, 7, 50, 200, 10_000])
def test_first_and_last_epoch_are_drawn(epochs):
    drawn = drawn_epochs(epochs)
    assert drawn[0] == 0 and drawn[-1] == epochs
    assert len(drawn) <= 12 and drawn == sorted(set(drawn))


def test_training_is_repeatable_and_leaves_global_random_state():
    import torch

    points, labels = spirals(seed=0)
    torch.manual_seed(5)
    before = torch.get_rng_state()
    first, second = ([m for m, _ in train(points, labels, seed=0, epochs=2, drawn=[2])] for _ in range(2))
    assert torch.equal(torch.get_rng_state(), before)
    assert [(m.loss, m.n_regions) for m in first] == [(m.loss, m.n_regions) for m in second]
    assert [m.complex is not None for m in first] == [False, False, True]


def test_counting_and_decomposing_agree_during_training():
    points, labels = spirals(seed=0)
    kept = [m for m, _ in train(points, labels, seed=0, epochs=1, drawn=[0, 1])]
    counted = [m for m, _ in train(points, labels, seed=0, epochs=1, drawn=[])]
    assert [(m.n_cells, m.n_regions) for m in kept] == [(m.n_cells, m.n_regions) for m in counted]


def test_a_sparkline_of_equal_values_is_flat_and_long_ones_are_thinned():
    assert sparkline([5, 5, 5]) == "▁▁▁"
    assert len(sparkline(list(range(1000)))) <= 32
