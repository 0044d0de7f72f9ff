"""Ranges of work on all cores: compiled kernels and matrix products release the interpreter lock, so plain threads do.

The threads of BLAS would compete with these (two pools that wait for each other by spinning are many times slower than one on a
busy machine), so BLAS is held to one thread while an engine runs, and products are divided among our own.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from functools import cache
from operator import call as _call
from threading import Lock, Thread
from typing import Any

from threadpoolctl import ThreadpoolController

_limit: ContextVar[int | None] = ContextVar("plica threads", default=None)
_look: ContextVar[Callable[[], None] | None] = ContextVar("plica look", default=None)


class During:
    """Inside, a context variable has another value: a class, because generators would take a hundredth of a short line's time."""

    __slots__ = ("_token", "_value", "_variable")

    def __init__(self, variable: ContextVar[Any], value: Any) -> None:
        self._variable, self._value = variable, value

    def __enter__(self) -> None:
        self._token = self._variable.set(self._value)

    def __exit__(self, *_: object) -> None:
        self._variable.reset(self._token)


def at_most(n_threads: int) -> During:
    """Use no more threads than this inside: for tasks that share a machine with others."""
    return During(_limit, n_threads)


def looking(look: Callable[[], None]) -> During:
    """Call this between pieces of work inside, in the thread that asked for the work; it may raise, and ends the work."""
    return During(_look, look)


def look() -> None:
    """Call whoever is :func:`looking`, from long work that is not divided into ranges.

    Examples
    --------
    >>> look()
    >>> with looking(lambda: print("still here")):
    ...     look()
    still here
    """
    if (seen := _look.get()) is not None:
        seen()


@cache
def _blas(has_scipy: bool) -> list[Any]:
    """What is loaded of BLAS: numpy's, and that of scipy, if it is there; it is looked for once before and once after."""
    import numpy  # noqa: F401

    return list(ThreadpoolController().select(user_api="blas").lib_controllers)


_held: dict[str, Any] = {"by": 0, "threads": {}}
_lock = Lock()


def _hold() -> None:
    """One thread for each library that is not held yet."""
    held = _held["threads"]
    for library in _blas("scipy.linalg.cython_blas" in sys.modules):
        if library.filepath not in held:
            held[library.filepath] = library, library.get_num_threads()
            library.set_num_threads(1)


def _let_go() -> None:
    for library, n in _held["threads"].values():
        library.set_num_threads(n)
    _held["threads"] = {}


@contextmanager
def plain_blas() -> Iterator[None]:
    """Hold BLAS to one thread inside; several threads may be inside at once, and the last one out lets it go."""
    with _lock:
        if _held["by"] == 0:
            _hold()
        _held["by"] += 1
    try:
        yield
    except SystemError as error:  # what compiled kernels make of Ctrl-C, one inside the other
        cause: BaseException | None = error
        while isinstance(cause, SystemError):
            cause = cause.__cause__
        if isinstance(cause, KeyboardInterrupt):
            raise KeyboardInterrupt from None
        raise
    finally:
        with _lock:
            _held["by"] -= 1
            if _held["by"] == 0:
                _let_go()


@cache
def _n_threads() -> int:
    return os.cpu_count() or 1


class _Over(BaseException):
    """Nobody waits any more for what a thread is computing."""


class _Call:
    """Work that is spread over threads, and whether its results are still wanted."""

    __slots__ = ("is_over",)

    def __init__(self) -> None:
        self.is_over = False

    def leave(self) -> None:
        """What the other threads call when they :func:`look`."""
        if self.is_over:
            raise _Over


