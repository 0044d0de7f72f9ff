"""Worker processes: a few, each with one job at a time, interrupted when nobody waits for it any more."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import signal
import sys
from dataclasses import asdict
from pathlib import Path

from plica.errors import BudgetExceeded, PlicaError
from plica.web._limits import Limits

START_S = 900.0
"""A first start compiles the engine's kernels, on a machine that may have much else to do."""
AGAIN_S = 1.0
"""After so long a worker that did not start is tried again, then after twice as long, and so on."""
AGAIN_AT_MOST_S = 60.0
GRACE_S = 1.0
"""How long an interrupted job may take to notice."""


class Busy(PlicaError):
    """Too many jobs wait already."""


class Worker:
    """One process, spoken to over its pipes."""

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        self.process = process

    @staticmethod
    async def start(limits: Limits, folder: Path) -> Worker:
        one = {f"{name}_NUM_THREADS": "1" for name in ("OMP", "OPENBLAS", "MKL")}
        process = await asyncio.create_subprocess_exec(
            sys.executable, "-m", "plica.web._worker", json.dumps(asdict(limits)), str(folder), str(os.getpid()),
            stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE, env={**os.environ, **one, "MPLBACKEND": "agg"},
            start_new_session=True, limit=2**22,
        )  # fmt: skip
        worker = Worker(process)
        try:
            await asyncio.wait_for(worker.read(), START_S)
        except (TimeoutError, asyncio.IncompleteReadError):
            worker.kill()
            raise PlicaError("a worker process did not start.", hint="look at the messages above") from None
        except asyncio.CancelledError:
            worker.kill()
            raise
        return worker

    async def read(self) -> tuple[bytes, bytes]:
        """A reply and what the server keeps."""
        assert self.process.stdout is not None
        frames = []
        for _ in range(2):
            size = int.from_bytes(await self.process.stdout.readexactly(8), "little")
            frames.append(await self.process.stdout.readexactly(size))
        return frames[0], frames[1]

    async def write(self, message: bytes) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(len(message).to_bytes(8, "little") + message)
        await self.process.stdin.drain()

    def interrupt(self) -> None:
        with contextlib.suppress(ProcessLookupError):
            self.process.send_signal(signal.SIGINT)

    def kill(self) -> None:
        with contextlib.suppress(ProcessLookupError):
            self.process.kill()


class Pool:
    """The workers of a server.

    ``run`` waits for an idle worker, gives it a message and returns its reply. When the task that waits is cancelled, or the
    time of a job is over, the worker is interrupted; one that does not notice within a second is killed and replaced.
    """

    def __init__(self, limits: Limits, folder: Path) -> None:
        self.limits, self.folder = limits, folder
        self.waiting = self.running = 0
        self._idle: asyncio.Queue[Worker] = asyncio.Queue()
        self._all: set[Worker] = set()
        self._chores: set[asyncio.Task[None]] = set()
        self._closed = False

    async def start(self) -> None:
        """Start the workers, and return when the first one is ready."""
        await self._hire()
        for _ in range(self.limits.n_workers - 1):
            self._do(self._hire_in_the_end())

    async def close(self) -> None:
        self._closed = True
        for chore in list(self._chores):
            chore.cancel()
        for worker in self._all:
            worker.kill()
        await asyncio.gather(*(worker.process.wait() for worker in self._all), *self._chores, return_exceptions=True)

    async def run(self, message: bytes) -> tuple[bytes, bytes]:
        """The reply of a worker to a message.

        Raises
        ------
        Busy
            Too many jobs wait.
        BudgetExceeded
            The job took too long, or more memory than there is.
        """
        if self.waiting >= self.limits.max_queue:
            raise Busy(f"{self.waiting} computations wait already.", hint="try again in a second")
        self.waiting += 1
        try:
            worker = await self._idle.get()
        finally:
            self.waiting -= 1
        self.running += 1
        try:
            return await self._work(worker, message)
        finally:
            self.running -= 1

    async def _work(self, worker: Worker, message: bytes) -> tuple[bytes, bytes]:
        try:
            async with asyncio.timeout(self.limits.max_seconds):
                await worker.write(message)
                reply = await worker.read()
        except TimeoutError:
            self._do(self._recover(worker))
            raise BudgetExceeded(
                f"the computation took longer than {self.limits.max_seconds:g} seconds.",
                hint="use a smaller network, a smaller window or fewer steps",
            ) from None
        except asyncio.CancelledError:
            self._do(self._recover(worker))
            raise
        except (asyncio.IncompleteReadError, ConnectionError):
            self._do(self._replace(worker))
            raise BudgetExceeded(
                "the computation ended its process; it may have needed more memory than a job may use.",
                hint="use a smaller network or window",
            ) from None
        self._idle.put_nowait(worker)
        return reply

    async def _recover(self, worker: Worker) -> None:
        """Bring a worker back from a job that nobody waits for."""
        worker.interrupt()
        try:
            async with asyncio.timeout(GRACE_S):
                await worker.read()
        except (TimeoutError, asyncio.IncompleteReadError, ConnectionError):
            await self._replace(worker)
        else:
            self._idle.put_nowait(worker)

    async def _replace(self, worker: Worker) -> None:
        worker.kill()
        self._all.discard(worker)
        await worker.process.wait()
        await self._hire_in_the_end()

    async def _hire_in_the_end(self) -> None:
        """One more worker, however often it takes: a pool that shrinks for good would serve nobody in the end."""
        pause = AGAIN_S
        while not self._closed:
            try:
                return await self._hire()
            except PlicaError as error:
                sys.stderr.write(f"plica explore: {error.message} It is tried again in {pause:g} s.\n")
            await asyncio.sleep(pause)
            pause = min(2 * pause, AGAIN_AT_MOST_S)

    async def _hire(self) -> None:
        if self._closed:
            return
        worker = await Worker.start(self.limits, self.folder)
        self._all.add(worker)
        self._idle.put_nowait(worker)

    def _do(self, work: object) -> None:
        task = asyncio.ensure_future(work)  # type: ignore[call-overload]
        self._chores.add(task)
        task.add_done_callback(self._chores.discard)
