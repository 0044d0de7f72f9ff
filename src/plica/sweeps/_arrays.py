"""Files named by their content, written so that a name never stands for half a file."""

from __future__ import annotations

import os
import secrets
from collections.abc import Iterable
from pathlib import Path

from plica.sweeps._canonical import digest


class ArrayFiles:
    """A folder of npy files: ``ab/abcdef….npy`` holds the bytes whose SHA-256 is ``abcdef…``.

    A file is written under another name, flushed to disk, renamed, and the rename itself flushed: after a crash a name is
    either absent or complete. Writing the same content twice, or from two processes, is harmless.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.unfinished = folder / "unfinished"

    def path(self, name: str) -> Path:
        """Where the content called ``name`` is, or would be."""
        return self.folder / name[:2] / f"{name}.npy"

    def write(self, name: str, content: bytes) -> None:
        """Store ``content`` durably under its digest ``name``."""
        target = self.path(name)
        if self.is_intact(name):
            return
        for folder in (self.unfinished, target.parent):
            if not folder.is_dir():
                folder.mkdir(parents=True, exist_ok=True)
                _sync_folder(folder.parent)
        temporary = self.unfinished / f"{os.getpid()}-{secrets.token_hex(8)}"
        try:
            with open(temporary, "xb") as file:
                file.write(content)
                file.flush()
                os.fsync(file.fileno())
            os.replace(temporary, target)
        except BaseException:
            temporary.unlink(missing_ok=True)
            raise
        _sync_folder(target.parent)

    def read(self, name: str) -> bytes | None:
        """The content called ``name``, or None if it is missing or is not what its name says."""
        try:
            content = self.path(name).read_bytes()
        except FileNotFoundError:
            return None
        return content if digest(content) == name else None

    def is_intact(self, name: str) -> bool:
        """Whether the content called ``name`` is there, whole and unchanged."""
        return self.read(name) is not None

    def sweep(self, referenced: Iterable[str]) -> int:
        """Remove unfinished files and files that no row names; returns how many.

        Only for a process that knows itself to be alone: another one may be about to name what it has just written.
        """
        keep = set(referenced)
        leftovers = list(self.unfinished.glob("*"))
        leftovers += [path for path in self.folder.glob("[0-9a-f][0-9a-f]/*.npy") if path.stem not in keep]
        for path in leftovers:
            path.unlink(missing_ok=True)
        return len(leftovers)


def _sync_folder(folder: Path) -> None:
    if os.name == "nt":  # a folder cannot be flushed there; NTFS journals the rename
        return
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
