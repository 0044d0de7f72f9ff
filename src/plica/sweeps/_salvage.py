"""A damaged database: every row that is still whole moves to a new file, the damaged file is kept aside."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterator
from pathlib import Path

from plica.sweeps._record import INSERT_DONE, SCHEMA, SELECT, Record


def is_damaged(connection: sqlite3.Connection) -> bool:
    """Whether SQLite finds the file inconsistent."""
    try:
        return connection.execute("PRAGMA integrity_check(1)").fetchone() != ("ok",)
    except sqlite3.DatabaseError as error:
        if isinstance(error, sqlite3.OperationalError):  # locked, unreadable: not a statement about the content
            raise
        return True


def salvage(path: Path) -> Path:
    """Rebuild the database at ``path`` from its intact rows; returns where the damaged file now is."""
    rebuilt = path.with_name(path.name + ".rebuilt")
    rebuilt.unlink(missing_ok=True)
    target = sqlite3.connect(rebuilt, isolation_level=None)
    try:
        target.executescript(SCHEMA)
        target.execute("BEGIN")
        target.executemany(INSERT_DONE, _intact(path))
        target.execute("COMMIT")
    finally:
        target.close()
    aside = _free_name(path)
    for ending in ("-wal", "-shm"):
        extra = path.with_name(path.name + ending)
        if extra.exists():
            os.replace(extra, aside.with_name(aside.name + ending))
    os.replace(path, aside)
    os.replace(rebuilt, path)
    return aside


def _intact(path: Path) -> Iterator[Record]:
    source = sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro", uri=True)
    source.text_factory = lambda raw: raw.decode("utf-8", "replace")
    try:
        for rowid in range(1, _last_rowid(source, path) + 1):
            try:
                row = source.execute(f"{SELECT} WHERE rowid = ?", (rowid,)).fetchone()
            except sqlite3.DatabaseError:
                continue
            if row is not None and Record(*row).is_intact():
                yield Record(*row)
    finally:
        source.close()


def _last_rowid(source: sqlite3.Connection, path: Path) -> int:
    try:
        return int(source.execute("SELECT max(rowid) FROM results").fetchone()[0] or 0)
    except (sqlite3.DatabaseError, ValueError):
        return path.stat().st_size // 256  # no row is shorter: four digests alone are longer


def _free_name(path: Path) -> Path:
    for number in range(1, 10_000):
        candidate = path.with_name(f"{path.name}.damaged-{number}")
        if not candidate.exists():
            return candidate
    raise OSError(f"too many damaged copies of {path}")
