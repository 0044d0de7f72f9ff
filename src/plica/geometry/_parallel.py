"""Ranges of work on all cores: compiled kernels release the interpreter lock, so plain threads do."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from contextvars import ContextVar
from functools import cache
from typing import Any

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
def _n_threads() -> int:
    return os.cpu_count() or 1


@cache
def _pool() -> ThreadPoolExecutor:
    return ThreadPoolExecutor(_n_threads(), thread_name_prefix="plica")


def spread(work: Callable[[int, int], Any], n: int, *, least: int = 1024) -> list[Any]:
    """Run ``work(start, stop)`` over 0..n in pieces of at least ``least``; the results in order."""
    n_parts = min(_n_threads(), _limit.get() or _n_threads(), max(1, n // least))
    if n_parts == 1:
        return [work(0, n)]
    # more pieces than threads, so that uneven pieces even out
    n_parts = min(4 * n_parts, max(n_parts, n // least))
    bounds = [n * i // n_parts for i in range(n_parts + 1)]
    futures = [_pool().submit(work, bounds[i], bounds[i + 1]) for i in range(n_parts)]
    return [f.result() for f in futures]
