"""Flows: translations where they are constant, within their size, and smoother than what they need not be."""

import numpy as np
import pytest
import torch

from plica.errors import InvalidInput
from plica.robust.attacks import flow_attack, flowed, margins, roughness, translated


def test_a_constant_flow_is_a_translation():
    images = torch.rand(2, 1, 5, 6, dtype=torch.float64, generator=torch.Generator().manual_seed(0))
    flow = torch.empty(2, 2, 5, 6, dtype=torch.float64)
    flow[:, 0], flow[:, 1] = -0.25, 0.5
    assert torch.allclose(flowed(images, flow), translated(images, 0.25, -0.5), atol=1e-12)
    assert float(roughness(flow).max()) < 1e-4
    assert torch.allclose(flowed(images, torch.zeros_like(flow)), images, atol=1e-12)


def test_an_edge_that_decides_flows_over_the_border():
    """The class is whether the left or the right half is brighter; the bright column is next to the middle."""
    images = torch.zeros(1, 1, 4, 6, dtype=torch.float64)
    images[..., 2], images[..., 3] = 1.0, 0.8

    def model(x):
        return torch.stack([x[..., :3].sum((1, 2, 3)), x[..., 3:].sum((1, 2, 3))], dim=1)

    labels = torch.tensor([0])
    found, flow = flow_attack(model, images, labels, pixels=1.0)
    assert float(margins(model(images), labels)[0]) > 0 >= float(margins(model(found), labels)[0])
    assert float(flow.abs().max()) <= 1.0
    rough = flow_attack(model, images, labels, pixels=1.0, smoothness=0.0)[1]
    assert float(roughness(flow)[0]) <= float(roughness(rough)[0]) + 1e-9


def test_no_room_no_change():
    images = torch.rand(1, 1, 4, 4, generator=torch.Generator().manual_seed(0))
    found, flow = flow_attack(lambda x: x.flatten(1)[:, :2], images, torch.tensor([0]), pixels=0.0, n_steps=3)
    assert torch.allclose(found, images, atol=1e-6) and not flow.any()


def test_shapes_are_checked():
    with pytest.raises(InvalidInput):
        flowed(torch.zeros(1, 1, 4, 4), torch.zeros(1, 2, 3, 4))


def test_roughness_adds_the_distances_of_neighbors_in_both_directions():
    rng = np.random.default_rng(0)
    shifts = rng.normal(size=(2, 3, 4))
    down = sum(np.linalg.norm(shifts[:, i + 1, j] - shifts[:, i, j]) for i in range(2) for j in range(4))
    across = sum(np.linalg.norm(shifts[:, i, j + 1] - shifts[:, i, j]) for i in range(3) for j in range(3))
    found = roughness(torch.from_numpy(shifts)[None])
    assert float(found) == pytest.approx(down + across, rel=1e-6)


def test_flows_stay_within_the_pixels_that_are_allowed():
    torch.manual_seed(0)
    model = torch.nn.Sequential(torch.nn.Flatten(), torch.nn.Linear(36, 3)).double()
    images = torch.rand(4, 1, 6, 6, dtype=torch.float64)
    _, flows = flow_attack(model, images, model(images).argmax(1), pixels=0.2, smoothness=0.0)
    assert 0.19 < float(flows.abs().max()) <= 0.2 + 1e-12
