"""Tiles as tasks of a Dask cluster: one started here, or one that runs somewhere."""

from __future__ import annotations

import logging
import os
import re
import signal
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import Any

from plica.errors import InvalidInput, MissingExtra, PlicaError

CONNECT_S = 10.0


class ClusterError(PlicaError):
    """A cluster that does not answer, or lost what it computed."""


@contextmanager
def connected(cluster: Any) -> Iterator[Any]:
    """A Dask client for ``"local"``, ``"local:4"``, an address, or a client that is used as it is and left open."""
    try:
        import distributed
    except ImportError:
        raise MissingExtra("Dask is not installed.", hint="pip install 'plica[cluster]'") from None
    if isinstance(cluster, distributed.Client):
        yield cluster
        return
    local = re.fullmatch(r"local(?::(\d+))?", str(cluster))
    if local is None and "://" not in str(cluster):
        raise InvalidInput(
            f"cluster={cluster!r} is no cluster.", hint='"local", "local:4" or an address such as "tcp://host:8786"'
        )
    n_workers = int(local.group(1) or os.cpu_count() or 1) if local else 0
    if local and n_workers < 1:
        raise InvalidInput("a local cluster needs a worker.", hint='for instance cluster="local:2"')
    with _local_cluster(n_workers) if local else _nothing(str(cluster)) as address:
        try:
            client = distributed.Client(address, timeout=CONNECT_S, set_as_default=False)
        except OSError as error:
            raise ClusterError(
                f"no Dask scheduler answers at {cluster}: {error}.",
                hint="start one with: dask scheduler, and dask worker ADDRESS",
            ) from None
        with client:
            yield client


@contextmanager
def _nothing(address: str) -> Iterator[str]:
    yield address


@contextmanager
def _local_cluster(n_workers: int) -> Iterator[Any]:
    import distributed

    cluster = distributed.LocalCluster(
        n_workers=n_workers, threads_per_worker=1, processes=True, host="127.0.0.1", dashboard_address=None,
        silence_logs=logging.CRITICAL,
    )  # fmt: skip
    try:
        yield cluster
    except BaseException:  # interrupted: do not wait for what the workers are doing
        for nanny in cluster.workers.values():
            nanny.auto_restart = False
            if nanny.pid:
                with suppress(ProcessLookupError):
                    os.kill(nanny.pid, signal.SIGKILL)
        raise
    finally:
        cluster.close()


def n_workers_of(client: Any) -> int:
    """How many tasks the cluster runs at a time."""
    return max(1, sum(client.nthreads().values()))


def run_tasks(
    client: Any, function: Callable[..., Any], tasks: Sequence[tuple[Any, ...]], *, meanwhile: Callable[[], Any]
) -> Iterator[tuple[int, Any]]:
    """Results with the number of their task, as they arrive. Dask runs the tasks of a worker that died elsewhere.

    ``meanwhile`` is called once when all tasks are on their way.
    """
    from distributed import as_completed
    from distributed.scheduler import KilledWorker

    futures = [client.submit(function, *task, pure=False) for task in tasks]
    number = {future.key: i for i, future in enumerate(futures)}
    try:
        meanwhile()
        for future in as_completed(futures, loop=client.loop):
            if future.status == "cancelled":
                raise ClusterError("the Dask cluster went away.", hint="start it again, and the computation with it")
            try:
                result = future.result()
            except KilledWorker:
                raise ClusterError(
                    "tiles were given up after their workers died.",
                    hint="they may need more memory than a worker has: use more tiles",
                ) from None
            i = number[future.key]
            future.release()
            yield i, result
    finally:
        with suppress(Exception):
            client.cancel(futures, force=True)
