"""Memory: how much there is, how much this process has, and how it keeps what the engines free and take again."""

from __future__ import annotations

import ctypes
import os
import time
from functools import cache, lru_cache
from pathlib import Path
from typing import Any

import numpy as np


@cache
def keep_pages() -> None:
    """Let freed arrays stay in the process.

    By default glibc gives every array of some size back to the system, and the next one is mapped page by page anew: a fifth of
    the time of a plane of ten thousand cells. It stops doing so for arrays smaller than the largest that was freed so far, up to
    32 MiB (mallopt(3), M_MMAP_THRESHOLD), so one is allocated, never touched, and freed. Elsewhere this does nothing.
    """
    np.empty(31 << 20, np.uint8)


def give_back_pages() -> None:
    """Return to the system what was freed (glibc only; elsewhere this does nothing)."""
    trim = _trim()
    if trim is not None:
        trim(0)


@cache
def _trim() -> Any:
    try:
        return ctypes.CDLL(None).malloc_trim
    except (OSError, AttributeError, TypeError):
        return None


@cache
def memory_limit() -> int:
    """The bytes that this process may use at all: those of the machine, or of the container it runs in.

    Examples
    --------
    >>> memory_limit() > 2**26
    True
    """
    found = [_physical()]
    for name in ("memory.max", "memory/memory.limit_in_bytes"):  # control groups, version 2 and 1
        try:
            text = Path("/sys/fs/cgroup", name).read_text(encoding="ascii").strip()
        except OSError:
            continue
        if text.isdigit() and int(text) > 0:
            found.append(int(text))
    return min(found)


def _physical() -> int:
    try:
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (AttributeError, ValueError, OSError):
        return 8 * 2**30  # a system that does not tell


def available_bytes() -> int:
    """The memory that a process could take now without the system running out; what there is at all where it does not tell.

    Examples
    --------
    >>> 0 < available_bytes() <= memory_limit()
    True
    """
    return _available_in(int(time.monotonic()))


@lru_cache(maxsize=1)
def _available_in(second: int) -> int:
    """What there is, looked up at most once in a second: a short line takes less time than the file of the system."""
    try:
        lines = Path("/proc/meminfo").read_text(encoding="ascii").splitlines()
        found = next(int(line.split()[1]) * 1024 for line in lines if line.startswith("MemAvailable:"))
    except (OSError, ValueError, StopIteration):
        return memory_limit()
    return max(1, min(found, memory_limit()))


def resident_bytes() -> int:
    """The memory that this process occupies now; 0 where the system does not tell.

    Examples
    --------
    >>> resident_bytes() >= 0
    True
    """
    try:
        return int(os.pread(_statm(os.getpid()), 128, 0).split()[1]) * _page_size()
    except (OSError, ValueError, IndexError):
        return 0


@lru_cache(maxsize=1)
def _statm(pid: int) -> int:
    """The open file in which the system tells how much memory a process has; a child opens its own."""
    return os.open(f"/proc/{pid}/statm", os.O_RDONLY | os.O_CLOEXEC)


@cache
def _page_size() -> int:
    return os.sysconf("SC_PAGE_SIZE")


class CodeBytes:
    """Counts what this process grows by while code is compiled or loaded: that is no part of a computation.

    Examples
    --------
    >>> code = CodeBytes()
    >>> with code:
    ...     kept = np.ones(2**20)
    >>> code.total >= 0
    True
    """

    def __init__(self) -> None:
        self.total = 0
        self._before: list[int] = []

    def __enter__(self) -> None:
        self._before.append(resident_bytes())

    def __exit__(self, *_: object) -> None:
        grown = resident_bytes() - self._before.pop()
        if not self._before:  # what is loaded on the way belongs to what asked for it
            self.total += max(0, grown)


code_bytes = CodeBytes()
