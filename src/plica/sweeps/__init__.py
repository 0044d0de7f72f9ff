"""Many tasks: a function, a grid of parameters and seeds, a store that survives, and the machines to run it on.

    sweep = Sweep(function, grid={"depth": [1, 2], "width": [8, 16]}, seeds=range(10))
    table = run(sweep, store="sweep.db", n_workers=4, progress=True)

The same table comes out, byte for byte, of any number of workers, in any order, interrupted or not.
"""

from plica.sweeps._canonical import printable
from plica.sweeps._dask import DaskExecutor
from plica.sweeps._errors import StoreError, WorkerError
from plica.sweeps._executors import Executor, ProcessExecutor, SerialExecutor
from plica.sweeps._progress import Progress
from plica.sweeps._record import Experiment, Outcome
from plica.sweeps._run import run, table_of
from plica.sweeps._store import Store
from plica.sweeps._sweep import Job, Sweep, Task
from plica.sweeps._table import Row, Summary, Table
from plica.sweeps._verify import Integrity, Verification, check_store, verify

__all__ = [
    "DaskExecutor",
    "Executor",
    "Experiment",
    "Integrity",
    "Job",
    "Outcome",
    "ProcessExecutor",
    "Progress",
    "Row",
    "SerialExecutor",
    "Store",
    "StoreError",
    "Summary",
    "Sweep",
    "Table",
    "Task",
    "Verification",
    "WorkerError",
    "check_store",
    "printable",
    "run",
    "table_of",
    "verify",
]
