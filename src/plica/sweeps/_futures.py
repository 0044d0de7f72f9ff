"""Tasks as futures of a Dask client: how many at once, what to do when a worker dies under them."""

from __future__ import annotations

import queue
import secrets
from collections.abc import Generator, Iterable
from typing import Any

from plica.sweeps._call import call_there, failed
from plica.sweeps._errors import WorkerError
from plica.sweeps._executors import TICK_S
from plica.sweeps._record import Outcome
from plica.sweeps._sweep import Job, Task

RESIZE_EVERY = 40
FETCH_S = 10.0
_GONE = "everything reported is stored; run again to resume"


def run_on(client: Any, job: Job, tasks: Iterable[Task]) -> Generator[Outcome | None, None, None]:
    """Outcomes of the tasks, in the order in which they arrive.

    When a worker dies, Dask runs its tasks elsewhere, and gives up those that were on four workers that died. It cannot tell
    which of a worker's tasks killed it, so those it gave up are run once more at the end, one at a time.
    """
    suspects: list[Task] = []
    yield from _run(client, job, tasks, suspects)
    for suspect in suspects:
        yield from _run(client, job, [suspect], None)


def _run(client: Any, job: Job, tasks: Iterable[Task], suspects: list[Task] | None) -> Generator[Outcome | None, None, None]:
    name = secrets.token_hex(4)  # another driver on the same cluster may run the same tasks
    waiting = iter(tasks)
    arrived: queue.SimpleQueue[Any] = queue.SimpleQueue()
    running: dict[str, tuple[Any, Task]] = {}
    room, n_arrived = _room(client), 0
    try:
        while True:
            while len(running) < room and (task := next(waiting, None)) is not None:
                future = client.submit(call_there, job, task, key=f"plica-{name}-{task.key}", pure=False)
                running[future.key] = (future, task)
                future.add_done_callback(arrived.put)
            if not running:
                return
            try:
                key = arrived.get(timeout=TICK_S).key
            except queue.Empty:
                room = _room(client)
                yield None
                continue
            if key not in running:  # told twice
                continue
            future, task = running[key]
            if suspects is not None and _is_suspect(future):
                del running[key]
                suspects.append(task)
                continue
            outcome = _outcome(future, task)
            if outcome is None:
                future.add_done_callback(arrived.put)
                continue
            del running[key]
            yield outcome
            n_arrived += 1
            if n_arrived % RESIZE_EVERY == 0:
                room = _room(client)
    finally:
        client.cancel([future for future, _ in running.values()], force=True)


def _outcome(future: Any, task: Task) -> Outcome | None:
    """The outcome of a finished task, or None if it was lost with its worker before it was fetched, and is run again."""
    if future.status == "finished":
        try:
            outcome: Outcome = future.result(timeout=FETCH_S)
            return outcome
        except TimeoutError:
            return None
        except Exception as error:  # it was lost, and running it again has failed; or it cannot be read
            if future.status == "finished":
                return failed(task.key, error)
    if future.status == "error":
        reason = future.exception()
        if isinstance(reason, WorkerError):
            raise reason
        return failed(task.key, reason)
    if future.status != "cancelled":
        return None
    raise WorkerError(f"the Dask cluster went away (a task was {future.status}).", hint=_GONE)


def _is_suspect(future: Any) -> bool:
    from distributed.scheduler import KilledWorker

    return future.status == "error" and isinstance(future.exception(), KilledWorker)


def _room(client: Any) -> int:
    """How many tasks to have under way: enough to keep the workers busy, few enough to lose little with the driver."""
    if client.status != "running":
        raise WorkerError("the Dask scheduler went away.", hint=_GONE)
    return max(8, 3 * sum(client.nthreads().values()))
