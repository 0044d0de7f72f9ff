"""A pool keeps its size: a worker that did not start is tried again until it does."""

import asyncio
import importlib
import os
import signal
import time

import pytest
from patience import patient

from plica.errors import PlicaError
from plica.web import _pool
from plica.web._frames import pack, unpack
from plica.web._limits import Limits


def test_workers_that_do_not_start_are_tried_again(monkeypatch, tmp_path, capsys):
    start, asked = _pool.Worker.start, []

    async def hesitant(limits, folder, **options):
        asked.append(limits)
        if len(asked) in (2, 3):
            raise PlicaError("a worker process did not start.", hint="")
        return await start(limits, folder, **options)

    monkeypatch.setattr(_pool.Worker, "start", staticmethod(hesitant))
    monkeypatch.setattr(_pool, "AGAIN_S", 0.01)

    async def both_work():
        pool = _pool.Pool(Limits(n_workers=2), tmp_path)
        try:
            async with asyncio.timeout(patient(300)):
                await pool.start()
                while len(pool._all) < 2:
                    await asyncio.sleep(0.05)
                message = pack({"job": "picture", "state": "widths=4"})
                return await asyncio.gather(pool.run(message), pool.run(message))
        finally:
            await pool.close()

    for reply, _ in asyncio.run(both_work()):
        assert unpack(reply)[0]["ok"]
    assert len(asked) == 4 and capsys.readouterr().err.count("tried again") == 2


def test_a_job_is_not_interrupted_while_a_kernel_is_compiled(tmp_path, monkeypatch):
    """An exception inside of llvmlite is lost, and what was compiled with it; the interruption comes right after."""
    from numba.core.codegen import JITCPUCodegen

    from plica.web._worker import Cancelled, _Worker

    (tmp_path / "kernel_to_keep.py").write_text(
        "from plica._compiled import compiled\n@compiled\ndef thrice(x):\n    return 3 * x\n"
    )
    monkeypatch.syspath_prepend(tmp_path)
    thrice = importlib.import_module("kernel_to_keep").thrice

    def interrupted(library, is_compiled):
        if is_compiled:  # llvmlite has called back
            os.kill(os.getpid(), signal.SIGINT)
        library.__dict__["_compiled"] = is_compiled

    compiled = property(lambda library: library.__dict__.get("_compiled", False), interrupted)
    monkeypatch.setattr(JITCPUCodegen._library_class, "_compiled", compiled, raising=False)
    worker = _Worker()
    before = {number: signal.signal(number, worker.interrupt) for number in (signal.SIGINT, signal.SIGALRM)}
    try:
        worker.busy = True
        with pytest.raises(Cancelled):
            assert thrice(2.0) == 6.0
            time.sleep(patient(5))
    finally:
        worker.rest()
        for number, handler in before.items():
            signal.signal(number, handler)
    assert thrice(2.0) == 6.0


def test_a_job_is_not_interrupted_in_the_middle_of_an_import(tmp_path, monkeypatch):
    """A module that was half imported would fail every job to come in this worker; the interruption comes right after."""
    from plica.web._worker import Cancelled, _Worker

    body = "import os, signal\nos.kill(os.getpid(), signal.SIGINT)\nfor _ in range(1000):\n    pass\nwhole = True\n"
    (tmp_path / "slow_to_import.py").write_text(body)
    monkeypatch.syspath_prepend(tmp_path)
    worker = _Worker()
    before = {number: signal.signal(number, worker.interrupt) for number in (signal.SIGINT, signal.SIGALRM)}
    try:
        worker.busy = True
        module = importlib.import_module("slow_to_import")
        assert module.whole
        with pytest.raises(Cancelled):
            time.sleep(60)
        worker.rest()
        os.kill(os.getpid(), signal.SIGINT)  # in between it is meant for nobody
        worker.busy = True
        with pytest.raises(Cancelled):
            os.kill(os.getpid(), signal.SIGINT)
            time.sleep(60)
    finally:
        worker.rest()
        for number, handler in before.items():
            signal.signal(number, handler)
