"""What a worker does: one task, to an outcome that is plain text and bytes."""

from __future__ import annotations

import signal
import sys
import time
import traceback
from typing import Any

from plica.sweeps._canonical import printable
from plica.sweeps._errors import WorkerError
from plica.sweeps._record import Outcome
from plica.sweeps._sweep import Job, Task
from plica.sweeps._threads import limited_threads
from plica.sweeps._values import encode
from plica.sweeps._version import code_version

_here: dict[str, Any] = {}  # in a worker process: its job


def call(job: Job, task: Task) -> Outcome:
    """Run one task. Whatever it raises, short of an interrupt by the user, is its outcome."""
    start = time.perf_counter()
    try:
        with limited_threads(job.threads):
            values = job.function(**job.arguments(task))
        result, files = encode(values)
    except (Exception, SystemExit) as error:
        return failed(task.key, error, time.perf_counter() - start)
    return Outcome(task.key, "done", result, tuple(sorted(files.items())), seconds=time.perf_counter() - start)


def failed(key: str, error: BaseException, seconds: float = 0.0) -> Outcome:
    """The outcome of a task that raised ``error``."""
    trace = error.__traceback__
    if trace is not None and trace.tb_next is not None:
        trace = trace.tb_next  # the first line would be the one above
    text = "".join(traceback.format_exception(type(error), error, trace))
    message = "".join(traceback.format_exception_only(type(error), error)).strip()
    return Outcome(key, "failed", error=printable(message), traceback=printable(text), seconds=seconds)


def enter(job: Job) -> str:
    """Become a worker process; the version of the code that it has."""
    _here["job"] = job
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C reaches the whole group; the driver decides
    sys.stdout = sys.stderr  # stdout is the driver's, for results only
    return code_version(job.function, constants=False)


def call_here(task: Task) -> Outcome:
    """Run one task in a worker process."""
    return call(_here["job"], task)


def call_there(job: Job, task: Task) -> Outcome:
    """Run one task on a worker of a cluster, which may have another copy of the code."""
    if job.code and _here.get("code") != job.code:
        code = code_version(job.function, constants=False)
        if code != job.code:
            raise WorkerError(
                f"a worker of the cluster has other code ({code}) than the driver ({job.code}).",
                hint="bring the function's module and Plica to the same version on all machines, and restart the workers",
            )
        _here["code"] = code
    return call(job, task)
