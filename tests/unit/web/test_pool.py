"""A pool keeps its size: a worker that did not start is tried again until it does."""

import asyncio

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
