"""Tasks on a Dask cluster: one started here, one that runs somewhere, or jobs of a batch system such as SLURM.

Dask decides where a task runs, and runs it again elsewhere when its worker dies. Results come back to the driver, which
alone writes the store, so workers need no shared folder.
"""

from __future__ import annotations

from collections.abc import Generator, Iterable
from contextlib import ExitStack
from dataclasses import dataclass, replace
from typing import Any

from plica._batch import configuration
from plica._cluster import ClusterError, connected, dask, is_configured
from plica.errors import InvalidInput
from plica.sweeps._errors import WorkerError
from plica.sweeps._executors import check_importable
from plica.sweeps._futures import run_on
from plica.sweeps._record import Outcome
from plica.sweeps._sweep import Job, Task


@dataclass(frozen=True)
class DaskExecutor:
    """On a Dask cluster.

    Parameters
    ----------
    cluster
        ``"local"``, ``"local:4"``, ``"tcp://host:8786"``, the options of a batch system or the path of a file with them, a
        ``distributed.Client``: what every function takes that computes on a cluster.
    n_workers
        How many workers ``"local"`` has.
    """

    cluster: Any = "local"
    n_workers: int = 2

    def __post_init__(self) -> None:
        if self.n_workers < 1:
            raise InvalidInput(f"n_workers is {self.n_workers}.", hint="give 1 or more")
        if is_configured(self.cluster):
            configuration(self.cluster)  # complains before anything else is done

    def run(self, job: Job, tasks: Iterable[Task]) -> Generator[Outcome | None, None, None]:
        """Outcomes of the tasks."""
        if not _is_imported_there(job):
            job = replace(job, code="")
        with ExitStack() as stack:
            client = self._client(stack)
            yield from run_on(client, job, tasks)

    def _client(self, stack: ExitStack) -> Any:
        dask()
        try:
            return stack.enter_context(connected(self.cluster, n_workers=self.n_workers))
        except ClusterError as error:
            raise WorkerError(error.message, hint=error.hint) from None


def _is_imported_there(job: Job) -> bool:
    """Whether workers import the function, from a copy that may differ, or are sent it."""
    try:
        check_importable(job.function)
    except InvalidInput:
        return False
    return getattr(job.function, "__module__", "") != "__main__"
