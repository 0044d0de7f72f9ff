"""A fresh installation: the first plane does not wait for the compiler, and is the same plane."""

import json
import os
import signal
import subprocess
import sys
import threading
from contextlib import ExitStack
from importlib import import_module, invalidate_caches
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numba import typeof
from numba.core.compiler_lock import global_compiler_lock
from patience import patient, wait_for

from plica.geometry import Box, _aside, decompose
from plica.geometry._kernel_arguments import from_text, to_text
from plica.geometry.plane._arrays import MeshArrays
from plica.network import random_network

TEXT = """
from plica.geometry._kernel import kernel


@kernel
def add(x, number):
    total = 0.0
    for i in range(x.shape[0]):
        total += x[i] / number
    return total
"""

FRESH = """
import json, sys
from plica.geometry import Box, _aside, decompose
from plica.geometry.plane import _deferred
from plica.geometry.plane._faces import build_faces
from plica.geometry.regions._regions import find_jumps
from plica.network import random_network

_aside.Compiler._start = lambda self: __import__("subprocess").Popen(
    [sys.executable, "-c", "import sys; sys.stdin.read()"], stdin=-1)  # a compiler that never gets ready
_deferred.LEAST_WEIGHTS = 0  # as in these tests
cx = decompose(random_network([2, 6, 6, 1], seed=3, weights="he-normal", bias_std=0.5), Box([-1, -1], [1, 1]))
found = [cx.vertices.tolist(), cx.edges.tolist(), cx.regions.tolist()]
print(json.dumps({"found": found, "compiled": [len(build_faces.overloads), len(find_jumps.overloads)]}))
"""


@pytest.fixture
def fresh(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """A module with a kernel that was never compiled, and a compiler of its own."""
    name = f"tiny_{abs(hash(tmp_path))}"
    (tmp_path / f"{name}.py").write_text(TEXT)
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    monkeypatch.setattr(_aside, "_compiler", _aside.Compiler())
    invalidate_caches()
    yield import_module(name).add
    if (process := _aside._compiler._process) is not None:
        process.stdin.close()
        process.wait(patient(10))
    sys.modules.pop(name)


def test_the_first_plane_is_not_compiled_and_is_the_same(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path))
    out = subprocess.run([sys.executable, "-c", FRESH], capture_output=True, text=True, timeout=patient(20), check=True)
    told = json.loads(out.stdout)
    cx = decompose(random_network([2, 6, 6, 1], seed=3, weights="he-normal", bias_std=0.5), Box([-1, -1], [1, 1]))
    assert told["compiled"] == [0, 0]
    assert told["found"][0] == cx.vertices.tolist()
    assert told["found"][1:] == [cx.edges.tolist(), cx.regions.tolist()]


