"""Who else is using a store: a lock that the operating system drops when its process dies, however it dies."""

from __future__ import annotations

import importlib
import os
from pathlib import Path
from typing import Any

fcntl: Any
try:
    fcntl = importlib.import_module("fcntl")
except ImportError:  # Windows
    fcntl = None


class StoreLock:
    """Shared by all who write to a store; exclusive for the one who tidies it up.

    Where the file system has no such locks, nobody is ever known to be alone, and nothing is tidied.
    """

    def __init__(self, path: Path) -> None:
        self._handle = os.open(path, os.O_RDWR | os.O_CREAT, 0o666)

    def is_alone(self) -> bool:
        """Try to become the only user; holds the store exclusively when true."""
        return self._lock("LOCK_EX")

    def share(self) -> None:
        """Let others in, and stay."""
        self._lock("LOCK_SH")

    def _lock(self, kind: str) -> bool:
        if fcntl is None:
            return False
        flags = getattr(fcntl, kind) | (fcntl.LOCK_NB if kind == "LOCK_EX" else 0)
        try:
            fcntl.flock(self._handle, flags)
        except OSError:
            return False
        return True

    def close(self) -> None:
        """Leave."""
        if self._handle >= 0:
            os.close(self._handle)
            self._handle = -1
