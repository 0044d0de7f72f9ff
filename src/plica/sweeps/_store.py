"""The store: an SQLite file with one row for each task, and a folder of larger arrays beside it.

A row is committed after the arrays it names are safely on disk, and a task is reported after its row is committed. Rows are
committed together: a commit waits until it costs less than a twentieth of the time since the last one, and half a second at
most (a thread sees to that). ``kill -9`` can therefore lose the tasks that were running and those that finished within the
last half second, none of which had been reported. WAL mode with ``synchronous=FULL`` keeps the file consistent; killing a
process is not power loss, against which it is as safe as the disk's own promise to flush.
"""

from __future__ import annotations

import functools
import json
import sqlite3
import threading
import time
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import Any

from plica.sweeps._arrays import ArrayFiles
from plica.sweeps._errors import StoreError, told_plainly
from plica.sweeps._lock import StoreLock
from plica.sweeps._record import INSERT_DONE, INSERT_FAILED, SCHEMA, SELECT, Experiment, Outcome, Record
from plica.sweeps._salvage import DAMAGE, is_damaged, salvage
from plica.sweeps._sweep import Task

VERSION = 1
BUSY_S = 30.0
COMMIT_AT_LEAST_EVERY_S = 0.5
COMMIT_SHARE = 0.05
COMMIT_BYTES = 1 << 26