def test_a_kernel_is_python_until_another_process_has_compiled_it(fresh: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    x = np.arange(4.0)
    with monkeypatch.context() as early:
        early.setattr(fresh._compile_for_args, "_is_kept", lambda types: False)  # however long this process is kept waiting
        assert fresh(x, 2.0) == 3.0 and type(fresh(x, 2.0)) is float and not fresh.overloads
        assert fresh(x, 0.0) != fresh(x, 0.0) and not fresh.overloads  # 0 / 0, as arrays divide
    wait_for(lambda: fresh(x, 2.0) == 3.0 and fresh.overloads)
    assert len(fresh.overloads) == 1 and sum(fresh.stats.cache_hits.values()) == 1  # taken from the cache, not compiled here


def test_what_the_index_of_kept_kernels_names_is_there(fresh: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    file, written = fresh._cache._cache_file, []
    save = file._save_index
    monkeypatch.setattr(file, "_save_index", lambda found: (written.append(sorted(found.values())), save(found)))
    here = _aside.Compiler()
    here.seconds = 1e9  # compiled by this process
    monkeypatch.setattr(_aside, "_compiler", here)
    shapes = []
    monkeypatch.setattr(
        file, "_save_data", lambda name, data, old=file._save_data: (shapes.append(len(written)), old(name, data))
    )
    assert fresh(np.arange(4.0), 2.0) == fresh(np.arange(4), 2.0) == 3.0
    assert shapes == [0, 1] and len(written) == 2  # each file before the index that names it
    assert set(written[0]) < set(written[1]) and all(Path(file._data_path(name)).exists() for name in written[1])


def test_another_process_cannot_take_the_file_of_other_types(fresh: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    file = fresh._cache._cache_file
    monkeypatch.setattr(_aside._compiler, "seconds", 1e9)
    assert fresh(np.arange(4.0), 2.0) == 3.0
    (first,) = file._load_index().values()
    monkeypatch.setattr(file, "_load_index", dict)  # as one sees it that began before the first was written
    assert fresh(np.arange(4), 2.0) == 3.0
    monkeypatch.undo()
    (second,) = file._load_index().values()
    assert first != second


def test_a_compiler_with_nothing_to_do_does_not_keep_others_from_compiling(fresh: Any, monkeypatch: Any) -> None:
    fcntl = pytest.importorskip("fcntl")
    monkeypatch.setattr(_aside, "IDLE_S", 3600)  # it waits as long as this test, however slow that is
    from plica.geometry._bits import popcount

    wait_for(lambda: fresh(np.arange(4.0), 2.0) == 3.0 and fresh.overloads)
    with open(Path(popcount._cache.cache_path) / "plica-compiling.lock", "wb") as file:
        wait_for(lambda: not _is_locked(fcntl, file))
        assert _aside._compiler._process.poll() is None


def test_a_compiler_that_nobody_asks_ends_as_it_should(monkeypatch: Any) -> None:
    monkeypatch.setattr(_aside, "IDLE_S", 0.01)
    process = _aside.Compiler()._start()
    assert process is not None
    assert process.wait(timeout=600) == 0


def _is_locked(fcntl: Any, file: Any) -> bool:
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    fcntl.flock(file, fcntl.LOCK_UN)
    return False


def test_arguments_come_back_from_text_with_the_types_they_had() -> None:
    frozen, f = np.zeros((2, 3)), np.asfortranarray(np.zeros((3, 2), np.int32))
    frozen.flags.writeable = False
    mesh = MeshArrays(f, np.zeros(3, np.int64)[::2], np.zeros((5, 2), np.uint64))
    args = (frozen, f[::2], mesh, (1, (mesh, 2.5)), np.float64(3), np.int32(1), True, 2**63, None, np.zeros((1, 1)), np.zeros(()))
    assert [typeof(a) for a in from_text(to_text(args))] == [typeof(a) for a in args]
    with pytest.raises(ValueError, match="str"):
        to_text(("text",))


@pytest.mark.parametrize("is_dead", [True, False])
def test_a_compilation_goes_on_only_for_one_that_ended_as_it_should(tmp_path: Path, monkeypatch: Any, is_dead: bool) -> None:
    begun = tmp_path / "begun"
    work = f"(pathlib.Path({str(begun)!r}).touch(), time.sleep(3600))"
    text = f"import pathlib, time\nclass forever:\n    compile = lambda types: {work}"
    (tmp_path / "slow_kernels.py").write_text(text)
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    process = _aside.Compiler()._start()
    assert process is not None and process.stdin is not None
    process.stdin.write(b"slow_kernels forever []\n")
    process.stdin.flush()
    wait_for(begun.exists)
    if is_dead:
        process.stdin.close()
        assert process.wait(patient(20)) == 0
    else:
        _aside._leave(process)
        process.returncode = None
        with pytest.raises(subprocess.TimeoutExpired):
            process.wait(1.0)
        process.kill()
        process.wait()


def test_who_waits_to_be_asked_does_not_keep_others_from_compiling(tmp_path: Path, monkeypatch: Any) -> None:
    work = f"pathlib.Path({str(tmp_path)!r}, str(types[0])).touch()"
    text = f"import pathlib\nclass noted:\n    typeof_pyval = int\n    compile = lambda types: {work}"
    (tmp_path / "noted_kernels.py").write_text(text)
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([str(tmp_path), *sys.path]))
    command = [sys.executable, "-c", "from plica.geometry._aside import compile_all; compile_all(3600)"]
    with ExitStack() as running:
        processes = []
        for k in range(2):
            process = running.enter_context(subprocess.Popen(command, stdin=subprocess.PIPE))
            running.callback(process.kill)
            assert process.stdin is not None
            process.stdin.write(f"noted_kernels noted {to_text((k,))}\n".encode())
            process.stdin.flush()
            wait_for((tmp_path / str(k)).exists)
            processes.append(process)
        assert [process.poll() for process in processes] == [None, None]


@pytest.mark.parametrize("seconds", [0.0, 100.0])
def test_threads_do_not_look_at_the_cache_or_compile_together(fresh: Any, seconds: float, monkeypatch: Any) -> None:
    waiting, held = fresh._compile_for_args, []
    look, compile_here = waiting._is_kept, waiting._compile
    monkeypatch.setattr(waiting, "_is_kept", lambda types: (held.append(global_compiler_lock.is_locked()), look(types))[1])
    monkeypatch.setattr(waiting, "_compile", lambda *a: (held.append(global_compiler_lock.is_locked()), compile_here(*a))[1])
    monkeypatch.setattr(_aside._compiler, "seconds", seconds)
    assert fresh(np.arange(4.0), 2.0) == 3.0 and held == [True]


@pytest.mark.parametrize("limit", ["MOST_ENTRIES", "MOST_SECONDS"])
def test_large_arrays_and_long_waits_are_compiled_here(fresh: Any, limit: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_aside, limit, -1)
    assert fresh(np.arange(4.0), 2.0) == 3.0 and len(fresh.overloads) == 1
    assert _aside._compiler._process is None


def test_without_a_compiling_process_kernels_are_compiled_here(fresh: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_aside.sys, "executable", str(Path("no") / "such" / "python"))
    assert fresh(np.arange(4.0), 2.0) == 3.0 and len(fresh.overloads) == 1


def test_a_compiling_process_that_fails_is_not_waited_for(fresh: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTHONPATH", "")
    x = np.arange(4.0)
    assert fresh(x, 2.0) == 3.0
    _aside._compiler._process.wait(patient(10))  # it cannot import the kernel
    assert fresh(x, 2.0) == 3.0 and len(fresh.overloads) == 1


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork on this system")
@pytest.mark.filterwarnings("ignore:.*fork:DeprecationWarning")
def test_a_fork_waits_for_a_thread_that_asks_for_a_kernel(monkeypatch: pytest.MonkeyPatch) -> None:
    """The child has no such thread: what it held would never be free there."""
    monkeypatch.setattr(_aside, "_compiler", compiler := _aside.Compiler())
    is_held, may_go = threading.Event(), threading.Event()

    def ask() -> None:
        with global_compiler_lock, compiler._lock:
            is_held.set()
            may_go.wait(0.3)  # a fork that does not wait comes meanwhile

    asking = threading.Thread(target=ask)
    asking.start()
    assert is_held.wait(patient(20))
    child = os.fork()
    if child == 0:
        signal.alarm(int(patient(5)))
        with global_compiler_lock, compiler._lock:
            os._exit(0)
    may_go.set()
    asking.join()
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
