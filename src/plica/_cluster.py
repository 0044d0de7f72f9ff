"""Dask clusters: one started here, one that runs somewhere, jobs of a batch system, a client that is there; tasks on them."""

from __future__ import annotations

import logging
import os
import re
import signal
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import Any

from plica._batch import batch_cluster, configuration
from plica._passing import passing_folder
from plica.errors import InvalidInput, MissingExtra, PlicaError

CONNECT_S = 10.0
WAIT_S = 0.02  # between two looks at the clock and for what has arrived


class ClusterError(PlicaError):
    """A cluster that does not answer, or lost what it computed."""


def dask() -> Any:
    """The package ``distributed``, or an error that says how to install it."""
    try:
        import distributed
    except ImportError:
        raise MissingExtra("Dask is not installed.", hint="pip install 'plica[cluster]'") from None
    return distributed


@contextmanager
def connected(cluster: Any, *, n_workers: int | None = None) -> Iterator[Any]:
    """A Dask client for a cluster.

    Parameters
    ----------
    cluster
        ``"local"`` or ``"local:4"`` starts workers on this machine, which end with the context; an address such as
        ``"tcp://host:8786"`` (or ``tls://``) or a cluster object of Dask is joined; options such as ``{"system": "slurm",
        "jobs": 8, "cores": 4, "memory": "8GB"}``, or the path of a TOML or JSON file with them, start jobs through
        dask-jobqueue; a ``distributed.Client`` is used as it is, and left open.
    n_workers
        How many workers ``"local"`` has; one for each core if nothing is said.
    """
    distributed = dask()
    if isinstance(cluster, distributed.Client):
        yield cluster
        return
    with ExitStack() as stack:
        if _is_local(cluster):
            address = stack.enter_context(local_cluster(_n_local(cluster, n_workers)))
        elif is_configured(cluster):
            address = stack.enter_context(batch_cluster(configuration(cluster)))
        elif isinstance(cluster, str) or hasattr(cluster, "scheduler_address"):
            address = cluster
        else:
            raise InvalidInput(f"cluster={cluster!r} is no cluster.", hint='"local", "local:4", an address or a file')
        try:
            client = distributed.Client(address, timeout=CONNECT_S, set_as_default=False)
        except OSError as error:
            raise ClusterError(
                f"no Dask scheduler answers at {cluster}: {error}.",
                hint="start one with: dask scheduler, and dask worker ADDRESS",
            ) from None
        yield stack.enter_context(client)


def is_configured(cluster: Any) -> bool:
    """Whether a batch system is asked for: by its options, or by the path of a file that has them."""
    if isinstance(cluster, str):
        return "://" not in cluster and not _is_local(cluster)
    return isinstance(cluster, (Mapping, Path))


def _is_local(cluster: Any) -> bool:
    return isinstance(cluster, str) and re.fullmatch(r"local(:\d+)?", cluster) is not None


def _n_local(cluster: str, n_workers: int | None) -> int:
    """The number of workers in ``"local:4"``."""
    _, _, number = cluster.partition(":")
    count = int(number) if number else n_workers or os.cpu_count() or 1
    if count < 1:
        raise InvalidInput("a local cluster needs a worker.", hint='for instance cluster="local:2"')
    return count


@contextmanager
def local_cluster(n_workers: int) -> Iterator[Any]:
    """Worker processes on this machine, one thread in each; after an error they are killed, not waited for."""
    distributed = dask()
    from dask import config

    with passing_folder() as folder, config.set({"temporary-directory": str(folder)}):
        cluster = distributed.LocalCluster(
            n_workers=n_workers, threads_per_worker=1, processes=True, host="127.0.0.1", dashboard_address=None,
            silence_logs=logging.CRITICAL, preload="from plica._parent import watch_parent; watch_parent()",
        )  # fmt: skip
        try:
            yield cluster
        except BaseException:  # interrupted: do not wait for what the workers are doing
            for nanny in cluster.workers.values():
                nanny.auto_restart = False
                if nanny.pid:
                    with suppress(ProcessLookupError):
                        os.kill(nanny.pid, getattr(signal, "SIGKILL", signal.SIGTERM))
            raise
        finally:
            cluster.close()


def n_workers_of(client: Any) -> int:
    """How many tasks the cluster runs at a time."""
    return max(1, sum(client.nthreads().values()))


def run_tasks(
    client: Any,
    function: Callable[..., Any],
    tasks: Sequence[tuple[Any, ...]],
    *,
    meanwhile: Callable[[], Any] = lambda: None,
    tick: Callable[[], None] = lambda: None,
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
            "tasks were given up after their workers died.",
            hint="they may need more memory than a worker has: give workers more, or ask for less at once",
        ) from None
