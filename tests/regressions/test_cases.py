"""Random networks that an engine once got wrong, kept as they were found."""

import json
from pathlib import Path

import numpy as np
import pytest

from plica.geometry import Box, Domain, Plane
from plica.geometry.domains import Chart
from plica.testing import INVARIANTS, Case, chain

CASES = sorted((Path(__file__).parent / "cases").glob("*.json"))


def stored(path: Path) -> Case:
    data = json.loads(path.read_text())
    network = chain([np.array(w) for w in data["weights"]], [np.array(b) for b in data["biases"]])
    window, chart = np.array(data["window"]), np.array(data["chart"])
    if np.array_equal(chart, np.eye(3, 2)) and len(window) == 4 and (window[[0, 2]] == [window.min(0), window.max(0)]).all():
        domain: Domain = Box(window[0], window[2])
    else:
        domain = Plane.__new__(Plane)
        Domain.__init__(domain, Chart(chart, data["is_through"]), window)
    return Case(network, domain, label=path.stem)


@pytest.mark.parametrize("path", CASES, ids=lambda p: p.stem)
def test_stored_networks_satisfy_every_invariant(path: Path) -> None:
    case = stored(path)
    for check in INVARIANTS.values():
        check(case)
