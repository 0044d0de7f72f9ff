"""Worker processes end with the process that started them, however that one ended.

This module imports nothing that takes time, and a pool calls :func:`watch_parent` before it takes work: a worker whose parent is
killed while it is still importing what its work needs ends, too.
"""

from __future__ import annotations

import multiprocessing
import os
import signal
import sys
import threading
import time

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


def watch_parent() -> None:
    """The first thing that a process of a pool does."""
    parent = multiprocessing.parent_process()
    if parent is not None and parent.pid is not None:
        leave_with_parent(parent.pid)
