"""Tiles as tasks of a Dask cluster."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from typing import Any

from plica._cluster import ClusterError

WAIT_S = 0.02  # between two looks at the clock and for what has arrived


def n_workers_of(client: Any) -> int:
    """How many tasks the cluster runs at a time."""
    return max(1, sum(client.nthreads().values()))


def run_tasks(
    client: Any,
    function: Callable[..., Any],
    tasks: Sequence[tuple[Any, ...]],
    *,
    meanwhile: Callable[[], Any],
    tick: Callable[[], None],
) -> Iterator[tuple[int, Any]]:
    """Results with the number of their task, as they arrive. Dask runs the tasks of a worker that died elsewhere.

    ``meanwhile`` is called once when all tasks are on their way, ``tick`` again and again while there is nothing to do.
    """
    from distributed import as_completed

    futures = [client.submit(function, *task, pure=False) for task in tasks]
    number = {future.key: i for i, future in enumerate(futures)}
    try:
        meanwhile()
        finished = as_completed(futures, loop=client.loop)
        while not finished.is_empty():
            tick()
            if not finished.has_ready():
                time.sleep(WAIT_S)
                continue
            future = next(finished)
            yield number[future.key], _result(future)
            future.release()
    finally:
        with suppress(Exception):
            client.cancel(futures, force=True)


def _result(future: Any) -> Any:
    from distributed.scheduler import KilledWorker

    if future.status == "cancelled":
        raise ClusterError("the Dask cluster went away.", hint="start it again, and the computation with it")
    try:
        return future.result()
    except KilledWorker:
        raise ClusterError(
            "tiles were given up after their workers died.",
            hint="they may need more memory than a worker has: use more tiles",
        ) from None
