"""Running a sweep: compute what the store lacks, store it, report it."""

from __future__ import annotations

import dataclasses
import json
import random
import time
from collections.abc import Iterable, Iterator
from contextlib import ExitStack, closing
from pathlib import Path
from typing import Any

from plica.errors import InvalidInput
from plica.sweeps._environment import environment, now
from plica.sweeps._errors import StoreError
from plica.sweeps._executors import Executor, ProcessExecutor, SerialExecutor, check_importable
from plica.sweeps._progress import Meter, Report, reporting
from plica.sweeps._record import Experiment, Record
from plica.sweeps._store import Store
from plica.sweeps._sweep import Job, Sweep, Task
from plica.sweeps._table import Row, Table, sorted_rows
from plica.sweeps._values import Values
from plica.sweeps._version import code_version


def run(
    sweep: Sweep,
    *,
    store: str | Path | Store = "sweep.db",
    executor: str | Executor | None = None,
    n_workers: int = 1,
    cluster: Any = None,
    progress: bool | Report | None = None,
    threads: int | None = 1,
) -> Table:
    """Run what is missing of a sweep, and return the whole table.

    Parameters
    ----------
    sweep
        What to run.
    store
        Where results are kept. Tasks that are done there are not run again; tasks that failed are. Interrupt, kill or
        lose the machine, then run again: the table is the same, byte for byte, as that of an undisturbed run.
    executor
        ``"serial"``, ``"processes"``, ``"dask"``, or an object with their ``run`` method. Unless given: ``"dask"`` with a
        cluster, ``"processes"`` with more than one worker, else ``"serial"``.
    n_workers
        How many processes, or workers of a local cluster.
    cluster
        ``"local"``, ``"tcp://host:8786"``, or the configuration of a batch system; see ``DaskExecutor``.
    progress
        True for a display on stderr, or a function that is given a ``Progress`` after each commit.
    threads
        Threads of BLAS, OpenMP and torch for each task, in every executor; None leaves them alone.

    Returns
    -------
    Table
        The results of exactly this sweep's tasks, failed ones included.

    Notes
    -----
    ``KeyboardInterrupt`` passes through after everything finished is stored. In this process a task is interrupted as soon
    as Python gets control back from compiled code; in other processes at once.

    Examples
    --------
    >>> import tempfile
    >>> def walk(n_steps, rng):
    ...     return {"end": int(rng.choice([-1, 1], n_steps).sum())}
    >>> sweep = Sweep(walk, grid={"n_steps": [10, 1000]}, seeds=range(20))
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     table = run(sweep, store=folder + "/sweep.db")
    ...     again = run(sweep, store=folder + "/sweep.db")
    >>> table, again.n_earlier, again.to_json() == table.to_json()
    (Table('walk', 40 done, 0 failed), 40, True)
    """
    start = time.monotonic()
    chosen = _executor(executor, n_workers, cluster)
    with ExitStack() as stack:
        place = store if isinstance(store, Store) else stack.enter_context(Store(store))
        if place.is_read_only:
            raise StoreError(f"the store {place.path} was opened to read.", hint="open it with Store(path)")
        experiment = Experiment(sweep.name, sweep.root_seed, sweep.code)
        tasks = {task.key: task for task in sweep.tasks()}
        done, n_damaged = _already_done(place, experiment, tasks)
        missing = _ordered((task for key, task in tasks.items() if key not in done), alone=place.was_alone)
        if missing:
            meter = Meter(len(tasks), len(done))
            with reporting(progress, n_tasks=len(tasks)) as report:
                _compute(_job(sweep, threads), experiment, missing, place, chosen, meter, report)
        table = table_of(place, experiment, keys=set(tasks))
        if len(table) < len(tasks):
            raise StoreError(
                f"{len(tasks) - len(table)} of {len(tasks)} tasks have no intact row in the store {place.path}.",
                hint="rows were damaged after they were written: check the disk, and run again",
            )
    return dataclasses.replace(table, n_earlier=len(done), n_damaged=n_damaged, seconds=time.monotonic() - start)


