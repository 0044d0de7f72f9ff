"""Kernels that nobody compiled yet are run as the Python they are written in, while a process of its own compiles them.

On a fresh installation the first plane would wait a quarter of a minute for the compiler. A kernel's text is also a Python
program with the same numbers, bit for bit (``tests/unit/geometry/test_kernels.py``): small arrays are given to that, and the
compiled kernels are taken from numba's cache as soon as they are there. Large arrays wait for the compiler as before.
"""

from __future__ import annotations

import atexit
import os
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from time import monotonic, thread_time
from types import FunctionType
from typing import Any

import numpy as np
from numba.core.compiler_lock import global_compiler_lock

from plica._compiled import is_kept
from plica._lazy import cached_property
from plica.geometry._kernel_arguments import from_text, to_text

MOST_ENTRIES = 2_000_000  # of all arrays of a call that Python is trusted with
MOST_SECONDS = 4.0  # of a processor, for Python in one process; then the compiler is waited for
LOOK_EVERY_S = 0.25  # how often the cache is looked at for a kernel that is being compiled
IDLE_S = 20.0  # after which the compiling process ends

_FINISH = b"finish\n"  # said by a process that ends as it should; one that dies says nothing


class Compiler:
    """The process that compiles: started by the first kernel that is missing, at a low priority; it ends by itself."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._pid = 0
        self._asked: set[str] = set()
        self._process: subprocess.Popen[bytes] | None = None
        self.seconds = 0.0  # that Python took in place of compiled kernels

    def ask(self, dispatcher: Any, args: tuple[Any, ...]) -> bool:
        """Have a kernel compiled for arguments of these types; whether that can be hoped for."""
        with self._lock:
            if self._pid != os.getpid():  # the first call, or a fork
                self._pid, self._asked, self._process = os.getpid(), set(), self._start()
            if (process := self._process) is None or process.stdin is None:
                return False
            function = dispatcher.py_func
            try:
                key = f"{function.__module__} {function.__qualname__} {to_text(args)}\n"
            except ValueError:
                return False
            if key in self._asked:
                return process.poll() is None
            self._asked.add(key)
            try:
                process.stdin.write(key.encode())
                process.stdin.flush()
            except (OSError, ValueError):
                self._process = None
                return False
            return True

    def _start(self) -> subprocess.Popen[bytes] | None:
        root = str(Path(__file__).parents[2])
        code = f"import sys; sys.path.insert(0, {root!r}); from plica.geometry._aside import compile_all; compile_all({IDLE_S})"
        try:
            process = subprocess.Popen(  # noqa: S603  this Python, our own text
                [sys.executable, "-P", "-c", code],
                stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True,
            )  # fmt: skip
        except (OSError, ValueError):
            return None
        atexit.register(_leave, process)
        return process


def _leave(process: subprocess.Popen[bytes]) -> None:
    """Let it finish what it was asked for; the next process finds the kernels compiled."""
    if process.stdin is not None:
        try:
            process.stdin.write(_FINISH)
            process.stdin.close()
        except (OSError, ValueError):
            pass
    if process.poll() is None:
        process.returncode = 0  # nobody waits for it


_compiler = Compiler()


def _before_fork() -> None:
    """What another thread holds while it asks for a kernel or compiles it would be held for ever in the child."""
    global_compiler_lock.acquire()
    _compiler._lock.acquire()


def _after_fork() -> None:
    _compiler._lock.release()
    global_compiler_lock.release()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(before=_before_fork, after_in_parent=_after_fork, after_in_child=_after_fork)


class Waiting:
    """What a dispatcher of numba calls when it has no compiled code for the arguments: what is to be called instead."""

    def __init__(self, dispatcher: Any, wide: Callable[..., Any] | None = None) -> None:
        self.dispatcher, self._compile, self._wide = dispatcher, dispatcher._compile_for_args, wide
        self._next_look = 0.0

    @cached_property
    def plain(self) -> Callable[..., Any]:
        """The kernel without numba: the kernels that it calls are met as Python too, and none of them asks to be compiled."""
        function = self.dispatcher.py_func
        if self._wide is not None:
            return self._wide
        return FunctionType(function.__code__, _without_numba(function.__globals__), function.__name__, function.__defaults__)

    def __call__(self, *args: Any, **more: Any) -> Any:
        with global_compiler_lock:  # what is compiled and what is kept is known to one thread at a time
            return self._ready(args, more)

    def _ready(self, args: tuple[Any, ...], more: dict[str, Any]) -> Any:
        if more or _compiler.seconds > MOST_SECONDS or _n_entries(args) > MOST_ENTRIES:
            return self._compile(*args, **more)
        try:
            types = tuple(self.dispatcher.typeof_pyval(a) for a in args)
            kept = self._is_kept(types)
        except Exception:  # the compiler knows better what is wrong
            return self._compile(*args)
        if kept or not _compiler.ask(self.dispatcher, args):
            return self._compile(*args)
        return self._interpreted

    def _is_kept(self, types: tuple[Any, ...]) -> bool:
        """Whether numba's cache has the kernel; looked at now and then."""
        if monotonic() < self._next_look:
            return False
        self._next_look = monotonic() + LOOK_EVERY_S
        return is_kept(self.dispatcher, types)

    def _interpreted(self, *args: Any) -> Any:
        start = thread_time()
        try:
            with np.errstate(all="ignore"):  # integers wrap around and divisions by zero are meant
                return _plain(self.plain(*map(_scalar, args)))
        finally:
            _compiler.seconds += thread_time() - start


