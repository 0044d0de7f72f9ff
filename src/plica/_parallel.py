"""Ranges of work on all cores: compiled kernels and matrix products release the interpreter lock, so plain threads do.

The threads of BLAS would compete with these (two pools that wait for each other by spinning are many times slower than one on a
busy machine), so BLAS is held to one thread while an engine runs, and products are divided among our own.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from contextvars import ContextVar
from functools import cache
from threading import Lock
from typing import Any

from threadpoolctl import ThreadpoolController

_limit: ContextVar[int | None] = ContextVar("plica threads", default=None)


@contextmanager
def at_most(n_threads: int) -> Iterator[None]:
    """Use no more threads than this inside: for tasks that share a machine with others."""
    token = _limit.set(n_threads)
    try:
        yield
    finally:
        _limit.reset(token)


@cache
def _blas() -> list[Any]:
    import numpy  # noqa: F401  its BLAS must be loaded to be found

    return list(ThreadpoolController().select(user_api="blas").lib_controllers)


_held: dict[str, Any] = {"by": 0, "threads": []}
_lock = Lock()


@contextmanager
def plain_blas() -> Iterator[None]:
    """Hold BLAS to one thread inside; several threads may be inside at once, and the last one out lets it go."""
    with _lock:
        if _held["by"] == 0:
            _held["threads"] = [library.get_num_threads() for library in _blas()]
            for library in _blas():
                library.set_num_threads(1)
        _held["by"] += 1
    try:
        yield
    finally:
        with _lock:
            _held["by"] -= 1
            if _held["by"] == 0:
                for library, n in zip(_blas(), _held["threads"], strict=True):
                    library.set_num_threads(n)


@cache
def _n_threads() -> int:
    return os.cpu_count() or 1


@cache
def _pool() -> ThreadPoolExecutor:
    return ThreadPoolExecutor(max(1, _n_threads() - 1), thread_name_prefix="plica")


def spread(work: Callable[[int, int], Any], n: int, *, least: int = 12_288) -> list[Any]:
    """Run ``work(start, stop)`` over 0..n in pieces of at least ``least``; the results in order."""
    n_parts = min(_n_threads(), _limit.get() or _n_threads(), max(1, n // least))
    if n_parts == 1:
        return [work(0, n)]
    threads = n_parts
    n_parts = min(4 * n_parts, n // least)  # more pieces than threads, so that uneven pieces even out
    bounds = [n * i // n_parts for i in range(n_parts + 1)]
    results: list[Any] = [None] * n_parts
    waiting = iter(range(n_parts))  # whoever is free takes the next piece

    def drain() -> None:
        for i in waiting:
            results[i] = work(bounds[i], bounds[i + 1])

    helping = [_pool().submit(drain) for _ in range(threads - 1)]
    try:
        drain()
    finally:
        for future in helping:
            future.result()
    return results
