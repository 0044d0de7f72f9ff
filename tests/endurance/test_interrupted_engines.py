"""Ctrl-C in engines on large networks: it comes, nothing is held afterwards, and the same process goes on computing rightly."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from patience import patient

pytestmark = pytest.mark.endurance

SCRIPT = Path(__file__).parents[2] / "benchmarks" / "bench_interrupts.py"
CASES = [
    ("resnet20", "line"), ("resnet20", "plane"), ("vgg11", "boundary"), ("lenet-max", "count"), ("mnist-256x6", "distance"),
    ("acas", "volume"), ("he-800x2", "box"), ("he-24x48", "box"), ("he-4d", "space"), ("read-2d", "maps"),
    ("weights", "loss-line"),
]  # fmt: skip


@pytest.mark.parametrize(("name", "question"), CASES)
def test_an_interrupt_comes_and_leaves_nothing_behind(name: str, question: str) -> None:
    done = subprocess.run(
        [sys.executable, str(SCRIPT), "answers", json.dumps([name, question, [0.3, 1.5]])],
        capture_output=True, text=True, check=True, timeout=patient(300),
    )  # fmt: skip
    for row in json.loads(done.stdout.strip().splitlines()[-1]):
        assert row["outcome"] in ("interrupted", "finished"), row
        assert row["left"] == "", row
        assert row["late"] < patient(10.0), row
