"""Every engine on large networks within two processor seconds and a gigabyte, and interrupted by Ctrl-C."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from patience import patient

pytestmark = pytest.mark.endurance

SCRIPT = Path(__file__).parents[2] / "benchmarks" / "bench_budgets.py"
CASES = [
    ("resnet20", "plane"), ("resnet20", "line"), ("resnet20", "boundary"), ("vgg11", "plane"), ("vgg11", "line"),
    ("lenet-max", "count"), ("lenet-max", "estimate"), ("he-800x2", "box"), ("he-3d", "box"), ("he-5d", "box"),
]  # fmt: skip


def outcome(name: str, question: str, seconds: float | None, n_bytes: int | None) -> dict[str, Any]:
    done = subprocess.run(
        [sys.executable, str(SCRIPT), "run_limited", json.dumps([name, question, seconds, n_bytes])],
        capture_output=True, text=True, check=True, timeout=patient(120),
    )  # fmt: skip
    found: dict[str, Any] = json.loads(done.stdout.strip().splitlines()[-1])
    return found


@pytest.mark.parametrize(("name", "question"), CASES)
def test_seconds_and_bytes_are_kept(name: str, question: str) -> None:
    found = outcome(name, question, 2.0, 1_000_000_000)
    assert found["stopped"]
    assert found["late"] < patient(1.0)
    assert found["over"] < 0.05


@pytest.mark.parametrize(("name", "question"), [("resnet20", "plane"), ("vgg11", "line"), ("he-5d", "box")])
def test_an_interrupt_is_noticed(name: str, question: str) -> None:
    found = outcome(name, question, None, None)
    assert found["stopped"] == "interrupted"
    assert found["late"] < patient(1.0)