def _executor(executor: str | Executor | None, n_workers: int, cluster: Any) -> Executor:
    if executor is None:
        executor = "dask" if cluster is not None else "processes" if n_workers > 1 else "serial"
    if not isinstance(executor, str):
        return executor
    if cluster is not None and executor != "dask":
        raise InvalidInput(f"a cluster was given for executor {executor!r}.", hint="leave out the executor, or say 'dask'")
    if executor == "serial":
        return SerialExecutor()
    if executor == "processes":
        return ProcessExecutor(n_workers)
    if executor == "dask":
        from plica.sweeps._dask import DaskExecutor

        return DaskExecutor("local" if cluster is None else cluster, n_workers)
    raise InvalidInput(
        f"executor is {executor!r}.", hint="one of 'serial', 'processes', 'dask', or an object with their run method"
    )


def _job(sweep: Sweep, threads: int | None) -> Job:
    job = sweep.job(threads=threads)
    return dataclasses.replace(job, code=code_version(job.function, constants=False))


def _already_done(store: Store, experiment: Experiment, tasks: dict[str, Task]) -> tuple[set[str], int]:
    """The keys of tasks that need no work. Damaged rows are removed, so that they do."""
    intact, damaged = store.load(experiment, check_files=True)
    store.forget(damaged)
    return {record.key for record in intact if record.status == "done" and record.key in tasks}, len(damaged)


def _ordered(tasks: Iterable[Task], *, alone: bool) -> list[Task]:
    """By digest: an order that is random with respect to the parameters. Beside another process, another random order."""
    ordered = sorted(tasks, key=lambda task: task.key)
    if not alone:
        random.SystemRandom().shuffle(ordered)
    return ordered


def _compute(
    job: Job, experiment: Experiment, tasks: list[Task], store: Store, executor: Executor, meter: Meter, report: Report
) -> None:
    number = store.begin_run(experiment, function=_told(job.function), started=now(), environment=environment(job.function))
    by_key = {task.key: task for task in tasks}

    def not_yet_done() -> Iterator[Task]:
        for task in tasks:
            if store.is_shared() and store.has(task.key, experiment.code):
                meter.n_earlier += 1
            else:
                yield task

    report(meter.update([]))
    try:
        with closing(executor.run(job, not_yet_done())) as outcomes:
            for outcome in outcomes:
                if outcome is not None:
                    store.add(experiment, by_key[outcome.key], outcome, run=number)
                if store.is_due() or outcome is None:
                    report(meter.update(store.flush()))
        report(meter.update(store.flush()))
    except StoreError as error:
        store.abandon()
        n_stored = meter.n_earlier + meter.n_done
        raise StoreError(f"{error.message} {n_stored} of {meter.n_tasks} tasks are stored.", hint=error.hint) from error
    except BaseException:
        store.flush()
        raise


def _told(function: Any) -> str:
    """The function's full name, for people."""
    try:
        check_importable(function)
    except InvalidInput:
        return f"{getattr(function, '__qualname__', type(function).__qualname__)} (not importable)"
    while hasattr(function, "func"):
        function = function.func
    return f"{function.__module__}:{getattr(function, '__qualname__', type(function).__qualname__)}"


def table_of(store: Store, experiment: Experiment, *, keys: set[str] | None = None) -> Table:
    """The table of an experiment in a store, as it stands; damaged rows are left out and counted."""
    intact, damaged = store.load(experiment)
    rows = [_row(record, store) for record in intact if keys is None or record.key in keys]
    return Table(experiment, sorted_rows(rows), n_damaged=len(damaged))


def _row(record: Record, store: Store) -> Row:
    values = Values(record.result, store.read_array)
    parameters = json.loads(record.parameters)
    return Row(parameters, record.seed, values, record.status, record.error, record.traceback, record.seconds)
