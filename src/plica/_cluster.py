"""Dask clusters: one started on this machine, one that runs somewhere, or a client that is there already."""

from __future__ import annotations

import logging
import os
import re
import signal
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from typing import Any

from plica._passing import passing_folder
from plica.errors import InvalidInput, MissingExtra, PlicaError

CONNECT_S = 10.0


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
        ``"tcp://host:8786"`` or a cluster object of Dask is joined; a ``distributed.Client`` is used as it is, and left open.
    n_workers
        How many workers ``"local"`` has; one for each core if nothing is said.
    """
    distributed = dask()
    if isinstance(cluster, distributed.Client):
        yield cluster
        return
    with ExitStack() as stack:
        address = stack.enter_context(local_cluster(_n_local(cluster, n_workers))) if _is_local(cluster) else cluster
        if not ("://" in address if isinstance(address, str) else hasattr(address, "scheduler_address")):
            raise InvalidInput(
                f"cluster={cluster!r} is no cluster.", hint='"local", "local:4" or an address such as "tcp://host:8786"'
            )
        try:
            client = distributed.Client(address, timeout=CONNECT_S, set_as_default=False)
        except OSError as error:
            raise ClusterError(
                f"no Dask scheduler answers at {cluster}: {error}.",
                hint="start one with: dask scheduler, and dask worker ADDRESS",
            ) from None
        yield stack.enter_context(client)


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
