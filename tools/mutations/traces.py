"""Which functions a claim's check, or a test, really calls: recorded once, and again when the code has changed."""

from __future__ import annotations

import hashlib
import json
import sys
import threading
from collections.abc import Callable, Iterable
from dataclasses import asdict, dataclass
from functools import cache
from pathlib import Path
from time import process_time
from types import CodeType, FrameType
from typing import Any

import plica

_ROOT = Path(plica.__file__).parent
TESTED = ("theory", "construct", "models", "measure", "dimension", "learn", "claims", "network")


@dataclass(frozen=True)
class Trace:
    """What was called, by module and outermost function; the processor seconds it took; the hash of the code that it saw."""

    name: str
    calls: tuple[str, ...]
    seconds: float
    code: str

    def is_valid(self) -> bool:
        return self.code == hash_of({call.partition(":")[0] for call in self.calls})


def record(name: str, work: Callable[[], Any]) -> Trace:
    """Run ``work`` and note every function of the package that it enters."""
    seen: set[CodeType] = set()

    def enter(frame: FrameType, event: str, argument: Any) -> None:
        seen.add(frame.f_code)

    start = process_time()
    threading.settrace(enter)
    sys.settrace(enter)
    try:
        work()
    finally:
        sys.settrace(None)
        threading.settrace(None)  # type: ignore[arg-type]
    return trace_of(name, seen, process_time() - start)


def trace_of(name: str, seen: Iterable[CodeType], seconds: float) -> Trace:
    calls = sorted({call for call in map(_call, seen) if call})
    return Trace(name, tuple(calls), round(seconds, 3), hash_of({call.partition(":")[0] for call in calls}))


@cache
def _call(code: CodeType) -> str:
    path = Path(code.co_filename)
    if not path.is_relative_to(_ROOT):
        return ""
    module = ".".join(("plica", *path.relative_to(_ROOT).with_suffix("").parts)).removesuffix(".__init__")
    return f"{module}:{code.co_qualname.partition('.<locals>')[0]}"


def hash_of(modules: set[str]) -> str:
    return hashlib.sha256("".join(f"{m}{_digest(m)}" for m in sorted(modules)).encode()).hexdigest()[:16]


@cache
def _digest(module: str) -> str:
    base = _ROOT.parent.joinpath(*module.split("."))
    path = base.with_suffix(".py") if base.with_suffix(".py").exists() else base / "__init__.py"
    return hashlib.sha256(path.read_bytes()).hexdigest() if path.exists() else ""


def load(path: Path) -> dict[str, Trace]:
    """The traces that are kept and whose code is as it was."""
    if not path.exists():
        return {}
    lines = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    found = {entry["name"]: Trace(**{**entry, "calls": tuple(entry["calls"])}) for entry in lines}
    return {name: trace for name, trace in found.items() if trace.is_valid()}


def keep(path: Path, traces: Iterable[Trace]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("a", encoding="utf-8") as stream:
        for trace in traces:
            stream.write(json.dumps(asdict(trace)) + "\n")


def callers(traces: dict[str, Trace], call: str) -> list[Trace]:
    """Those that called a function, the quick ones first."""
    return sorted((t for t in traces.values() if call in t.calls), key=lambda t: t.seconds)


def test_folders(root: Path) -> list[str]:
    """The tests of the packages into which errors are put, and the examples of their docstrings."""
    folders = [root / "tests" / "unit" / name for name in TESTED] + [
        root / "src" / "plica" / name for name in TESTED if name != "claims"
    ]
    return [str(folder) for folder in folders if folder.is_dir()]


class Recorder:
    """A plugin of pytest that traces each test."""

    def __init__(self) -> None:
        self.found: list[Trace] = []

    def pytest_runtest_call(self, item: Any) -> None:
        self._seen: set[CodeType] = set()
        seen = self._seen

        def enter(frame: FrameType, event: str, argument: Any) -> None:
            seen.add(frame.f_code)

        self._start = process_time()
        threading.settrace(enter)
        sys.settrace(enter)

    def pytest_runtest_makereport(self, item: Any, call: Any) -> None:
        if call.when == "call":
            sys.settrace(None)
            threading.settrace(None)  # type: ignore[arg-type]
            if call.excinfo is None:
                self.found.append(trace_of(item.nodeid, self._seen, process_time() - self._start))