class _Worker(Thread):
    """A thread that waits for one job at a time: a lock wakes it four times as fast as the queue of an executor would."""

    def __init__(self) -> None:
        super().__init__(name="plica", daemon=True)
        self._go, self._done = Lock(), Lock()
        self._go.acquire()
        self._done.acquire()
        self._job: Callable[[], None] | None = None
        self._error: BaseException | None = None
        self.start()

    def run(self) -> None:
        while True:
            self._go.acquire()
            assert self._job is not None
            try:
                self._job()
            except BaseException as error:  # whoever waits will raise it
                self._error = error
            self._job = None
            self._done.release()

    def prepare(self, job: Callable[[], None]) -> Callable[[], None]:
        """What begins the job when it is called."""
        self._job, self._error = job, None
        return self._go.release

    def wait(self, call: _Call) -> BaseException | None:
        """Until the job is done or left, whatever happens meanwhile; what went wrong here or there."""
        interrupted: BaseException | None = None
        taken: list[bool] = []
        while not taken:
            try:
                taken.extend(map(_call, [self._done.acquire]))  # an interrupt after it cannot hide that it was acquired
            except BaseException as error:  # Ctrl-C, or what another signal raises
                interrupted, call.is_over = error, True
        return interrupted or self._error


class _WorkerPool:
    """The other threads of this process, lent to one caller at a time."""

    def __init__(self) -> None:
        self.lock = Lock()
        self.workers: list[_Worker] = []

    def members(self, n: int) -> list[_Worker]:
        while len(self.workers) < n:
            self.workers.append(_Worker())
        return self.workers[:n]


_pool = _WorkerPool()


def _renew() -> None:
    """Threads do not survive a fork, and locks that others held at that moment would never be released."""
    global _pool, _lock
    _pool, _lock = _WorkerPool(), Lock()
    if _held["by"]:
        _held["by"] = 0
        _let_go()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_renew)


def parallel_ranges(work: Callable[[int, int], Any], n: int, *, least: int = 4096, most: int = 65536) -> list[Any]:
    """Run ``work(start, stop)`` over 0..n in pieces of at least ``least``, in any order; the results in order.

    Pieces are no larger than ``most`` (or ``least``), and between them whoever is :func:`looking` is called. While another thread
    of this process spreads its work, or from inside such work, all is done here. After an error or an interrupt the others leave
    their pieces where they :func:`look` next.
    """
    threads = min(_n_threads(), _limit.get() or _n_threads(), max(1, n // least))
    n_pieces = -(-n // max(least, most))
    pool, look, is_whole = _pool, _look.get(), False
    if threads == 1 or not pool.lock.acquire(blocking=False):
        if n_pieces < 2:
            return [work(0, n)]
        return [_looked(look, work, n * i // n_pieces, n * (i + 1) // n_pieces) for i in range(n_pieces)]
    try:
        n_parts = max(n_pieces, min(2 * threads, n // least))  # more pieces than threads, so that uneven pieces even out
        bounds = [n * i // n_parts for i in range(n_parts + 1)]
        results: list[Any] = [None] * n_parts
        waiting = iter(range(n_parts))  # whoever is free takes the next piece
        call, is_done = _Call(), False

        def drain() -> None:
            with looking(call.leave):
                for i in waiting:
                    try:
                        results[i] = _looked(call.leave, work, bounds[i], bounds[i + 1])
                    except BaseException:
                        call.is_over = True
                        raise

        workers = pool.members(threads - 1)
        begun: list[None] = []
        try:
            begun.extend(map(_call, [worker.prepare(drain) for worker in workers]))  # all or none: no interrupt comes between
            for i in waiting:
                if call.is_over:
                    break
                results[i] = _looked(look, work, bounds[i], bounds[i + 1])
            is_done = True
        finally:
            call.is_over = call.is_over or not is_done  # after an error here nothing more is begun
            errors = [worker.wait(call) for worker, _ in zip(workers, begun, strict=False)]
            is_whole = True
        for error in sorted((e for e in errors if e is not None), key=lambda e: isinstance(e, _Over)):
            raise error
        return results
    finally:
        if not is_whole:  # somebody may still work for a caller who was torn away: those threads are not asked again
            pool.workers.clear()
        pool.lock.release()


def _looked(look: Callable[[], None] | None, work: Callable[[int, int], Any], start: int, stop: int) -> Any:
    if look is not None:
        look()
    return work(start, stop)
