"""One thread for small networks: waiting for a second one costs more than it brings."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from plica._interrupts import interrupts_wait


@contextmanager
def torch_threads(limit: int | None) -> Iterator[None]:
    """Let torch compute on so many threads inside the block, and as before after it; None changes nothing."""
    if limit is None:
        yield
        return
    with interrupts_wait():  # half of torch cannot be imported again: the next call would abort the process
        import torch

    before = torch.get_num_threads()
    torch.set_num_threads(limit)
    try:
        yield
    finally:
        torch.set_num_threads(before)


@contextmanager
def one_thread() -> Iterator[None]:
    """Let torch compute on one thread inside the block, and as before after it."""
    with torch_threads(1):
        yield
