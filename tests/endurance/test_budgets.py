"""Budgets held where they are tight: time and peak memory of whole processes."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

pytestmark = pytest.mark.endurance

SCRIPT = """
import json, resource, sys, time
import plica
from plica._memory import resident_bytes

n, width, options = json.loads(sys.argv[1])
net = plica.random_network([n, *width, 1], seed=0, weights="he-normal", bias_std=0.5)
plica.decompose(plica.random_network([3, 6, 6, 1], seed=0), plica.Box([-1.0] * 3, [1.0] * 3))
before, start = resident_bytes(), time.process_time()
try:
    plica.decompose(net, plica.Box([-1.0] * n, [1.0] * n), budget=plica.Budget(**options))
    limit = ""
except plica.BudgetExceeded as error:
    limit = str(error)
peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
print(json.dumps({"limit": limit, "added": peak - before}))
"""


def outcome(n: int, widths: list[int], **options: float) -> dict[str, object]:
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT, json.dumps([n, widths, options])], capture_output=True, text=True, check=True, timeout=1200
    )
    found: dict[str, object] = json.loads(done.stdout)
    return found


@pytest.mark.parametrize("max_bytes", [600 * 2**20, 1200 * 2**20])
@pytest.mark.parametrize(("n", "widths"), [(5, [50, 50]), (14, [20, 20]), (4, [64, 64])])
def test_peak_memory_stays_within_five_percent_of_the_budget(n: int, widths: list[int], max_bytes: int) -> None:
    found = outcome(n, widths, max_bytes=max_bytes)
    assert "max_bytes" in str(found["limit"])
    assert int(str(found["added"])) <= 1.05 * max_bytes


def test_fourteen_dimensions_end_when_their_time_is_over() -> None:
    assert "max_seconds" in str(outcome(14, [20, 20], max_seconds=20)["limit"])
