"""Whether a store is still what was written, and whether its results come out again."""

from __future__ import annotations

import math
import random
from dataclasses import dataclass
from pathlib import Path

from plica.errors import InvalidInput
from plica.sweeps._call import call
from plica.sweeps._errors import StoreError
from plica.sweeps._record import Experiment, Record
from plica.sweeps._salvage import is_damaged
from plica.sweeps._store import Store
from plica.sweeps._sweep import Sweep


@dataclass(frozen=True)
class Integrity:
    """What a look at every byte of a store found."""

    n_rows: int
    n_damaged_rows: int
    n_damaged_arrays: int
    is_file_consistent: bool

    @property
    def is_intact(self) -> bool:
        """Whether nothing is damaged."""
        return self.is_file_consistent and not self.n_damaged_rows and not self.n_damaged_arrays


@dataclass(frozen=True)
class Difference:
    """A row that does not come out again."""

    parameters: str
    seed: int
    stored: str
    recomputed: str


@dataclass(frozen=True)
class Verification:
    """A random part of a store's rows, computed again and compared bit for bit."""

    n_rows: int
    n_checked: int
    differences: tuple[Difference, ...]

    @property
    def holds(self) -> bool:
        """Whether every row that was computed again is equal to the stored one."""
        return not self.differences


def check_store(path: str | Path) -> Integrity:
    """Check every row of a store against its checksum and every array against its digest. Runs none of its functions."""
    with Store(path, read_only=True) as store:
        if is_damaged(store._connection):
            return Integrity(0, 0, 0, is_file_consistent=False)
        intact, damaged = store.load(None)
        names = {name for record in intact for name in record.files.split()}
        n_arrays = sum(not store.arrays.is_intact(name) for name in names)
    return Integrity(len(intact) + len(damaged), len(damaged), n_arrays, is_file_consistent=True)


def verify(sweep: Sweep, *, store: str | Path = "sweep.db", fraction: float = 0.05, seed: int | None = None) -> Verification:
    """Compute a random part of a sweep's stored rows again, in this process, and compare.

    Parameters
    ----------
    sweep
        The sweep; its code must be the version that the store holds.
    store
        The store's path.
    fraction
        Which part of the rows, rounded up.
    seed
        Which rows; different ones each time unless given.
    """
    if not 0 < fraction <= 1:
        raise InvalidInput(f"fraction is {fraction}.", hint="give a number above 0, up to 1")
    with Store(store, read_only=True) as place:
        intact, _ = place.load(Experiment(sweep.name, sweep.root_seed, sweep.code))
        if not intact:
            raise StoreError(
                f"the store {place.path} has no results of {sweep.name!r} with this version of its code ({sweep.code}).",
                hint="plica sweep show lists what it has; the code may have changed since",
            )
    tasks = {task.key: task for task in sweep.tasks()}
    rows = sorted((record for record in intact if record.status == "done" and record.key in tasks), key=lambda r: r.key)
    chosen = random.Random(seed).sample(rows, math.ceil(fraction * len(rows)))  # noqa: S311 (which rows, not a secret)
    job = sweep.job()
    found = []
    for record in chosen:
        again = call(job, tasks[record.key])
        if not _agree(record, again.result, again.status):
            found.append(Difference(record.parameters, record.seed, record.result, again.error or again.result))
    return Verification(len(rows), len(chosen), tuple(found))


def _agree(record: Record, result: str, status: str) -> bool:
    return status == "done" and result == record.result
