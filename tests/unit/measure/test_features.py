"""Filters, pictures of what a module looks at, and units with a meaning: against what can be computed by hand."""

from __future__ import annotations

from math import cos, pi, sin

import numpy as np
import pytest
import torch
from torch import nn

from plica.data import scenes
from plica.errors import InvalidInput
from plica.measure import dissect, estimate_frechet_distance, fit_gabor, jacobian, occlusion, saliency
from plica.network import from_torch


@pytest.mark.parametrize(("angle", "frequency", "phase"), [(0.4, 0.18, 0.3), (2.2, 0.25, -1.0), (1.2, 0.12, 2.5)])
def test_a_gabor_function_is_found_again(angle: float, frequency: float, phase: float) -> None:
    r, c = np.mgrid[:11, :11].astype(float)
    u = (r - 4.6) * cos(angle) + (c - 5.3) * sin(angle)
    v = (c - 5.3) * cos(angle) - (r - 4.6) * sin(angle)
    picture = 3.0 * np.exp(-0.5 * (u / 1.8) ** 2 - 0.5 * (v / 2.6) ** 2) * np.cos(2 * pi * frequency * u + phase)
    fit = fit_gabor(picture)
    assert fit.residual < 1e-8 and np.allclose(fit.picture, picture, atol=1e-3)
    assert fit.angle == pytest.approx(angle, abs=1e-3) and fit.frequency == pytest.approx(frequency, rel=1e-3)
    assert fit.center == pytest.approx((4.6, 5.3), abs=1e-2) and fit.widths == pytest.approx((1.8, 2.6), rel=1e-2)
    assert fit.amplitude == pytest.approx(3.0, rel=1e-2) and cos(fit.phase - phase) == pytest.approx(1.0, abs=1e-3)


def test_noise_is_no_gabor_function() -> None:
    rng = np.random.default_rng(0)
    assert min(fit_gabor(rng.normal(size=(9, 9))).residual for _ in range(3)) > 0.3
    with pytest.raises(InvalidInput):
        fit_gabor(np.zeros((5, 5)))


def small(seed: int) -> nn.Sequential:
    torch.manual_seed(seed)
    return nn.Sequential(
        nn.Conv2d(1, 4, 3), nn.ReLU(), nn.Conv2d(4, 3, 3), nn.ReLU(), nn.Flatten(), nn.Linear(3 * 4 * 4, 2)
    ).double()


def test_the_gradient_is_the_row_of_the_cell() -> None:
    model, x = small(0), np.random.default_rng(0).normal(size=(1, 8, 8))
    row = jacobian(from_torch(model, example_input=torch.zeros(1, 1, 8, 8).double()), x).matrix[1]
    assert np.allclose(saliency(model, x, output=1).reshape(-1), row, atol=1e-12)


def test_rules_of_deconvolution_and_guided_gradients() -> None:
    """Written out for two dense layers: W1^T relu(W2^T relu(w3)), with and without the masks."""
    torch.manual_seed(1)
    model = nn.Sequential(nn.Linear(5, 6), nn.ReLU(), nn.Linear(6, 4), nn.ReLU(), nn.Linear(4, 1)).double()
    x = np.random.default_rng(1).normal(size=5)
    W1, b1, W2, b2, w3, _ = (p.detach().numpy() for p in model.parameters())
    h1 = W1 @ x + b1
    h2 = W2 @ np.maximum(h1, 0) + b2
    plain = W1.T @ np.maximum(W2.T @ np.maximum(w3[0], 0), 0)
    masked = W1.T @ (np.maximum(W2.T @ (np.maximum(w3[0], 0) * (h2 > 0)), 0) * (h1 > 0))
    assert np.allclose(saliency(model, x, method="deconvolution"), plain)
    assert np.allclose(saliency(model, x, method="guided"), masked)
    assert np.allclose(saliency(model, -x, method="deconvolution"), plain)  # it never looked at x


def test_occlusion_is_a_difference_of_outputs() -> None:
    model, x = small(2), np.random.default_rng(2).normal(size=(1, 8, 8))
    found = occlusion(model, x, output=0, size=3, value=0.5)
    covered = x.copy()
    covered[:, 2:5, 0:2] = 0.5  # around row 3, column 0
    with torch.no_grad():
        a, b = (float(model(torch.from_numpy(v)[None])[0, 0]) for v in (x, covered))
    assert found.shape == (8, 8) and found[3, 0] == pytest.approx(a - b)


