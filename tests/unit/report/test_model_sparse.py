"""The section on weights: zeros are counted, superfluous units found, and what cannot be compressed is said."""

from types import SimpleNamespace
from typing import Any

import numpy as np

import plica
from plica.network import Linear, Network, Rectifier
from plica.report._model_sparse import weights


def section(network: Network, points: Any) -> Any:
    return weights(SimpleNamespace(network=network, points=np.asarray(points, dtype=float)))  # type: ignore[arg-type]


def test_zeros_and_superfluous_units_are_told():
    first = Linear(np.array([[1.0, 0.0], [-1.0, -1.0], [0.0, 1.0]]), np.array([-0.5, -0.25, -0.5]))
    found = section(Network.sequential(2, [first, Rectifier(), Linear(np.array([[1.0, 5.0, 2.0]]))]), [[0, 0], [1, 1]])
    facts = {name: (value, kind) for name, value, kind in found.facts}
    assert facts["units that are left"] == ("2 of 3", "certified") and facts["removed"][0] == "1 dead"
    assert found.tables[0]["rows"][0][2:] == ["4", "66.67%"] and found.is_complete
    (told,) = found.summary
    assert told[1].startswith("1 of 3 units can be removed: nothing changes")


def test_nothing_is_said_of_units_that_no_proof_removes():
    """A unit that stays is not known to be needed."""
    first = Linear(np.array([[1.0, 1.0], [1.0, 0.0], [0.0, 1.0]]), np.array([-1.0, -0.5, -0.5]))
    found = section(Network.sequential(2, [first, Rectifier(), Linear(np.array([[1.0, 5.0, 2.0]]))]), [[0, 0], [1, 1]])
    assert ("units that are left", "3 of 3", "certified") == tuple(found.facts[0]) and not found.summary


def test_a_network_without_dense_layers_is_said_to_be_so():
    found = section(Network.sequential(2, [Linear(np.eye(2))]), [[0, 0], [1, 1]])
    assert "Not compressed" in found.note and not found.facts


def test_the_box_is_that_of_the_data():
    network = plica.random_network([2, 30, 30, 1], seed=0)
    needed = [section(network, np.array([0.5, 0.5]) + h * np.array([[-1, -1], [1, 1]])).facts[0][1] for h in (0.05, 2.0)]
    assert int(needed[0].split()[0]) < int(needed[1].split()[0])
