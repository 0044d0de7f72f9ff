"""The section on the loss: what it says is what networks with moved weights do."""

import re

import numpy as np
import pytest

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


def test_without_labels_nothing_is_claimed() -> None:
    found = landscape(task(labels=False))
    assert not found.facts and "--labels" in found.note


def test_networks_that_are_too_large_are_said_to_be_so(monkeypatch) -> None:
    monkeypatch.setattr("plica.report._model_landscape.MOST_PARAMETERS", 10)
    found = landscape(task())
    assert not found.is_complete and "plica landscape" in found.note
