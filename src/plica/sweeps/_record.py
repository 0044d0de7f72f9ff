"""One row of a store, with the checksum that tells whether it is still what was written."""

from __future__ import annotations

from typing import Any, NamedTuple

from plica.sweeps._canonical import digest, dumps


class Experiment(NamedTuple):
    """Which results belong together: one function at one version, under one name and root seed."""

    name: str
    root_seed: int
    code: str


class Outcome(NamedTuple):
    """What became of one task. Plain text and bytes, so that any worker can send it."""

    key: str
    status: str  # "done" or "failed"
    result: str = "{}"
    files: tuple[tuple[str, bytes], ...] = ()
    error: str = ""
    traceback: str = ""
    seconds: float = 0.0


class Record(NamedTuple):
    """One row of the table ``results``, in the order of its columns."""

    key: str
    code: str
    experiment: str
    root_seed: str
    parameters: str
    seed: int
    status: str
    result: str
    files: str
    error: str
    traceback: str
    seconds: float
    run: int
    checksum: str = ""

    def sealed(self) -> Record:
        """The record with its checksum."""
        return self._replace(checksum=_checksum(self))

    def is_intact(self) -> bool:
        """Whether no bit has changed since it was sealed."""
        try:
            return _checksum(self) == self.checksum
        except (TypeError, ValueError):  # a column has become something that was never stored
            return False


def _checksum(record: Record) -> str:
    content: tuple[Any, ...] = record[:-1]
    return digest(dumps(content))


COLUMNS = ", ".join(Record._fields)

SCHEMA = """
CREATE TABLE IF NOT EXISTS runs (
    id INTEGER PRIMARY KEY, experiment TEXT NOT NULL, root_seed TEXT NOT NULL, code TEXT NOT NULL,
    function TEXT NOT NULL, started TEXT NOT NULL, environment TEXT NOT NULL
);
CREATE TABLE IF NOT EXISTS results (
    key TEXT NOT NULL, code TEXT NOT NULL, experiment TEXT NOT NULL, root_seed TEXT NOT NULL, parameters TEXT NOT NULL,
    seed INTEGER NOT NULL, status TEXT NOT NULL, result TEXT NOT NULL, files TEXT NOT NULL, error TEXT NOT NULL,
    traceback TEXT NOT NULL, seconds REAL NOT NULL, run INTEGER NOT NULL, checksum TEXT NOT NULL, UNIQUE (key, code)
);
"""

_HOLES = ", ".join("?" * len(Record._fields))
INSERT_DONE = f"INSERT OR REPLACE INTO results ({COLUMNS}) VALUES ({_HOLES})"  # noqa: S608 (names of our own columns)
# Another process may have succeeded meanwhile: a failure never replaces a result.
INSERT_FAILED = (
    f"INSERT INTO results ({COLUMNS}) VALUES ({_HOLES}) ON CONFLICT (key, code) DO UPDATE SET "  # noqa: S608
    + ", ".join(f"{name} = excluded.{name}" for name in Record._fields)
    + " WHERE results.status != 'done'"
)
SELECT = f"SELECT {COLUMNS} FROM results"  # noqa: S608
