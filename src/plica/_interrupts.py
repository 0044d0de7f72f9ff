"""Ctrl-C comes a moment later where it would leave something half done that cannot be done again."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

_INTERRUPTS = [getattr(signal, name) for name in ("SIGINT", "SIGALRM") if hasattr(signal, name)]


@contextmanager
def interrupts_wait() -> Iterator[None]:
    """Signals whose handlers may raise in the middle of the work inside come right after it."""
    if threading.current_thread() is not threading.main_thread():  # the only one that signals interrupt
        yield
        return
    came: list[tuple[int, Any]] = []
    held: dict[int, Any] = {}
    try:
        for number in _INTERRUPTS:
            if callable(handler := signal.getsignal(number)):
                held[number] = handler
                signal.signal(number, lambda n, frame: came.append((n, frame)))
        yield
    finally:
        for number, handler in held.items():
            signal.signal(number, handler)
        for number, frame in came[:1]:
            held[number](number, frame)
