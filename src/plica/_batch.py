"""Clusters that a batch system such as SLURM starts, from a configuration that a person writes once.

For instance a file ``cluster.toml``, to be given wherever a cluster is asked for::

    system = "slurm"
    jobs = 8
    queue = "short"
    cores = 4
    memory = "8GB"
    walltime = "02:00:00"
"""

from __future__ import annotations

import json
import signal
import sys
import threading
import tomllib
from collections.abc import Mapping
from pathlib import Path
from types import ModuleType
from typing import Any

from plica.errors import InvalidInput, MissingExtra

BATCH_SYSTEMS = {
    "slurm": "SLURMCluster", "pbs": "PBSCluster", "sge": "SGECluster", "lsf": "LSFCluster", "htcondor": "HTCondorCluster",
    "oar": "OARCluster", "moab": "MoabCluster",
}  # fmt: skip


def configuration(cluster: str | Path | Mapping[str, Any]) -> dict[str, Any]:
    """The options of a batch system: those given, or those in a TOML or JSON file.

    Examples
    --------
    >>> configuration({"system": "slurm", "jobs": 8})
    {'system': 'slurm', 'jobs': 8}
    """
    options = dict(cluster) if isinstance(cluster, Mapping) else _read(Path(cluster))
    if options.get("system") not in BATCH_SYSTEMS:
        raise InvalidInput(f"the cluster's system is {options.get('system')!r}.", hint=f"one of {', '.join(BATCH_SYSTEMS)}")
    jobs = options.get("jobs", 1)
    if not isinstance(jobs, int) or jobs < 1:
        raise InvalidInput(f"the cluster has jobs = {jobs!r}.", hint="how many jobs to ask for, 1 or more")
    return options


def batch_cluster(options: Mapping[str, Any]) -> Any:
    """A cluster of Dask whose workers are jobs; everything but ``system`` and ``jobs`` is passed to dask-jobqueue."""
    dask_jobqueue = _jobqueue()
    rest = {name: value for name, value in options.items() if name not in ("system", "jobs")}
    try:
        cluster = getattr(dask_jobqueue, BATCH_SYSTEMS[options["system"]])(**rest)
    except (TypeError, ValueError) as error:
        raise InvalidInput(f"dask-jobqueue refuses the cluster's configuration: {error}", hint="see its documentation") from None
    cluster.scale(jobs=int(options.get("jobs", 1)))
    return cluster


def _jobqueue() -> ModuleType:
    """dask-jobqueue; Ctrl-C does afterwards what it did before, where the import alone makes it end the program in silence."""
    if threading.current_thread() is not threading.main_thread() and "dask_jobqueue" not in sys.modules:
        raise InvalidInput("jobs of a batch system are asked for in a thread.", hint="import dask_jobqueue in the main one")
    handler = signal.getsignal(signal.SIGINT)
    try:
        import dask_jobqueue
    except ImportError:
        raise MissingExtra("dask-jobqueue is not installed.", hint="pip install 'plica[cluster]'") from None
    finally:
        if handler is not None and signal.getsignal(signal.SIGINT) is not handler:
            signal.signal(signal.SIGINT, handler)
    return dask_jobqueue


def _read(path: Path) -> dict[str, Any]:
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