class Store:
    """A crash-safe table of results.

    Parameters
    ----------
    path
        The SQLite file; created with its folder if it is not there. Arrays go to the folder ``<path>.files``. Not on a
        network file system: SQLite's locks are not reliable there. Workers do not need to see it.
    read_only
        Look without touching anything, also in a folder that cannot be written.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder, Store(folder + "/sweep.db") as store:
    ...     print(store)
    Store('sweep.db', 0 rows)
    """

    def __init__(self, path: str | Path, *, read_only: bool = False) -> None:
        self.path = Path(path)
        self.is_read_only = read_only
        self.arrays = ArrayFiles(self.path.with_name(self.path.name + ".files"))
        self.was_alone = False
        self.repaired: Path | None = None
        self._waiting: list[tuple[Record, tuple[tuple[str, bytes], ...]]] = []
        self._waiting_bytes = 0
        self._unreported: list[Record] = []
        self._guard = threading.RLock()
        self._closed = threading.Event()
        self._clock: threading.Thread | None = None
        self._last_commit = time.monotonic()
        self._commit_s = 0.0
        self._lock: StoreLock | None = None
        with told_plainly(self.path):
            self._connection = self._opened_to_read() if read_only else self._opened_to_write()
            self._data_version = self._seen_version()

    # Opening and closing

    def _opened_to_read(self) -> sqlite3.Connection:
        if not self.path.is_file():
            raise StoreError(f"there is no store at {self.path}.", hint="plica sweep run TARGET --store FILE makes one")
        address = f"{self.path.absolute().as_uri()}?mode=ro"
        try:
            return self._checked(_connect(address))
        except sqlite3.OperationalError:
            # In a folder that cannot be written SQLite cannot make the files of WAL mode. Without a log there is nothing
            # in them to miss.
            log = self.path.with_name(self.path.name + "-wal")
            if log.exists() and log.stat().st_size:
                raise
            return self._checked(_connect(address + "&immutable=1"))

    def _opened_to_write(self) -> sqlite3.Connection:
        self.arrays.folder.mkdir(parents=True, exist_ok=True)
        lock = self._lock = StoreLock(self.arrays.folder / "lock")
        connection = None
        try:
            self.was_alone = lock.is_alone()
            if not self.was_alone:
                lock.share()
            connection = self._checked(_connect(self.path.absolute().as_uri()))
            if is_damaged(connection):
                connection.close()
                connection = self._rebuilt()
            connection.execute("PRAGMA journal_mode=WAL")
            connection.execute("PRAGMA synchronous=FULL")
            connection.executescript(f"BEGIN IMMEDIATE; {SCHEMA} PRAGMA user_version={VERSION}; COMMIT;")
            if self.was_alone:
                files = connection.execute("SELECT files FROM results WHERE files != ''").fetchall()
                self.arrays.sweep(name for (names,) in files for name in names.split())
            lock.share()
        except BaseException:
            if connection is not None:
                connection.close()
            lock.close()
            raise
        return connection

    def _checked(self, connection: sqlite3.Connection) -> sqlite3.Connection:
        """Refuse a file that is not ours, before anything is written to it."""
        try:
            version = int(connection.execute("PRAGMA user_version").fetchone()[0])
            tables = {name for (name,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
        except DAMAGE as error:
            if not self.is_read_only and getattr(error, "sqlite_errorname", "SQLITE_CORRUPT").startswith("SQLITE_CORRUPT"):
                return connection  # to be rebuilt
            connection.close()
            raise
        if version > VERSION or (tables and not tables & {"runs", "results"}) or (self.is_read_only and not tables):
            connection.close()
            if version <= VERSION and not tables:
                raise StoreError(f"{self.path} holds no sweep yet.", hint="run one; it was perhaps ended while it made the store")
            what = "was written by a newer Plica" if version > VERSION else "is an SQLite file, but not a sweep store"
            raise StoreError(f"{self.path} {what}.", hint="give another name with store=... or --store")
        return connection

    def _rebuilt(self) -> sqlite3.Connection:
        if not self.was_alone:
            raise StoreError(
                f"the store {self.path} is damaged, and another process uses it.",
                hint="end the other process; the next run keeps every intact row and computes the others again",
            )
        self.repaired = salvage(self.path)
        return _connect(self.path.absolute().as_uri())

    def close(self) -> None:
        """Commit what waits, and leave. What cannot be committed raises StoreError."""
        self._closed.set()
        if self._clock is not None:
            self._clock.join()
        try:
            if not self.is_read_only:
                self.flush()
        finally:
            self._connection.close()
            if self._lock is not None:
                self._lock.close()

    def __enter__(self) -> Store:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.close()

    def __repr__(self) -> str:
        n_rows = self._connection.execute("SELECT count(*) FROM results").fetchone()[0]
        return f"Store({self.path.name!r}, {n_rows} rows)"

    # Writing

    def begin_run(self, experiment: Experiment, *, function: str, started: str, environment: str) -> int:
        """Note who computes the rows to come; returns the run's number."""
        row = (experiment.name, str(experiment.root_seed), experiment.code, function, started, environment)
        with self._guard, told_plainly(self.path):
            cursor = self._connection.execute(
                "INSERT INTO runs (experiment, root_seed, code, function, started, environment) VALUES (?, ?, ?, ?, ?, ?)", row
            )
        return int(cursor.lastrowid or 0)

    def add(self, experiment: Experiment, task: Task, outcome: Outcome, *, run: int = 0) -> None:
        """Take an outcome; it is stored by the next ``flush``."""
        files = " ".join(name for name, _ in outcome.files)
        record = Record(
            task.key, experiment.code, experiment.name, str(experiment.root_seed), task.parameters, task.seed, outcome.status,
            outcome.result, files, outcome.error, outcome.traceback, outcome.seconds, run,
        )  # fmt: skip
        record = record.sealed()
        with self._guard:
            self._waiting.append((record, outcome.files))
            self._waiting_bytes += len(outcome.result) + sum(len(content) for _, content in outcome.files)
        if self._clock is None:
            self._clock = threading.Thread(target=self._tick, daemon=True)
            self._clock.start()

    def _tick(self) -> None:
        """While a long task runs in this process, nobody else would store what finished before it."""
        while not self._closed.wait(COMMIT_AT_LEAST_EVERY_S):
            with self._guard, suppress(StoreError):  # what is wrong will be said by the next flush
                self._unreported += self._flush()

    def is_due(self) -> bool:
        """Whether what waits should be committed now."""
        if not self._waiting:
            return False
        since = time.monotonic() - self._last_commit
        return since >= min(COMMIT_AT_LEAST_EVERY_S, self._commit_s / COMMIT_SHARE) or self._waiting_bytes > COMMIT_BYTES

    def flush(self) -> list[Record]:
        """Commit what waits; returns all that was stored since the last call.

        After an error nothing of what waits is stored, and it still waits.
        """
        with self._guard:
            stored = self._unreported + self._flush()
            self._unreported = []
            return stored

    def _flush(self) -> list[Record]:
        if not self._waiting:
            return []
        start = time.monotonic()
        with told_plainly(self.path):
            for _, files in self._waiting:
                for name, content in files:
                    self.arrays.write(name, content)
            self._commit()
        stored = [record for record, _ in self._waiting]
        self.abandon()
        self._last_commit = time.monotonic()
        self._commit_s = self._last_commit - start
        return stored

    def abandon(self) -> None:
        """Drop what waits. It has not been reported, and will be computed again."""
        with self._guard:
            self._waiting, self._waiting_bytes = [], 0

    def _commit(self) -> None:
        records = [record for record, _ in self._waiting]
        self._connection.execute("BEGIN IMMEDIATE")
        try:
            self._connection.executemany(INSERT_DONE, [record for record in records if record.status == "done"])
            self._connection.executemany(INSERT_FAILED, [record for record in records if record.status != "done"])
            self._connection.execute("COMMIT")
        except BaseException:
            if self._connection.in_transaction:
                self._connection.execute("ROLLBACK")
            raise

    def forget(self, records: Iterable[Record]) -> None:
        """Remove rows, so that they are computed again."""
        with self._guard, told_plainly(self.path):
            self._connection.executemany("DELETE FROM results WHERE key = ? AND code = ?", [(r.key, r.code) for r in records])

    # Reading

    def load(self, experiment: Experiment | None, *, check_files: bool = False) -> tuple[list[Record], list[Record]]:
        """The rows of an experiment, or of all: the intact ones, and the damaged ones.

        With ``check_files`` a row whose arrays are missing or changed counts as damaged.
        """
        with self._guard, told_plainly(self.path):
            if experiment is None:
                rows = self._connection.execute(SELECT).fetchall()
            else:
                which = (experiment.name, str(experiment.root_seed), experiment.code)
                rows = self._connection.execute(f"{SELECT} WHERE experiment = ? AND root_seed = ? AND code = ?", which).fetchall()
            intact: list[Record] = []
            damaged: list[Record] = []
            is_file_intact = functools.cache(self.arrays.is_intact)
            for record in map(Record._make, rows):
                whole = record.is_intact() and (not check_files or all(is_file_intact(name) for name in record.files.split()))
                (intact if whole else damaged).append(record)
        return intact, damaged

    def has(self, key: str, code: str) -> bool:
        """Whether a task is done."""
        with self._guard, told_plainly(self.path):
            query = "SELECT 1 FROM results WHERE key = ? AND code = ? AND status = 'done'"
            return self._connection.execute(query, (key, code)).fetchone() is not None

    def is_shared(self) -> bool:
        """Whether another process has written to the store since it was opened."""
        return self._seen_version() != self._data_version

    def _seen_version(self) -> int:
        with self._guard:
            return int(self._connection.execute("PRAGMA data_version").fetchone()[0])

    def experiments(self) -> list[tuple[Experiment, dict[str, Any]]]:
        """What the store holds, last run last: each experiment with its counts, function and environment."""
        with self._guard, told_plainly(self.path):
            counts: dict[Experiment, dict[str, Any]] = {}
            query = "SELECT experiment, root_seed, code, status, count(*) FROM results GROUP BY 1, 2, 3, 4"
            for name, root_seed, code, status, n in self._connection.execute(query):
                about = counts.setdefault(_experiment(name, root_seed, code), {"n_done": 0, "n_failed": 0})
                about["n_done" if status == "done" else "n_failed"] += n
            ordered: dict[Experiment, dict[str, Any]] = {}
            query = "SELECT experiment, root_seed, code, function, started, environment FROM runs ORDER BY id"
            for name, root_seed, code, function, started, environment in self._connection.execute(query):
                experiment = _experiment(name, root_seed, code)
                about = (counts if experiment in counts else ordered).pop(experiment, {"n_done": 0, "n_failed": 0})
                ordered[experiment] = about | {"function": function, "started": started, "environment": _parsed(environment)}
        unknown = {"function": "", "started": "", "environment": {}}
        return [(experiment, about | unknown) for experiment, about in counts.items()] + list(ordered.items())

    def read_array(self, name: str) -> bytes:
        """The content of an array file, checked against its digest."""
        with told_plainly(self.path):
            content = self.arrays.read(name)
        if content is None:
            raise StoreError(
                f"an array of the store {self.path} is missing or damaged: {self.arrays.path(name).name}.",
                hint="run the sweep again: the rows that name it are computed again",
            )
        return content


def _experiment(name: Any, root_seed: Any, code: Any) -> Experiment:
    """From columns that were texts when they were written; of a damaged store they may be anything."""
    seed = int(root_seed) if isinstance(root_seed, str) and root_seed.isdecimal() else -1
    name, code = (text if isinstance(text, str) else repr(text) for text in (name, code))
    return Experiment(name, seed, code)


def _parsed(environment: str) -> dict[str, Any]:
    try:
        return dict(json.loads(environment))
    except (TypeError, ValueError, RecursionError):  # a note that was damaged; no result depends on it
        return {}


def _connect(address: str) -> sqlite3.Connection:
    connection = sqlite3.connect(address, uri=True, timeout=BUSY_S, isolation_level=None, check_same_thread=False)
    # A flipped bit can make text that is not UTF-8; the checksum, not an exception, tells.
    connection.text_factory = functools.partial(str, encoding="utf-8", errors="replace")
    return connection
