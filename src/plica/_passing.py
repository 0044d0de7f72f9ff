"""Folders for what passes: gone when their process is done with them, and if it was killed, when the next one makes its own."""

from __future__ import annotations

import os
import shutil
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

if sys.platform != "win32":  # there nothing is locked, and nothing of others removed
    import fcntl

PREFIX = "plica-passing-"
LOCK = "in use"


@contextmanager
def passing_folder() -> Iterator[Path]:
    """A new private folder, removed at the end of the block.

    Its file ``in use`` is locked by this process. The kernel opens the lock when the process is gone, however it ended; folders
    whose lock is open are removed first.

    Examples
    --------
    >>> with passing_folder() as folder:
    ...     _ = (folder / "a.txt").write_text("passing")
    >>> folder.exists()
    False
    """
    sweep(Path(tempfile.gettempdir()))
    with tempfile.TemporaryDirectory(prefix=PREFIX, ignore_cleanup_errors=True) as name:
        folder = Path(name)
        with (folder / "not yet").open("wb") as lock:
            if sys.platform != "win32":
                fcntl.flock(lock, fcntl.LOCK_EX)
            os.replace(lock.name, folder / LOCK)  # a folder without this name is left alone
            yield folder


def sweep(place: Path) -> None:
    """Remove the folders that killed processes left."""
    if sys.platform == "win32":
        return
    for folder in place.glob(f"{PREFIX}*"):
        try:
            with (folder / LOCK).open("rb") as lock:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
                shutil.rmtree(folder, ignore_errors=True)
        except OSError:  # in use, not ready, another user's, or removed by somebody else
            continue
