"""What is here: for every data set where it is, and whether its files are whole."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

from plica.data._entries import ENTRIES
from plica.data._errors import DatasetDamaged
from plica.data._load import EMBEDDED
from plica.data._readers import verify as _verify
from plica.data._resolve import locate, unavailable
from plica.errors import InvalidInput


@dataclass(frozen=True)
class Status:
    """A data set: ``state`` is ``embedded``, ``here`` or ``absent``; verified, it is ``whole`` or ``damaged``."""

    name: str
    about: str
    state: str
    folder: Path | None = None
    problem: str = ""

    def to_dict(self) -> dict[str, str | None]:
        folder = None if self.folder is None else str(self.folder)
        return {"name": self.name, "about": self.about, "state": self.state, "folder": folder, "problem": self.problem or None}


def survey(root: str | os.PathLike[str] | None = None) -> list[Status]:
    """All data sets, without reading any file."""
    found = [Status(name, _about(name), "embedded") for name in EMBEDDED]
    for entry in ENTRIES.values():
        folder = locate(entry, root)
        found.append(Status(entry.name, f"{entry.title} ({entry.terms})", "absent" if folder is None else "here", folder))
    return found


def verify(name: str, *, root: str | os.PathLike[str] | None = None) -> Status:
    """Read all files of a published data set and compare their hashes; absent, it raises what :func:`plica.data.load` raises."""
    if name not in ENTRIES:
        raise InvalidInput(f"there are no files to verify for {name!r}.", hint=f"one of {', '.join(ENTRIES)}")
    entry = ENTRIES[name]
    folder = locate(entry, root)
    if folder is None:
        raise unavailable(entry, root)
    try:
        _verify(entry, folder)
    except DatasetDamaged as error:
        return Status(name, entry.title, "damaged", folder, error.message)
    return Status(name, entry.title, "whole", folder)


def _about(name: str) -> str:
    from plica.data._targets import TARGETS

    if name in TARGETS:
        return TARGETS[name][1]
    return (EMBEDDED[name].__doc__ or "").split("\n")[0].rstrip(".").replace("``", "")
