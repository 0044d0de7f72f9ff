"""Where tasks run: in this process, or in local processes. An executor takes tasks and gives outcomes, in any order."""

from __future__ import annotations

import multiprocessing
from collections.abc import Generator, Iterable
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass
from typing import Any, Protocol

from plica._parent import watch_parent
from plica.errors import InvalidInput
from plica.sweeps._call import call, call_here, enter
from plica.sweeps._errors import WorkerError
from plica.sweeps._record import Outcome
from plica.sweeps._sweep import Job, Task

TICK_S = 0.25
MAX_DEATHS = 3


class Executor(Protocol):
    """Runs tasks somewhere.

    ``run`` is a generator. It takes tasks from the iterable as it has room for them, and yields each task's outcome as it
    arrives, or None when nothing has arrived for a while. When it is closed, nothing goes on running.
    """

    def run(self, job: Job, tasks: Iterable[Task]) -> Generator[Outcome | None, None, None]:
        """Outcomes of the tasks, each once, in any order."""
        ...


@dataclass(frozen=True)
class SerialExecutor:
    """In this process, one after the other."""

    def run(self, job: Job, tasks: Iterable[Task]) -> Generator[Outcome | None, None, None]:
        """Outcomes of the tasks."""
        for task in tasks:
            yield call(job, task)


@dataclass(frozen=True)
class ProcessExecutor:
    """In processes on this machine.

    Each worker is a pool of one process, so when one dies it is known which task it was running, and no other is disturbed:
    the worker is replaced and the task tried again. A task whose worker dies three times has failed.

    Parameters
    ----------
    n_workers
        How many processes.
    start_method
        ``"spawn"`` (safe everywhere), ``"fork"`` or ``"forkserver"``.
    """

    n_workers: int = 2
    start_method: str = "spawn"

    def __post_init__(self) -> None:
        if self.n_workers < 1:
            raise InvalidInput(f"n_workers is {self.n_workers}.", hint="give 1 or more")
        if self.start_method not in multiprocessing.get_all_start_methods():
            raise InvalidInput(
                f"start_method is {self.start_method!r}.", hint=f"one of {', '.join(multiprocessing.get_all_start_methods())}"
            )

    def run(self, job: Job, tasks: Iterable[Task]) -> Generator[Outcome | None, None, None]:
        """Outcomes of the tasks."""
        if self.start_method != "fork":
            check_importable(job.function)
        queue = iter(tasks)
        workers: list[_Worker] = []
        running: dict[Future[Outcome], _Worker] = {}
        try:
            for task in queue:
                worker = _Worker(job, self.start_method)
                workers.append(worker)
                running[worker.submit(task)] = worker
                if len(workers) == self.n_workers:
                    break
            while running:
                finished, _ = wait(running, timeout=TICK_S, return_when=FIRST_COMPLETED)
                if not finished:
                    yield None
                for future in finished:
                    worker = running.pop(future)
                    outcome = worker.outcome(future)
                    again = worker.task if outcome is None else next(queue, None)
                    if again is not None:
                        running[worker.submit(again)] = worker
                    if outcome is not None:
                        yield outcome
        finally:
            for worker in workers:
                worker.end()


class _Worker:
    """One process at a time, replaced when it dies."""

    def __init__(self, job: Job, start_method: str) -> None:
        self._job = job
        self._context = multiprocessing.get_context(start_method)
        self._deaths: dict[str, int] = {}
        self._false_starts = 0
        self.task: Task | None = None
        self._start()

    def _start(self) -> None:
        others = set(multiprocessing.active_children())
        self._pool = ProcessPoolExecutor(1, mp_context=self._context, initializer=watch_parent)
        self._greeting: Future[str] | None = self._pool.submit(enter, self._job)
        self._processes = set(multiprocessing.active_children()) - others

    def submit(self, task: Task) -> Future[Outcome]:
        self.task = task
        try:
            return self._pool.submit(call_here, task)
        except BrokenProcessPool:  # it died between two tasks
            self._replace()
            return self._pool.submit(call_here, task)

    def outcome(self, future: Future[Outcome]) -> Outcome | None:
        """The outcome of the task, or None if it has to be tried again."""
        assert self.task is not None
        try:
            outcome = future.result()
            self._check_greeting()
            return outcome
        except BrokenProcessPool:
            self._check_greeting()
            deaths = self._deaths[self.task.key] = self._deaths.get(self.task.key, 0) + 1
            self._replace()
        if deaths < MAX_DEATHS:
            return None
        reason = f"the worker process died {deaths} times while it ran this task"
        return Outcome(
            self.task.key, "failed", error=f"WorkerDied: {reason}", traceback=f"{reason}: out of memory, a crash or a kill"
        )

    def _check_greeting(self) -> None:
        """The first thing a process says: whether it could start, and whether it has the same code."""
        if self._greeting is None:
            return
        try:
            code = self._greeting.result()
        except BrokenProcessPool:
            self._false_starts += 1
            if self._false_starts < MAX_DEATHS:
                return
            raise WorkerError(
                "the worker processes die as they start; what they say is above.",
                hint="a script that runs a sweep on processes needs `if __name__ == '__main__':` around run(...)",
            ) from None
        self._greeting, self._false_starts = None, 0
        if code != self._job.code:
            raise WorkerError(
                "the function's code changed while the sweep was running: a new worker process found another version.",
                hint="run again; the rows of the old version stay in the store under its own version",
            )

    def _replace(self) -> None:
        self.end()
        self._start()

    def end(self) -> None:
        """Kill the process, whatever it does."""
        for process in self._processes:
            if process.is_alive():
                process.kill()
        self._pool.shutdown(wait=True, cancel_futures=True)


def check_importable(function: Any) -> None:
    """Other processes find a function by its name, so it must be where its name says."""
    import sys

    inner = function
    while hasattr(inner, "func"):  # functools.partial
        inner = inner.func
    if not hasattr(inner, "__qualname__"):
        inner = type(inner)
    found: Any = sys.modules.get(inner.__module__)
    if inner.__module__ == "__main__" and not hasattr(found, "__file__"):  # a console
        found = None
    for part in inner.__qualname__.split("."):
        found = getattr(found, part, None)
    if found is not inner and getattr(found, "__func__", found) is not getattr(inner, "__func__", inner):
        raise InvalidInput(
            f"other processes cannot import {inner.__module__}.{inner.__qualname__}.",
            hint="write the function at the top level of a module (not a lambda, not nested), or use executor='serial'",
        )