def may_wait(dispatcher: Any, wide: Callable[..., Any] | None = None) -> Any:
    """The same kernel; it may be run as Python until it is compiled: its own text, or what does the same in whole arrays."""
    if hasattr(dispatcher, "_compile_for_args"):  # a plain function where compilation is switched off
        dispatcher._compile_for_args = Waiting(dispatcher, wide)
    return dispatcher


_namespaces: dict[int, dict[str, Any]] = {}  # of modules, by the id of their own


def _without_numba(namespace: dict[str, Any]) -> dict[str, Any]:
    """The names of a module of kernels, where kernels are the Python that they are written in."""
    if (found := _namespaces.get(id(namespace))) is None:
        found = _namespaces[id(namespace)] = dict(namespace)  # before the rest: modules may name each other
        for name, value in namespace.items():
            if isinstance(waiting := getattr(value, "_compile_for_args", None), Waiting):
                found[name] = waiting.plain
    return found


def _n_entries(args: Any) -> int:
    return sum(a.size if isinstance(a, np.ndarray) else _n_entries(a) if isinstance(a, tuple) else 0 for a in args)


def _scalar(value: Any) -> Any:
    """Numbers divide as compiled ones do."""
    return np.float64(value) if type(value) is float else value


def _plain(value: Any) -> Any:
    """Numbers as a compiled kernel returns them."""
    if isinstance(value, np.generic):
        return value.item()
    return tuple(map(_plain, value)) if type(value) is tuple else value


def compile_all(idle_s: float) -> None:
    """The work of the process: kernels and their types come line by line; what is compiled is kept in numba's cache."""
    from importlib import import_module
    from queue import Empty, SimpleQueue

    asked: SimpleQueue[bytes] = SimpleQueue()

    def read() -> None:
        for line in sys.stdin.buffer:
            if line == _FINISH:
                asked.put(b"")
                return
            asked.put(line)
        os._exit(0)  # whoever asked is dead: nothing of it remains; what is kept is written by renaming

    threading.Thread(target=read, daemon=True).start()
    if hasattr(os, "nice"):
        os.nice(5)
    while True:
        try:
            line = asked.get(timeout=idle_s)
        except Empty:
            line = b""
        if not line:
            os._exit(0)  # the thread still reads: Python that ends as usual would abort over the lock of its input
        module, name, arguments = line.decode().split(" ", 2)
        kernel = getattr(import_module(module), name)
        with _one_at_a_time():
            kernel.compile(tuple(kernel.typeof_pyval(each) for each in from_text(arguments)))


@contextmanager
def _one_at_a_time() -> Iterator[None]:
    """Several such processes would compile the same: the others wait for each kernel, and find it done."""
    from plica.geometry._bits import popcount

    try:
        import fcntl

        file = open(Path(popcount._cache.cache_path) / "plica-compiling.lock", "wb")
    except (ImportError, OSError, AttributeError):
        yield
        return
    with file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield
