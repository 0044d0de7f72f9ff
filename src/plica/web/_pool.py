"""Worker processes: a few, each with one job at a time, interrupted when nobody waits for it any more.

A job that would have to wait too long is refused at once, and told when to come back: on a machine that has too much to do, a few
are answered soon with what they want now, instead of all late with what they wanted then.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import signal
import sys
import time
from dataclasses import asdict, dataclass
from pathlib import Path

from plica.errors import BudgetExceeded, PlicaError
from plica.web._limits import Limits

START_S = 900.0
"""A first start compiles the engine's kernels, on a machine that may have much else to do."""
AGAIN_S = 1.0
"""After so long a worker that did not start is tried again, then after twice as long, and so on."""
AGAIN_AT_MOST_S = 60.0
GRACE_S = 1.0
"""Processor time that an interrupted job may take to notice; a worker that gets none is not to blame."""
GRACE_AT_MOST_S = 30.0
LOOK_S = 0.2
"""Between two looks at the processor time of a worker."""
NEWS = 0.1
"""The weight of the last job in the mean of what jobs take."""


class Busy(PlicaError):
    """Too many jobs wait already.

    Attributes
    ----------
    retry_s
        When to come back, in seconds.
    """

    def __init__(self, message: str, *, hint: str = "", retry_s: float = 1.0) -> None:
        super().__init__(message, hint=hint)
        self.retry_s = retry_s


@dataclass
class Ticket:
    """Where a job is: it waits until a worker begins with it, unless its page would rather ask again for something newer."""

    has_begun: bool = False
    is_fleeting: bool = False


class Worker:
    """One process, spoken to over its pipes."""

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        self.process = process

    @staticmethod
    async def start(limits: Limits, folder: Path, *, is_thorough: bool = True) -> Worker:
        """Start a process; a thorough one has compiled, when it is ready, what only some pictures need."""
        one = {f"{name}_NUM_THREADS": "1" for name in ("OMP", "OPENBLAS", "MKL")}
        process = await asyncio.create_subprocess_exec(
            sys.executable, "-m", "plica.web._worker", json.dumps(asdict(limits)), str(folder), str(os.getpid()),
            "thorough" if is_thorough else "quick",
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

    def processor_s(self) -> float:
        """Processor time of the process so far; where the system does not say, the time of day, which passes too."""
        try:
            fields = Path(f"/proc/{self.process.pid}/stat").read_text(encoding="ascii").rsplit(")", 1)[1].split()
        except OSError:
            return time.monotonic()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def interrupt(self) -> None:
        with contextlib.suppress(ProcessLookupError):
            self.process.send_signal(signal.SIGINT)

    def kill(self) -> None:
        with contextlib.suppress(ProcessLookupError):
            self.process.kill()


class Pool:
    """The workers of a server.

    ``run`` waits for an idle worker, gives it a message and returns its reply. When the task that waits is cancelled, or the
    time of a job is over, the worker is interrupted; one that does not notice within a second of its own processor time is
    killed and replaced. ``pace_s`` is what jobs took lately.
    """

    def __init__(self, limits: Limits, folder: Path) -> None:
        self.limits, self.folder = limits, folder
        self.waiting = self.running = 0
        self.pace_s = 0.0
        self._idle: asyncio.Queue[Worker] = asyncio.Queue()
        self._all: set[Worker] = set()
        self._chores: set[asyncio.Task[None]] = set()
        self._closed = False

    async def start(self) -> None:
        """Start the workers, and return when the first one is ready; the others compile the rest meanwhile."""
        await self._hire(is_thorough=False)
        for _ in range(self.limits.n_workers - 1):
            self._do(self._hire_in_the_end())

    async def close(self) -> None:
        self._closed = True
        for chore in list(self._chores):
            chore.cancel()
        for worker in self._all:
            worker.kill()
        await asyncio.gather(*(worker.process.wait() for worker in self._all), *self._chores, return_exceptions=True)

    def wait_s(self) -> float:
        """How long the next job will wait, by what jobs took lately."""
        return self.waiting * self.pace_s / max(len(self._all), 1)

    def answer_s(self) -> float:
        """How long the next job will take with its wait, if all workers have something to do."""
        return self.wait_s() + self.pace_s * (1 + 1 / max(len(self._all), 1))

    async def run(self, message: bytes, ticket: Ticket | None = None) -> tuple[bytes, bytes]:
        """The reply of a worker to a message.

        Raises
        ------
        Busy
            Too many jobs wait, or it would wait too long behind others.
        BudgetExceeded
            The job took too long, or more memory than there is.
        """
        wait_s = self.wait_s()
        may_wait = 0 if ticket is not None and ticket.is_fleeting else self.limits.n_workers
        is_late = self._idle.empty() and self.waiting >= may_wait and self.answer_s() > self.limits.max_answer_s
        if is_late or self.waiting >= self.limits.max_queue:
            raise Busy(
                f"{self.waiting} computations wait already.",
                hint="try again in a moment",
                retry_s=max(0.5, 2 * wait_s, 4 * self.pace_s),
            )
        self.waiting += 1
        try:
            worker = await self._idle.get()
        finally:
            self.waiting -= 1
        self.running += 1
        began = time.monotonic()
        if ticket is not None:
            ticket.has_begun = True
        try:
            return await self._work(worker, message)
        finally:
            self.running -= 1
            self.pace_s += NEWS * (time.monotonic() - began - self.pace_s)

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
        reply = asyncio.ensure_future(worker.read())
        used_s, end = worker.processor_s() + GRACE_S, time.monotonic() + GRACE_AT_MOST_S
        try:
            while not reply.done() and worker.processor_s() < used_s and time.monotonic() < end:
                await asyncio.wait([reply], timeout=LOOK_S)
        finally:
            if not reply.done():
                reply.cancel()
        if reply.done() and not reply.cancelled() and reply.exception() is None:
            self._idle.put_nowait(worker)
        else:
            await self._replace(worker)

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

    async def _hire(self, *, is_thorough: bool = True) -> None:
        if self._closed:
            return
        worker = await Worker.start(self.limits, self.folder, is_thorough=is_thorough)
        self._all.add(worker)
        self._idle.put_nowait(worker)

    def _do(self, work: object) -> None:
        task = asyncio.ensure_future(work)  # type: ignore[call-overload]
        self._chores.add(task)
        task.add_done_callback(self._chores.discard)
