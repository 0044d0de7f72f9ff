"""What is kept of kernels is what their texts say now, and only ours are kept so."""

import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from numba.core.caching import IndexDataCacheFile

from plica._compiled import KeptFile, compiled
from plica.geometry.signs._kernels import carry_new

INNER = """
from plica._compiled import compiled
SCALE = {scale}

@compiled
def inner(x):
    return {factor} * x
"""
OUTER = """
from inner import SCALE, inner
from plica._compiled import compiled

@compiled
def outer(x):
    return inner(x) + SCALE
"""
RUN = "from outer import outer; print(outer(1.0), sum(outer.stats.cache_hits.values()))"


@pytest.fixture
def run(tmp_path: Path) -> Any:
    def once(factor: float, scale: float) -> tuple[float, int]:
        (tmp_path / "inner.py").write_text(INNER.format(factor=factor, scale=scale))
        if not (tmp_path / "outer.py").exists():
            (tmp_path / "outer.py").write_text(OUTER)
        path = os.pathsep.join([str(tmp_path), *sys.path])
        env = os.environ | {"PYTHONPATH": path, "NUMBA_CACHE_DIR": str(tmp_path / "kept"), "PYTHONDONTWRITEBYTECODE": "1"}
        out = subprocess.run([sys.executable, "-c", RUN], env=env, check=True, capture_output=True, text=True).stdout.split()
        return float(out[0]), int(out[1])

    return once


def test_a_kernel_is_compiled_anew_when_one_it_calls_in_another_file_changes(run: Any) -> None:
    assert [run(2.0, 0.5), run(2.0, 0.5)] == [(2.5, 0), (2.5, 1)]
    assert [run(3.0, 0.5), run(3.0, 0.5)] == [(3.5, 0), (3.5, 1)]


def test_a_kernel_is_compiled_anew_when_a_constant_of_another_file_changes(run: Any) -> None:
    assert [run(2.0, 0.5), run(2.0, 0.75), run(2.0, 0.75)] == [(2.5, 0), (2.75, 0), (2.75, 1)]


@pytest.mark.parametrize("ending", ["nbi", "nbc"])
def test_what_cannot_be_read_is_compiled_anew(run: Any, tmp_path: Path, ending: str) -> None:
    assert run(2.0, 0.5) == (2.5, 0)
    damaged = list((tmp_path / "kept").rglob(f"outer*.{ending}"))
    for path in damaged:
        path.write_bytes(path.read_bytes()[:40])
    assert damaged and [run(2.0, 0.5), run(2.0, 0.5)] == [(2.5, 0), (2.5, 1)]


def test_files_of_other_libraries_are_numbas_own() -> None:
    assert type(carry_new._cache._cache_file) is KeptFile
    assert all(method.__module__ == "numba.core.caching" for method in (IndexDataCacheFile.save, IndexDataCacheFile._load_index))


@pytest.mark.skipif(not hasattr(signal, "raise_signal"), reason="needs signals")
def test_an_interrupt_while_a_kernel_is_compiled_comes_when_it_is_there(monkeypatch):
    """The compiler calls back into Python, where an exception would only be printed."""
    from numba.core.codegen import JITCodeLibrary

    @compiled
    def thrice(x):
        return 3 * x

    finish = JITCodeLibrary._finalize_specific

    def interrupted(self):
        signal.raise_signal(signal.SIGINT)
        return finish(self)

    monkeypatch.setattr(JITCodeLibrary, "_finalize_specific", interrupted)
    with pytest.raises(KeyboardInterrupt):
        thrice(2.0)
    monkeypatch.undo()
    assert len(thrice.overloads) == 1 and thrice(2.0) == 6.0
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