def test_bad_pictures_are_refused() -> None:
    with pytest.raises(InvalidInput, match="method"):
        saliency(small(0), np.zeros((1, 8, 8)), method="magic")
    with pytest.raises(InvalidInput, match="no output"):
        saliency(small(0), np.zeros((1, 8, 8)), output=2)
    with pytest.raises(InvalidInput, match="overwrite"):
        saliency(nn.Sequential(nn.Linear(2, 2), nn.ReLU(inplace=True)), np.zeros(2), method="guided")
    with pytest.raises(InvalidInput, match="odd"):
        occlusion(small(0), np.zeros((1, 8, 8)), size=2)


def test_overlaps_are_those_of_sets() -> None:
    masks = np.zeros((3, 2, 4, 4), bool)
    masks[0, 0, :2, :2] = masks[1, 1, 0] = masks[2, 0, 3, 3] = True
    a = np.random.default_rng(0).random((3, 1, 4, 4)) * 0.1
    a[0, 0, :2, 0], a[1, 0, 0, 0] = 1.0, 1.0  # three places: two of concept 0's five, one of concept 1's four
    found = dissect(a, masks, share=3 / 48, n_permutations=5)
    assert found.overlap[0] == pytest.approx([2 / 6, 1 / 6])


def test_detectors_are_found_and_chance_is_not_mistaken_for_them() -> None:
    data = scenes(60, seed=1)
    rng = np.random.default_rng(0)
    units = np.concatenate([data.masks[:, [2]] + 0.3 * rng.random((60, 1, 16, 16)), rng.random((60, 5, 16, 16))], axis=1)
    found = dissect(units, data.masks, share=float(data.masks[:, 2].mean()), n_permutations=400)
    assert found.detectors() == [(0, 2)] and found.overlap[0, 2] > 0.9
    assert found.chance[0, 2] < 0.5 and found.p_value[0, 2] == pytest.approx(1 / 401)
    assert (found.p_value[1:] > 0.001).all()
    with pytest.raises(InvalidInput):
        dissect(units, data.masks[:, :, :8])


def test_scenes_are_painted_where_their_masks_say() -> None:
    data = scenes(200, noise=0.0, seed=3)
    assert not data.x[~data.masks.any(axis=1)].any()
    assert set(np.unique(data.x[data.masks[:, 1]])) == {np.float32(0.7)}
    assert set(np.unique(data.x[data.masks[:, 2]])) == {0.0, 1.0} and (data.masks.sum(axis=1) <= 1).all()
    assert 0.35 < data.y.mean() < 0.6


def test_frechet_distances_of_known_gaussians() -> None:
    rng = np.random.default_rng(0)
    x, y = rng.normal(size=(8000, 3)) * [1, 2, 3], rng.normal(size=(8000, 3)) + np.array([1, 0, 0])
    found = estimate_frechet_distance(x, y)
    assert abs(found.value - (1 + 0 + 1 + 4)) < 4 * found.standard_error + found.floor and found.standard_error < 0.15
    same = estimate_frechet_distance(rng.normal(size=(4000, 5)), rng.normal(size=(4000, 5)))
    assert 0 < same.value < 5 * same.floor + 4 * same.standard_error and same.floor < 0.02
    with pytest.raises(InvalidInput):
        estimate_frechet_distance(x[:5], y)


def test_the_floor_is_what_equal_distributions_show_at_these_sizes() -> None:
    rng = np.random.default_rng(3)
    floors, shown = [], []
    for _ in range(30):
        found = estimate_frechet_distance(rng.normal(size=(300, 4)), rng.normal(size=(3000, 4)), n_resamples=2)
        floors.append(found.floor)
        shown.append(found.value)
    assert np.mean(floors) == pytest.approx(np.mean(shown), rel=0.25)


def test_a_concept_that_is_the_same_in_every_image_says_nothing_by_chance() -> None:
    """Masks that are exchanged are the same masks: every draw reaches what was found, and the share that does is 1."""
    rng = np.random.default_rng(0)
    masks = np.tile(rng.random((1, 2, 6, 6)) < 0.3, (10, 1, 1, 1))
    found = dissect(rng.random((10, 3, 6, 6)), masks, share=0.2, n_permutations=30)
    assert (found.p_value == 1).all() and np.array_equal(found.chance, found.overlap)
