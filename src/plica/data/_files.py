"""Files of data sets: found plain or compressed, read whole, and believed only if their hash is the published one."""

from __future__ import annotations

import gzip
import hashlib
import zlib
from dataclasses import dataclass
from pathlib import Path

from plica.data._errors import DatasetDamaged


@dataclass(frozen=True)
class File:
    """One file as it is published: name, size and SHA-256 of its uncompressed contents.

    ``remote`` is its name at the mirrors, compressed if it ends in ``.gz``.
    """

    name: str
    n_bytes: int
    sha256: str
    remote: str

    def within(self, folder: Path) -> Path | None:
        """This file in a folder, plain or with gzip; None if it is not there."""
        return next((path for path in (folder / self.name, folder / f"{self.name}.gz") if path.is_file()), None)


def read_verified(file: File, path: Path) -> bytes:
    """The uncompressed contents; anything but the published bytes is refused."""
    try:
        opened = gzip.open(path) if path.suffix == ".gz" else path.open("rb")
        with opened as stream:
            contents = stream.read(file.n_bytes + 1)  # one more than expected shows a file that is too long
    except (OSError, EOFError, zlib.error) as error:
        raise damaged(file, path, f"it cannot be read: {error}") from None
    if len(contents) != file.n_bytes:
        size = f"more than {file.n_bytes:,}" if len(contents) > file.n_bytes else f"{len(contents):,}"
        raise damaged(file, path, f"it has {size} bytes uncompressed, not {file.n_bytes:,}")
    found = hashlib.sha256(contents).hexdigest()
    if found != file.sha256:
        raise damaged(file, path, f"its SHA-256 is {found}")
    return contents


def damaged(file: File, path: Path, what: str) -> DatasetDamaged:
    """The error for contents that are not the published ones."""
    return DatasetDamaged(
        f"{path} is not the published {file.name}: {what}; expected SHA-256 {file.sha256} of the uncompressed file.",
        hint="remove it and fetch it again: plica data fetch NAME",
    )
