"""How kernels are compiled.

A kernel makes no arrays: it gets them, room to work in included, and writes into them. So no references need to be counted, which
saves time in inner loops and a fifth of the compilation. Kernels release the interpreter lock and are kept on disk.
"""

from __future__ import annotations

from functools import partial
from typing import Any

from numba import njit

_compiled: Any = partial(njit, cache=True, nogil=True)
kernel: Any = _compiled(_nrt=False)
dividing_kernel: Any = _compiled(_nrt=False, error_model="numpy")  # a division by zero gives infinity, not an error
phase: Any = _compiled(_nrt=False, inline="always")  # a named part of a kernel
allocating_kernel: Any = _compiled()  # makes what it returns
