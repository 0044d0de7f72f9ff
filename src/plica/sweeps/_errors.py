"""What can be wrong with a store, said so that a person can act on it."""

from __future__ import annotations

import errno
import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from plica.errors import PlicaError


class StoreError(PlicaError):
    """A store that cannot be read or written. What it held before is still there."""


class WorkerError(PlicaError):
    """Workers that cannot start, or a cluster that went away. Finished tasks are stored."""


_KEPT = "everything stored so far is kept; the same command resumes"
_FULL = (errno.ENOSPC, errno.EDQUOT)
_READ_ONLY = (errno.EROFS, errno.EACCES, errno.EPERM)


@contextmanager
def told_plainly(path: Path) -> Iterator[None]:
    """Turn errors of SQLite and of the file system into a StoreError about the store at ``path``."""
    try:
        yield
    except sqlite3.Error as error:
        raise _from_sqlite(error, path) from error
    except UnicodeDecodeError as error:  # SQLite quotes what is damaged in its message
        raise _damaged(error, path) from error
    except OSError as error:
        raise _from_system(error, path) from error


def _from_sqlite(error: sqlite3.Error, path: Path) -> StoreError:
    name = getattr(error, "sqlite_errorname", "") or ""
    if name.startswith("SQLITE_FULL") or (name.startswith("SQLITE_IOERR") and _is_full(path)):
        return full(path)
    if name.startswith(("SQLITE_READONLY", "SQLITE_PERM")):
        return read_only(path)
    if name.startswith("SQLITE_CANTOPEN"):
        return StoreError(f"the store {path} cannot be opened.", hint="the folder must exist, and be writable to run a sweep")
    if name.startswith(("SQLITE_BUSY", "SQLITE_LOCKED")):
        return StoreError(f"the store {path} has been locked by another process for too long.", hint=f"end it; {_KEPT}")
    if name.startswith("SQLITE_NOTADB"):
        return StoreError(
            f"{path} is not a sweep store: it is not an SQLite file.", hint="give another name, or move the file away"
        )
    if name in ("SQLITE_CORRUPT", "SQLITE_ERROR") or name.startswith("SQLITE_CORRUPT_"):
        return _damaged(error, path)
    return StoreError(f"the store {path} failed: {error} ({name or type(error).__name__}).", hint=_KEPT)


def _from_system(error: OSError, path: Path) -> StoreError:
    if error.errno in _FULL:
        return full(path)
    if error.errno in _READ_ONLY:
        return read_only(path)
    return StoreError(f"the store {path} failed: {error.strerror or error}.", hint=_KEPT)


def _damaged(error: Exception, path: Path) -> StoreError:
    return StoreError(f"the store {path} is damaged ({error}).", hint="plica sweep run repairs it: intact rows are kept")


def full(path: Path) -> StoreError:
    """The disk is full."""
    return StoreError(f"the disk that holds the store {path} is full.", hint=f"free some space; {_KEPT}")


def read_only(path: Path) -> StoreError:
    """The folder cannot be written."""
    return StoreError(f"the store {path} cannot be written: the file or its folder is read-only.", hint="choose another folder")


def _is_full(path: Path) -> bool:
    try:
        return shutil.disk_usage(path.parent).free < 1 << 20
    except OSError:
        return False
