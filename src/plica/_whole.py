"""Files that are written whole or not at all, whatever ends the process that writes them."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

from plica.errors import InvalidInput


def write_whole(path: Path, content: bytes | str) -> None:
    """Write a file beside its place, bring it to the disk, and give it its name in one step.

    A reader sees the old file or the new one. What a killed process left beside it is removed.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     write_whole(Path(folder) / "a.txt", "whole")
    ...     print([(path.name, path.read_text()) for path in Path(folder).iterdir()])
    [('a.txt', 'whole')]
    """
    with whole_file(path) as stream:
        stream.write(content if isinstance(content, bytes) else content.encode("utf-8"))


@contextmanager
def whole_file(path: Path) -> Iterator[BinaryIO]:
    """The same for what is written in parts: the file has its name once the block has ended, and never if it raises."""
    beside = path.with_name(f".{path.name}.{os.getpid()}.part")
    try:
        try:
            with beside.open("wb") as stream:
                yield stream
                stream.flush()
                os.fsync(stream.fileno())
            beside.replace(path)
        finally:
            beside.unlink(missing_ok=True)
        _sweep(path)
    except OSError as error:
        raise InvalidInput(f"{str(path)!r} cannot be written: {error.strerror}.") from None


def _sweep(path: Path) -> None:
    """Remove what was written beside a file by processes that are gone."""
    pattern = re.compile(re.escape(f".{path.name}.") + r"(\d+)\.part")
    for other in path.parent.glob(".*.part"):
        found = pattern.fullmatch(other.name)
        if found is not None and not _is_alive(int(found[1])):
            other.unlink(missing_ok=True)


def _is_alive(process: int) -> bool:
    try:
        os.kill(process, 0)
    except (ProcessLookupError, OverflowError):
        return False
    except OSError:  # it is there, and another user's
        return True
    return True
