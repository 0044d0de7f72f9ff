"""Tasks on a Dask cluster: one started here, one that runs somewhere, or jobs of a batch system such as SLURM.

Dask decides where a task runs, and runs it again elsewhere when its worker dies. Results come back to the driver, which
alone writes the store, so workers need no shared folder.
"""

from __future__ import annotations

import re
from collections.abc import Generator, Iterable, Mapping
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from plica._cluster import ClusterError, connected, dask
from plica.errors import InvalidInput, MissingExtra
from plica.sweeps._errors import WorkerError
from plica.sweeps._executors import check_importable
from plica.sweeps._futures import run_on
from plica.sweeps._record import Outcome
from plica.sweeps._sweep import Job, Task

BATCH_SYSTEMS = {
    "slurm": "SLURMCluster", "pbs": "PBSCluster", "sge": "SGECluster", "lsf": "LSFCluster", "htcondor": "HTCondorCluster",
    "oar": "OARCluster", "moab": "MoabCluster",
}  # fmt: skip


@dataclass(frozen=True)
class DaskExecutor:
    """On a Dask cluster.

    Parameters
    ----------
    cluster
        ``"local"`` or ``"local:4"`` starts one on this machine; ``"tcp://host:8786"`` (or ``tls://``) joins one that runs; a dict
        such as ``{"system": "slurm", "jobs": 8, "queue": "short", "cores": 4, "memory": "8GB", "walltime": "02:00:00"}`` starts
        jobs through dask-jobqueue, to which everything but ``system`` and ``jobs`` is passed; a path names a TOML or JSON file
        with such a dict. A ``distributed.Client`` is used as it is, and left open.
    n_workers
        How many workers ``"local"`` has.
    """

    cluster: Any = "local"
    n_workers: int = 2
    options: dict[str, Any] = field(init=False, repr=False, default_factory=dict)

    def __post_init__(self) -> None:
        if self.n_workers < 1:
            raise InvalidInput(f"n_workers is {self.n_workers}.", hint="give 1 or more")
        kind = self.cluster
        if isinstance(kind, (str, Path)) and not re.fullmatch(r"local(:\d+)?|.*://.*", str(kind)):
            kind = _read_configuration(Path(kind))
        if isinstance(kind, Mapping):
            self.options.update(kind)
            system = self.options.get("system")
            if system not in BATCH_SYSTEMS:
                raise InvalidInput(f"the cluster's system is {system!r}.", hint=f"one of {', '.join(BATCH_SYSTEMS)}")

    def run(self, job: Job, tasks: Iterable[Task]) -> Generator[Outcome | None, None, None]:
        """Outcomes of the tasks."""
        if not _is_imported_there(job):
            job = replace(job, code="")
        with ExitStack() as stack:
            client = self._client(stack)
            yield from run_on(client, job, tasks)

    def _client(self, stack: ExitStack) -> Any:
        dask()
        cluster = stack.enter_context(_batch_cluster(self.options)) if self.options else self.cluster
        try:
            return stack.enter_context(connected(cluster, n_workers=self.n_workers))
        except ClusterError as error:
            raise WorkerError(error.message, hint=error.hint) from None


def _is_imported_there(job: Job) -> bool:
    """Whether workers import the function, from a copy that may differ, or are sent it."""
    try:
        check_importable(job.function)
    except InvalidInput:
        return False
    return getattr(job.function, "__module__", "") != "__main__"


def _batch_cluster(options: Mapping[str, Any]) -> Any:
    try:
        import dask_jobqueue
    except ImportError:
        raise MissingExtra("dask-jobqueue is not installed.", hint="pip install 'plica[cluster]'") from None
    rest = {name: value for name, value in options.items() if name not in ("system", "jobs")}
    try:
        cluster = getattr(dask_jobqueue, BATCH_SYSTEMS[options["system"]])(**rest)
    except (TypeError, ValueError) as error:
        raise InvalidInput(f"dask-jobqueue refuses the cluster's configuration: {error}", hint="see its documentation") from None
    cluster.scale(jobs=int(options.get("jobs", 1)))
    return cluster


def _read_configuration(path: Path) -> dict[str, Any]:
    import json
    import tomllib

    try:
        text = path.read_text(encoding="utf-8")
        found = json.loads(text) if path.suffix == ".json" else tomllib.loads(text)
    except OSError:
        raise InvalidInput(
            f"the cluster is {str(path)!r}, and there is no such file.",
            hint="give local, tcp://host:8786, or a TOML or JSON file with system = 'slurm' and the options of dask-jobqueue",
        ) from None
    except (ValueError, RecursionError) as error:
        raise InvalidInput(f"the cluster's configuration {path} cannot be read: {error}.", hint="write TOML or JSON") from None
    if not isinstance(found, dict):
        raise InvalidInput(f"the cluster's configuration {path} is not a table.", hint="for instance: system = 'slurm'")
    return found
