"""Which functions a claim's check, or a test, really calls: recorded once, and again when the code has changed."""

from __future__ import annotations

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


@dataclass(frozen=True)
class Trace:
    """What was called, by module and outermost function; the processor seconds it took; a hash of the code that called."""

    name: str
    calls: tuple[str, ...]
    seconds: float
    code: str = ""


def record(name: str, work: Callable[[], Any], code: str) -> Trace:
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
    return trace_of(name, seen, process_time() - start, code)


def trace_of(name: str, seen: Iterable[CodeType], seconds: float, code: str = "") -> Trace:
    calls = sorted({call for call in map(_call, seen) if call})
    return Trace(name, tuple(calls), round(seconds, 3), code)


@cache
def _call(code: CodeType) -> str:
    path = Path(code.co_filename)
    if not path.is_relative_to(_ROOT):
        return ""
    module = ".".join(("plica", *path.relative_to(_ROOT).with_suffix("").parts)).removesuffix(".__init__")
    return f"{module}:{code.co_qualname.partition('.<locals>')[0]}"


def load(path: Path) -> dict[str, Trace]:
    """The traces that are kept, the latest of each name."""
    if not path.exists():
        return {}
    lines = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    return {entry["name"]: Trace(**{**entry, "calls": tuple(entry["calls"])}) for entry in lines}


def keep(path: Path, traces: Iterable[Trace]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("a", encoding="utf-8") as stream:
        for trace in traces:
            stream.write(json.dumps(asdict(trace)) + "\n")


def callers(traces: dict[str, Trace], call: str) -> list[Trace]:
    """Those that called a function, the quick ones first."""
    return sorted((t for t in traces.values() if call in t.calls), key=lambda t: t.seconds)
