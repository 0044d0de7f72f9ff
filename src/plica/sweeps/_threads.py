"""One thread for each task, in every executor: how many threads add up a sum can change its last bit."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager

from threadpoolctl import ThreadpoolController

_known: dict[int, ThreadpoolController] = {}


@contextmanager
def limited_threads(limit: int | None) -> Iterator[None]:
    """Hold BLAS and OpenMP and torch (where imported) to ``limit`` threads."""
    if limit is None:
        yield
        return
    controller = _controller()
    torch = sys.modules.get("torch")
    before = torch.get_num_threads() if torch is not None and hasattr(torch, "get_num_threads") else limit
    if torch is not None and before != limit:
        torch.set_num_threads(limit)
    try:
        with controller.limit(limits=limit):
            yield
    finally:
        if torch is not None and before != limit:
            torch.set_num_threads(before)


def _controller() -> ThreadpoolController:
    """The controller of the libraries loaded by now; looking for them takes time, so it is kept until another is imported."""
    n_modules = len(sys.modules)
    if n_modules not in _known:
        _known.clear()
        _known[n_modules] = ThreadpoolController()
    return _known[n_modules]
