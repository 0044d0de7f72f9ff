"""Kernels that are compiled once and kept on disk, for several processes at a time and for as long as they are what is written.

Numba keeps a kernel until the file changes in which it is written. It does not know of the kernels and constants of other files
that it was compiled with: after an upgrade that changes only those, the old numbers would be computed. Here what is kept is
valid for the texts of all files that a kernel reaches and for the constants it reads.

A file that cannot be read any more, after a full disk or a crash, is a file that is not there. Numba writes the index of a kernel
before the file that the index names, under the next free number: a process that looks in between finds nothing, or what an older
text of the kernel left there, and two that compile for different types may take the same number. Here the file comes first, and
its number belongs to the types.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator
from functools import cache, partial
from hashlib import sha256
from pathlib import Path
from types import CodeType, FunctionType
from typing import Any, Protocol

from numba import njit
from numba.core.caching import IndexDataCacheFile

from plica._interrupts import interrupts_wait
from plica._lazy import cached_property
from plica._memory import code_bytes
from plica._parallel import look


class Kernel(Protocol):
    """What is used of numba's dispatchers."""

    _cache: Any
    py_func: Any
    targetctx: Any


class KeptFile(IndexDataCacheFile):
    """What is on disk of one kernel: an index, and a file for each choice of types."""

    def __init__(self, kernel: Kernel) -> None:
        found = kernel._cache
        super().__init__(found.cache_path, found._impl.filename_base, None)
        self._function = kernel.py_func

    @cached_property
    def _valid_for(self) -> bytes:
        return sha256("\n".join(sorted(_reached(self._function))).encode()).digest()

    @property
    def _source_stamp(self) -> bytes:
        return self._valid_for

    @_source_stamp.setter
    def _source_stamp(self, _: Any) -> None:
        """Numba's own stamp is not used."""

    def _load_index(self) -> Any:
        try:
            return super()._load_index()
        except Exception:  # bytes that are no pickle raise anything
            return {}

    def _load_data(self, name: str) -> Any:
        try:
            return super()._load_data(name)
        except Exception as error:
            raise OSError(f"the kernel {name} that was kept cannot be read") from error

    def save(self, key: Any, data: Any) -> None:
        name = self._data_name(int(sha256(repr((self._valid_for, key)).encode()).hexdigest()[:12], 16))
        self._save_data(name, data)
        overloads = self._load_index()
        if overloads.get(key) != name:
            self._save_index({**overloads, key: name})


def compiled(function: Any = None, **options: Any) -> Any:
    """Compile a kernel when it is first called, keep it on disk, and release the interpreter lock while it runs.

    Examples
    --------
    >>> @compiled
    ... def twice(x: float) -> float:
    ...     return 2 * x
    >>> twice(1.5)
    3.0
    """
    if function is None:
        return partial(compiled, **options)
    kernel = njit(nogil=True, cache=_is_in_a_file(function), **options)(function)
    if getattr(getattr(kernel, "_cache", None), "cache_path", None) is not None:  # not where compilation is switched off
        kernel._cache._cache_file = KeptFile(kernel)
    if hasattr(kernel, "_compile_for_args"):
        kernel._compile_for_args = partial(_after_a_look, kernel._compile_for_args)
    return kernel


def _after_a_look(compile_for: Callable[..., Any], *args: Any, **more: Any) -> Any:
    """Before a kernel is compiled or loaded, whoever is looking may end the work; meanwhile interrupts wait.

    The compiler calls back into Python, where an exception is only printed: Ctrl-C would be lost.
    """
    look()
    with interrupts_wait(), code_bytes:
        return compile_for(*args, **more)


def is_kept(kernel: Kernel, types: tuple[Any, ...]) -> bool:
    """Whether a kernel is on disk, compiled for these types."""
    found = kernel._cache
    if not os.path.exists(found._cache_file._index_path):
        return False  # before numba's own libraries are loaded, which takes a quarter of a second
    with code_bytes:
        kernel.targetctx.refresh()
    return found._index_key(types, kernel.targetctx.codegen()) in found._cache_file._load_index()


def _is_in_a_file(function: Callable[..., Any]) -> bool:
    return Path(function.__code__.co_filename).is_file()


def _reached(start: FunctionType) -> Iterator[str]:
    """What the compiled code of a function depends on: the texts of files, and constants."""
    seen, waiting = set(), [start]
    while waiting:
        function = waiting.pop()
        if function in seen:
            continue
        seen.add(function)
        yield _text_of(function.__code__.co_filename)
        cells = function.__closure__ or ()
        used = {**dict(zip(function.__code__.co_freevars, (c.cell_contents for c in cells), strict=True))}
        used |= {name: function.__globals__[name] for name in _names(function.__code__) if name in function.__globals__}
        for name, value in used.items():
            value = getattr(value, "py_func", value)
            if isinstance(value, FunctionType) and _is_ours(value):
                waiting.append(value)
            elif isinstance(value, type) and _is_ours(value):
                yield _text_of(sys.modules[value.__module__].__file__ or "")
            elif isinstance(value, (bool, int, float, str, tuple)) or hasattr(value, "dtype"):
                yield f"{function.__module__} {name} = {value!r}"


def _is_ours(value: Any) -> bool:
    """Whether it may change while numba stays as it is."""
    return value.__module__.partition(".")[0] not in ("numba", "numpy", "builtins", "math")


def _names(code: CodeType) -> Iterator[str]:
    yield from code.co_names
    for inner in code.co_consts:
        if isinstance(inner, CodeType):
            yield from _names(inner)


@cache
def _text_of(path: str) -> str:
    try:
        return f"{Path(path).name} {sha256(Path(path).read_bytes()).hexdigest()}"
    except OSError:  # typed by hand
        return path
