"""How kernels are compiled.

A kernel makes no arrays: it gets them, room to work in included, and writes into them. So no references need to be counted, which
saves time in inner loops and a fifth of the compilation. Kernels release the interpreter lock and are kept on disk
(``plica/_compiled.py``). Until they are compiled for the first time, small arrays are given to the Python that they are
written in (``_aside.py``).
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from plica._compiled import compiled
from plica.geometry._aside import may_wait


def _kernels(**options: Any) -> Callable[..., Any]:
    def decorate(function: Any = None, *, wide: Callable[..., Any] | None = None) -> Any:
        """With ``wide``, Python runs that in place of the kernel's text: the same numbers from whole arrays."""
        return partial(decorate, wide=wide) if function is None else may_wait(compiled(function, **options), wide)

    return decorate


kernel: Any = _kernels(_nrt=False)
dividing_kernel: Any = _kernels(_nrt=False, error_model="numpy")  # a division by zero gives infinity, not an error
phase: Any = _kernels(_nrt=False, inline="always")  # a named part of a kernel
allocating_kernel: Any = _kernels()  # makes what it returns
