"""Worker processes end with the process that started them, however that one ended.

This module imports nothing that takes time: a worker whose parent is killed while it is still importing ends, too.
"""

from __future__ import annotations

import multiprocessing
import os
import pickle
import signal
import sys
import threading
import time
from collections.abc import Callable
from typing import Any

_SET_DEATH_SIGNAL = 1  # PR_SET_PDEATHSIG of prctl(2)


def leave_with_parent(parent: int) -> None:
    """End this process when its parent is gone: at once where the kernel sees to it, else as soon as a thread notices.

    ``parent`` is the number of the process that started this one; it may be gone already.
    """
    if sys.platform == "linux":
        import ctypes

        ctypes.CDLL(None).prctl(_SET_DEATH_SIGNAL, signal.SIGKILL)
    threading.Thread(target=_watch, args=(parent,), daemon=True).start()


def _watch(parent: int) -> None:
    while os.getppid() == parent:
        time.sleep(0.5)
    os._exit(1)


Call = tuple[Callable[..., None], tuple[Any, ...]]


def packed(call: Call, start_method: str) -> Call | bytes:
    """A call for :func:`enter`. What it needs is imported by the worker once it watches its parent; a fork has it already."""
    return call if start_method == "fork" else pickle.dumps(call)


def enter(call: Call | bytes) -> None:
    """Become a worker of a pool: watch the parent first, then do what the parent packed."""
    parent = multiprocessing.parent_process()
    if parent is not None and parent.pid is not None:
        leave_with_parent(parent.pid)
    function, arguments = pickle.loads(call) if isinstance(call, bytes) else call  # noqa: S301  (our own parent made it)
    function(*arguments)
