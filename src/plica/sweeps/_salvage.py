"""A damaged database: every row that is still whole moves to a new file, the damaged file is kept aside."""

from __future__ import annotations

import os
import shutil
import sqlite3
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from plica.sweeps._record import INSERT_DONE, SCHEMA, SELECT, Record

PAGE = 4096

# SQLite quotes the damaged schema in its message, and Python cannot decode that.
DAMAGE = (sqlite3.DatabaseError, UnicodeDecodeError)


def is_damaged(connection: sqlite3.Connection) -> bool:
    """Whether SQLite finds the file inconsistent, or its tables are not the ones we made."""
    try:
        tables = _tables(connection)
        return bool(tables and tables != _expected_tables()) or connection.execute("PRAGMA integrity_check(1)").fetchone() != (
            "ok",
        )
    except DAMAGE as error:
        if getattr(error, "sqlite_errorname", "").startswith(("SQLITE_BUSY", "SQLITE_IOERR", "SQLITE_CANTOPEN")):
            raise  # no statement about the content
        return True


def salvage(path: Path) -> Path:
    """Rebuild the database at ``path`` from its intact rows; returns where the damaged file now is."""
    rebuilt = path.with_name(path.name + ".rebuilt")
    _remove(rebuilt)
    patched = _with_fresh_schema(path)
    try:
        target = sqlite3.connect(rebuilt, isolation_level=None)
        try:
            target.executescript(SCHEMA)
            target.execute("BEGIN")
            for source in (path, patched):  # one file may let us read what the other does not
                target.executemany(INSERT_DONE, _intact(source))
            target.execute("COMMIT")
        finally:
            target.close()
    finally:
        _remove(patched)
    aside = _free_name(path)
    for ending in ("-wal", "-shm"):
        extra = path.with_name(path.name + ending)
        if extra.exists():
            os.replace(extra, aside.with_name(aside.name + ending))
    shutil.copyfile(path, aside)
    os.replace(rebuilt, path)  # at every moment there is a file of this name
    return aside


def _intact(path: Path) -> Iterator[Record]:
    source = sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro", uri=True)
    source.text_factory = lambda raw: raw.decode("utf-8", "replace")
    try:
        for rowid in range(1, _last_rowid(source, path) + 1):
            try:
                row = source.execute(f"{SELECT} WHERE rowid = ?", (rowid,)).fetchone()
            except DAMAGE:
                continue
            if row is not None and Record(*row).is_intact():
                yield Record(*row)
    finally:
        source.close()


def _last_rowid(source: sqlite3.Connection, path: Path) -> int:
    largest = path.stat().st_size // 256  # no row is shorter: its digests alone are not
    try:
        return min(largest, int(source.execute("SELECT max(rowid) FROM results").fetchone()[0] or 0))
    except (*DAMAGE, ValueError):
        return largest


def _with_fresh_schema(path: Path) -> Path:
    """A copy whose first page, which says what tables there are, is that of a new store: its tables are at the same pages."""
    patched, fresh = path.with_name(path.name + ".patched"), path.with_name(path.name + ".fresh")
    for file in (patched, fresh):
        _remove(file)
    connection = sqlite3.connect(fresh, isolation_level=None)
    connection.execute(f"PRAGMA page_size={PAGE}")
    connection.executescript(f"BEGIN; {SCHEMA} COMMIT;")
    connection.close()
    page = bytearray(fresh.read_bytes()[:PAGE])
    _remove(fresh)
    page[28:40] = (path.stat().st_size // PAGE).to_bytes(4, "big") + bytes(8)  # as many pages as there are, none of them free
    shutil.copyfile(path, patched)
    with open(patched, "r+b") as copy:
        copy.write(page)
    return patched


def _tables(connection: sqlite3.Connection) -> set[Any]:
    return set(connection.execute("SELECT type, name, tbl_name, sql FROM sqlite_master"))


def _expected_tables() -> set[Any]:
    connection = sqlite3.connect(":memory:")
    try:
        connection.executescript(SCHEMA)
        return _tables(connection)
    finally:
        connection.close()


def _remove(path: Path) -> None:
    for ending in ("", "-wal", "-shm", "-journal"):
        path.with_name(path.name + ending).unlink(missing_ok=True)


def _free_name(path: Path) -> Path:
    number = 1
    while (candidate := path.with_name(f"{path.name}.damaged-{number}")).exists():
        number += 1
    return candidate
