"""Budgets held where they are tight: time and peak memory of whole processes."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest
from patience import patient

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
        [sys.executable, "-c", SCRIPT, json.dumps([n, widths, options])],
        capture_output=True, text=True, check=True, timeout=patient(120),
    )  # fmt: skip
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


WIDE = """
import json, resource, sys, time
import numpy as np, torch, plica
from plica._memory import resident_bytes

what, options = json.loads(sys.argv[1])
torch.set_num_threads(1)
torch.manual_seed(0)
nn, rng = torch.nn, np.random.default_rng(0)

def vgg():
    layers, channels = [], 3
    for width in (64, 0, 128, 0, 256, 256, 0, 512, 512, 0, 512, 512, 0):
        layers += [nn.MaxPool2d(2)] if not width else [nn.Conv2d(channels, width, 3, padding=1), nn.ReLU()]
        channels = width or channels
    return nn.Sequential(*layers, nn.Flatten(), nn.Linear(512, 10)), (3, 32, 32)

def lenet():
    first, second = nn.Conv2d(1, 6, 5, padding=2), nn.Conv2d(6, 16, 5)
    head = [nn.Flatten(), nn.Linear(400, 120), nn.ReLU(), nn.Linear(120, 84), nn.ReLU(), nn.Linear(84, 10)]
    return nn.Sequential(first, nn.ReLU(), nn.AvgPool2d(2), second, nn.ReLU(), nn.AvgPool2d(2), *head), (1, 28, 28)

module, shape = vgg() if what == "line" else lenet()
net = plica.from_torch(module.eval(), example_input=torch.zeros(1, *shape))
points = rng.uniform(size=(3, int(np.prod(shape))))
domain = plica.Segment(*points[:2]) if what == "line" else plica.Plane.through(*points)
plica.decompose(plica.random_network([2, 6, 6, 1], seed=0), plica.Box([-1.0] * 2, [1.0] * 2))
before, start = resident_bytes(), time.perf_counter()
try:
    plica.decompose(net, domain, budget=plica.Budget(**options))
    limit = ""
except plica.BudgetExceeded as error:
    limit = str(error)
peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
print(json.dumps({"limit": limit, "added": peak - before, "late": time.perf_counter() - start - options["max_seconds"]}))
"""


@pytest.mark.parametrize(("what", "max_bytes"), [("line", 1_000_000_000), ("plane", 1_500_000_000)])
def test_lines_and_planes_of_large_images_stay_within_their_bytes(what: str, max_bytes: int) -> None:
    """A line through a network with the shape of VGG-11, a plane through one with that of LeNet-5."""
    options = {"max_bytes": max_bytes, "max_seconds": 60}
    done = subprocess.run(
        [sys.executable, "-c", WIDE, json.dumps([what, options])],
        capture_output=True, text=True, check=True, timeout=patient(120),
    )  # fmt: skip
    found = json.loads(done.stdout)
    assert found["limit"]
    assert found["added"] <= 1.05 * max_bytes
