"""Memory that the engines free and take again in the next layer, or the next call."""

from __future__ import annotations

from functools import cache

import numpy as np


@cache
def keep_pages() -> None:
    """Let freed arrays stay in the process.

    By default glibc gives every array of some size back to the system, and the next one is mapped page by page anew: a fifth of
    the time of a plane of ten thousand cells. It stops doing so for arrays smaller than the largest that was freed so far, up to
    32 MiB (mallopt(3), M_MMAP_THRESHOLD), so one is allocated, never touched, and freed. Elsewhere this does nothing.
    """
    np.empty(31 << 20, np.uint8)
