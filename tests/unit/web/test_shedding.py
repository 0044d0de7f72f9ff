"""A pool that has too much to do: who waits, who is told to come back, and which workers are given up."""

import asyncio

import pytest

from plica.web import _pool
from plica.web._limits import Limits
from plica.web._pool import Busy, Pool, Ticket


class Slow:
    """A worker that answers when it is told to; ``used_s`` stands for its processor time."""

    def __init__(self, used_s=0.0):
        self.given, self.answers = [], asyncio.Queue()
        self.used_s, self.is_interrupted, self.is_killed = used_s, False, False

    async def write(self, message):
        self.given.append(message)

    async def read(self):
        return await self.answers.get(), b""

    def processor_s(self):
        return self.used_s

    def interrupt(self):
        self.is_interrupted = True

    def kill(self):
        self.is_killed = True


def pool_of(*workers, **limits):
    pool = Pool(Limits(n_workers=len(workers), **limits), None)
    for worker in workers:
        pool._all.add(worker)
        pool._idle.put_nowait(worker)
    return pool


async def begun(n):
    """Let so many tasks come to where they wait."""
    for _ in range(5 * n):
        await asyncio.sleep(0)


def ask(pool, n, is_fleeting=False):
    return [asyncio.ensure_future(pool.run(b"%d" % i, Ticket(is_fleeting=is_fleeting))) for i in range(n)]


def test_jobs_wait_while_they_are_short():
    async def main():
        worker = Slow()
        pool = pool_of(worker, max_answer_s=1.0, max_queue=30)
        pool.pace_s = 0.01
        tasks = ask(pool, 31)
        await begun(31)
        assert (pool.running, pool.waiting) == (1, 30)
        with pytest.raises(Busy, match="30 computations wait"):
            await pool.run(b"one too many")
        for _ in tasks:
            worker.answers.put_nowait(b"done")
        assert [reply for reply, _ in await asyncio.gather(*tasks)] == [b"done"] * 31
        assert worker.given == [b"%d" % i for i in range(31)]  # first come, first served

    asyncio.run(main())


def test_a_job_that_would_wait_too_long_is_told_when_to_come_back():
    async def main():
        workers = Slow(), Slow()
        pool = pool_of(*workers, max_answer_s=0.25)
        pool.pace_s = 1.0
        tasks = ask(pool, 4)  # two run; as many as there are workers may wait, however long
        await begun(4)
        assert (pool.running, pool.waiting) == (2, 2)
        assert (pool.wait_s(), pool.answer_s()) == (1.0, 2.5)  # two jobs of a second for two workers, what runs, and its own
        with pytest.raises(Busy) as caught:
            await pool.run(b"late")
        assert caught.value.retry_s == 4.0
        for worker in workers:
            for _ in range(2):
                worker.answers.put_nowait(b"done")
        await asyncio.gather(*tasks)
        for worker in workers:
            worker.answers.put_nowait(b"done")
        assert (await pool.run(b"again"))[0] == b"done"

    asyncio.run(main())


@pytest.mark.parametrize(("n_workers", "pace_s", "n_waiting"), [(1, 0.1, 4), (2, 0.1, 8), (4, 0.1, 16), (2, 0.3, 1), (2, 0.4, 0)])
def test_as_many_pictures_wait_as_are_made_in_time(n_workers, pace_s, n_waiting):
    """The last one waits for those before it, for what runs and for itself: 0.5 s in all."""

    async def main():
        workers = [Slow() for _ in range(n_workers)]
        pool = pool_of(*workers, max_answer_s=0.501)
        pool.pace_s = pace_s
        tasks = ask(pool, n_workers + 20, is_fleeting=True)
        await begun(n_workers + 20)
        assert (pool.running, pool.waiting) == (n_workers, n_waiting)
        pool.pace_s = 0.0
        for worker in workers:
            for _ in range(20):
                worker.answers.put_nowait(b"done")
        answers = await asyncio.gather(*tasks, return_exceptions=True)
        assert sum(isinstance(answer, Busy) for answer in answers) == 20 - n_waiting

    asyncio.run(main())


def test_a_worker_that_is_not_ready_yet_does_not_count():
    async def main():
        worker = Slow()
        pool = pool_of(worker, max_answer_s=0.35)
        pool.limits = Limits(n_workers=2, max_answer_s=0.35)
        pool.pace_s = 0.15
        tasks = ask(pool, 3, is_fleeting=True)
        await begun(3)
        assert (pool.running, pool.waiting) == (1, 1)
        for _ in range(2):
            worker.answers.put_nowait(b"done")
        with pytest.raises(Busy):
            await tasks[2]
        await asyncio.gather(*tasks[:2])

    asyncio.run(main())


def test_the_pace_follows_what_jobs_take(monkeypatch):
    async def main():
        now, worker = [100.0], Slow()
        pool = pool_of(worker)
        monkeypatch.setattr(_pool.time, "monotonic", lambda: now[0])
        for _ in range(60):
            task = asyncio.ensure_future(pool.run(b"job"))
            await begun(1)
            now[0] += 2.0
            worker.answers.put_nowait(b"done")
            await task
        assert pool.pace_s == pytest.approx(2.0, rel=0.01)

    asyncio.run(main())


def test_a_ticket_says_whether_a_worker_has_begun():
    async def main():
        worker = Slow()
        pool, tickets = pool_of(worker), [Ticket(), Ticket()]
        tasks = [asyncio.ensure_future(pool.run(b"job", ticket)) for ticket in tickets]
        await begun(2)
        assert [ticket.has_begun for ticket in tickets] == [True, False]
        for _ in tasks:
            worker.answers.put_nowait(b"done")
        await asyncio.gather(*tasks)
        assert all(ticket.has_begun for ticket in tickets)

    asyncio.run(main())


@pytest.mark.parametrize("used_s", [0.0, 0.9, 5.0])
def test_a_worker_without_processor_time_is_not_given_up(monkeypatch, used_s):
    """It is waited for as long as it has not had its second; one that had it and did not stop is replaced."""
    monkeypatch.setattr(_pool, "LOOK_S", 0.001)

    async def main():
        worker, replaced = Slow(), []
        pool = pool_of(worker)

        async def replace(worker):
            replaced.append(worker)

        monkeypatch.setattr(pool, "_replace", replace)
        task = asyncio.ensure_future(pool.run(b"job"))
        await begun(1)
        task.cancel()
        await begun(1)
        assert worker.is_interrupted
        worker.used_s += used_s
        await asyncio.sleep(0.05)  # many looks at it
        if used_s > _pool.GRACE_S:
            assert replaced == [worker]
        else:
            assert not replaced and pool._idle.empty()
            worker.answers.put_nowait(b"stopped")
            assert await pool._idle.get() is worker

    asyncio.run(main())
