"""How kernels are compiled.

A kernel makes no arrays: it gets them, room to work in included, and writes into them. So no references need to be counted, which
saves time in inner loops and a fifth of the compilation. Kernels release the interpreter lock and are kept on disk; what is kept
there and cannot be read any more, after a full disk or a crash, is compiled again. Until they are compiled for the first time,
small arrays are given to the Python that they are written in (``_aside.py``).
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial, wraps
from typing import Any

from numba import njit
from numba.core.caching import IndexDataCacheFile

from plica.geometry._aside import may_wait


def _doubt_what_is_kept() -> None:
    """Numba takes a damaged file of its cache for an error of the caller; here it is a file that is not there."""
    load_index, load_data = IndexDataCacheFile._load_index, IndexDataCacheFile._load_data

    @wraps(load_index)
    def index(self: Any) -> Any:
        try:
            return load_index(self)
        except Exception:  # bytes that are no pickle raise anything
            return {}

    @wraps(load_data)
    def data(self: Any, name: str) -> Any:
        try:
            return load_data(self, name)
        except Exception as error:
            raise OSError(f"the kernel {name} that was kept cannot be read") from error

    IndexDataCacheFile._load_index, IndexDataCacheFile._load_data = index, data  # type: ignore[method-assign]


_doubt_what_is_kept()


def _kernels(**options: Any) -> Callable[..., Any]:
    compiled: Any = partial(njit, cache=True, nogil=True)(**options)

    def decorate(function: Any = None, *, wide: Callable[..., Any] | None = None) -> Any:
        """With ``wide``, Python runs that in place of the kernel's text: the same numbers from whole arrays."""
        return partial(decorate, wide=wide) if function is None else may_wait(compiled(function), wide)

    return decorate


kernel: Any = _kernels(_nrt=False)
dividing_kernel: Any = _kernels(_nrt=False, error_model="numpy")  # a division by zero gives infinity, not an error
phase: Any = _kernels(_nrt=False, inline="always")  # a named part of a kernel
allocating_kernel: Any = _kernels()  # makes what it returns
