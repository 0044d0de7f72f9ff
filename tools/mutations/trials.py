"""Trying errors: a process that has imported everything forks one child for each error, which runs claims, then tests."""

from __future__ import annotations

import contextlib
import json
import os
import resource
import select
import signal
import sys
import traceback
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from time import monotonic, process_time
from typing import Any

import pytest
from apply import NotApplicable, apply, prepare
from mutants import Mutant
from traces import Trace

#: What tests import. In a child pytest would read them anew, and rewrite their assertions.
_OF_TESTS = ("doctest", "hypothesis.strategies", "hypothesis.extra.numpy", "scipy.integrate", "scipy.stats", "scipy.optimize")
#: Assertions stay plain: that one fails is enough.
_PYTEST = ("-x", "-q", "--assert=plain", "-p", "no:cacheprovider", "-p", "no:xdist", "-p", "no:anyio")


class OutOfTime(BaseException):
    """An error that makes a check endless is noticed, too."""


@dataclass(frozen=True)
class Task:
    """An error with the claims and the tests that might notice it, and how many seconds they take without it."""

    mutant: Mutant
    claims: tuple[Trace, ...]
    tests: tuple[Trace, ...] = ()


@dataclass(frozen=True)
class Result:
    """Who noticed: the name of a claim or test, or nobody."""

    killed_by: str
    by: str  # "claim", "test", "nobody", "not applicable"
    told: str
    seconds: float
    claims_run: tuple[str, ...] = ()


def warm() -> None:
    """Import what children need, and let compiled kernels be loaded once."""
    import numpy as np
    import torch

    torch.set_num_threads(1)
    from plica.claims import catalog

    for claim in catalog():
        import_module(claim.module)
    for name in _OF_TESTS:
        import_module(name)
    from plica.geometry import Box, Segment, decompose
    from plica.network import random_network

    decompose(random_network([2, 6, 6, 1], seed=0), Box([-1, -1], [1, 1])).n_regions  # noqa: B018
    decompose(random_network([1, 6, 6, 1], seed=0), Segment(np.array([-1.0]), np.array([1.0]))).n_regions  # noqa: B018
    prepare()


def run_all(tasks: Sequence[Task], *, jobs: int, limit: float, done: Callable[[Task, Result], None]) -> None:
    """Every task in a child of its own, a few at a time; ``done`` is told as they end."""
    waiting = list(reversed(tasks))
    running: dict[int, tuple[Task, int, float, float]] = {}
    while waiting or running:
        while waiting and len(running) < jobs:
            task = waiting.pop()
            reader, child = _start(task, limit)
            patience = 60 + 6 * _expected(task, limit)
            running[reader] = (task, child, monotonic(), monotonic() + patience)
        ready, _, _ = select.select(list(running), [], [], 0.5)
        for reader in list(running):
            task, child, began, end = running[reader]
            if reader in ready:
                done(task, _result(reader, child))
                del running[reader]
            elif monotonic() > end:
                os.killpg(child, signal.SIGKILL)
                os.waitpid(child, 0)
                os.close(reader)
                done(task, Result("time", "claim" if task.claims else "test", "no end", monotonic() - began))
                del running[reader]


def _expected(task: Task, limit: float) -> float:
    return min(limit, sum(t.seconds for t in task.claims)) + sum(t.seconds for t in task.tests) + 10


def _start(task: Task, limit: float) -> tuple[int, int]:
    reader, writer = os.pipe()
    child = os.fork()
    if child:
        os.close(writer)
        return reader, child
    code = 1
    try:
        os.setsid()
        os.close(reader)
        _quiet()
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        result = attempt(task, limit)
        with os.fdopen(writer, "w") as stream:
            json.dump(result.__dict__, stream)
        code = 0
    except BaseException:
        traceback.print_exc()
    finally:
        os._exit(code)


def _quiet() -> None:
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, 1)
    os.dup2(nowhere, 2)


def _result(reader: int, child: int) -> Result:
    with os.fdopen(reader) as stream:
        text = stream.read()
    _, status = os.waitpid(child, 0)
    if not text:  # it crashed: a wrong index in compiled code, or no memory left
        return Result("crash", "claim", f"the process ended with status {status}", 0.0)
    found = json.loads(text)
    return Result(**{**found, "claims_run": tuple(found["claims_run"])})


def attempt(task: Task, limit: float) -> Result:
    """Make the error and look who notices; in a process of its own."""
    start = process_time()
    try:
        apply(task.mutant)
    except NotApplicable as error:
        return Result("", "not applicable", str(error), 0.0)
    run: list[str] = []
    for trace in task.claims:
        if process_time() - start > limit:
            break
        told = _claim(trace)
        run.append(trace.name)
        if told:
            return Result(trace.name, "claim", told, process_time() - start, tuple(run))
    if task.tests:
        told = _tests(task.tests)
        if told:
            return Result(told, "test", "", process_time() - start, tuple(run))
    return Result("", "nobody", "", process_time() - start, tuple(run))


def _claim(trace: Trace) -> str:
    """What a claim says to the error; empty if it does not notice."""
    from plica.claims import catalog, outcome_of

    claim = catalog()[trace.name]
    try:
        with _at_most(10 + 8 * trace.seconds):
            outcome = outcome_of(claim, "quick")
    except OutOfTime:
        return "no end"
    return "" if outcome.as_expected else f"{outcome.verdict}: {outcome.summary()}"[:200]


@contextlib.contextmanager
def _at_most(seconds: float) -> Iterator[None]:
    def ring(number: int, frame: Any) -> None:
        raise OutOfTime

    before = signal.signal(signal.SIGPROF, ring)
    signal.setitimer(signal.ITIMER_PROF, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)


class _FirstFailure:
    """A plugin of pytest: the nearest file comes first, and the test that failed is remembered."""

    def __init__(self, files: Sequence[str]) -> None:
        self.name = ""
        self.files = [str(tests_root() / file) for file in files]

    @pytest.hookimpl(trylast=True)
    def pytest_collection_modifyitems(self, items: list[Any]) -> None:
        places = {file: place for place, file in enumerate(self.files)}
        items.sort(key=lambda item: places.get(str(item.path), len(places)))

    def pytest_runtest_logreport(self, report: Any) -> None:
        if report.failed and not self.name:
            self.name = report.nodeid


def _tests(traces: Sequence[Trace]) -> str:
    names = [trace.name for trace in traces]
    plugin = _FirstFailure(names)
    os.environ["PLICA_TEST_ORDER"] = "1"
    try:
        with _at_most(30 + 8 * sum(t.seconds for t in traces)):
            code = pytest.main([*_PYTEST, *names], plugins=[plugin])
    except OutOfTime:
        return "no end"
    return plugin.name or ("" if code in (0, 5) else f"pytest ended with {int(code)}")


def tests_root() -> Path:
    return Path(__file__).parents[2]


if str(Path(__file__).parent) not in sys.path:
    sys.path.insert(0, str(Path(__file__).parent))
