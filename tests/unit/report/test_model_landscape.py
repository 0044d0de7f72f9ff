"""The section on the loss: what it says is what networks with moved weights do."""

import re

import numpy as np
import pytest
import torch

import plica
from plica.landscape import moved, random_direction
from plica.network import from_torch
from plica.report._model_landscape import landscape
from plica.report._model_task import Task


def task(labels=True, **more) -> Task:
    network = plica.random_network([3, 9, 7, 4], seed=1)
    rng = np.random.default_rng(0)
    found = Task.of(network, rng.normal(size=(8, 3)), rng.integers(0, 4, 8) if labels else None, **more)
    found.allow(20.0)
    return found


def test_the_curve_is_the_loss_of_networks_with_moved_weights() -> None:
    asked = task()
    found = landscape(asked)
    (figure,) = found.figures
    facts = {name: value for name, value, _ in found.facts}
    direction = random_direction(asked.network, seed=asked.seed)
    for k in (0, 13, 40, 80):
        there = from_torch(moved(asked.network, (figure["x"][k], direction)))
        f = there(asked.points)
        expected = np.mean(np.log(np.exp(f).sum(axis=1)) - f[np.arange(8), asked.labels])
        assert figure["series"][0]["y"][k] == pytest.approx(expected, rel=1e-9)
    assert float(facts["cross-entropy of the network on 8 points"]) == pytest.approx(figure["series"][0]["y"][40], rel=1e-5)
    lowest, highest = (float(re.match(r"\S+", facts[f"{end} loss on the line"])[0]) for end in ("lowest", "highest"))
    assert lowest <= min(figure["series"][0]["y"]) * (1 + 1e-5) and highest >= max(figure["series"][0]["y"]) * (1 - 1e-5)
    assert found.is_complete and int(facts["breakpoints on the line, where a unit switches"].replace(",", "")) > 0


def test_a_lower_loss_is_that_of_the_points_that_were_looked_at(monkeypatch) -> None:
    """Least squares on all points is their minimum, but not that of eight of them: nothing is said of minima."""
    x = np.random.default_rng(3).normal(size=(60, 1))
    y = np.abs(x[:, 0]) + np.random.default_rng(4).normal(size=60)
    features = np.concatenate([np.maximum(x, 0), np.maximum(-x, 0), np.ones((60, 1))], axis=1)
    a, b, c = np.linalg.lstsq(features, y, rcond=None)[0]
    module = torch.nn.Sequential(torch.nn.Linear(1, 2), torch.nn.ReLU(), torch.nn.Linear(2, 1)).double()
    for parameter, value in zip(module.parameters(), ([[1.0], [-1.0]], [0.0, 0.0], [[a, b]], [c]), strict=True):
        parameter.data = torch.tensor(value, dtype=torch.float64)
    monkeypatch.setattr("plica.report._model_landscape.SAMPLES", (8, 32))
    monkeypatch.setattr("plica.report._model_landscape.GROWTH", float("inf"))
    asked = Task.of(from_torch(module), x, y)
    asked.allow(20.0)
    found = landscape(asked)
    assert found.is_cut and "8 of 32 points" in found.note
    (told,) = [text for _, text, _ in found.summary]
    assert "loss on 8 points falls" in told and "minimum" not in told


def test_without_labels_nothing_is_claimed() -> None:
    found = landscape(task(labels=False))
    assert not found.facts and "--labels" in found.note


def test_networks_that_are_too_large_are_said_to_be_so(monkeypatch) -> None:
    monkeypatch.setattr("plica.report._model_landscape.MOST_PARAMETERS", 10)
    found = landscape(task())
    assert found.is_left_out and found.is_complete and "plica landscape" in found.note
