"""Where a data set is: in the folder that was named, or else in ``PLICA_DATA``, the user's cache, then system folders."""

from __future__ import annotations

import os
import sys
from dataclasses import dataclass
from pathlib import Path

from plica.data._entries import Entry
from plica.data._errors import DatasetDamaged, DatasetUnavailable
from plica.data._files import read_verified

SYSTEM_FOLDERS = ("/usr/local/share/datasets", "/usr/share/datasets")


@dataclass(frozen=True)
class Place:
    """A folder in which data sets are looked for, and why."""

    why: str
    path: Path


def user_cache() -> Path:
    """The folder that ``plica data fetch`` fills if it is not told otherwise."""
    if sys.platform == "win32":
        base = os.environ.get("LOCALAPPDATA") or Path.home() / "AppData" / "Local"
    elif sys.platform == "darwin":
        base = Path.home() / "Library" / "Caches"
    else:
        base = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(base) / "plica" / "data"


def places(root: str | os.PathLike[str] | None = None) -> list[Place]:
    """All folders to look in, in order: one that was named is the only one."""
    if root is not None:
        return [Place("argument", Path(root).expanduser())]
    found = []
    for part in os.environ.get("PLICA_DATA", "").split(os.pathsep):
        if part:
            found.append(Place("PLICA_DATA", Path(part).expanduser()))
    found.append(Place("user cache", user_cache()))
    return found + [Place("system", Path(folder)) for folder in SYSTEM_FOLDERS]


def candidates(entry: Entry, place: Place) -> list[Path]:
    """The folders of a place that may hold an entry's files."""
    return [place.path / name for name in entry.folders] + [place.path]


def locate(entry: Entry, root: str | os.PathLike[str] | None = None) -> Path | None:
    """The first folder that holds all files of an entry (or its packed form)."""
    for place in places(root):
        for folder in candidates(entry, place):
            if (entry.packed and (folder / entry.packed).is_file()) or all(file.within(folder) for file in entry.files):
                if folder != place.path or _is_meant(entry, folder):
                    return folder
    return None


def _is_meant(entry: Entry, folder: Path) -> bool:
    """Whether files without a folder of their own are this entry's: the files of MNIST and Fashion-MNIST share their names."""
    smallest = min(entry.files, key=lambda file: file.n_bytes)
    path = smallest.within(folder)
    try:
        return path is None or bool(read_verified(smallest, path))
    except DatasetDamaged:
        return False


def find(entry: Entry, root: str | os.PathLike[str] | None = None) -> Path:
    """Like :func:`locate`; absent, one error says everything that is needed to supply the data."""
    folder = locate(entry, root)
    if folder is None:
        raise unavailable(entry, root)
    return folder


def unavailable(entry: Entry, root: str | os.PathLike[str] | None = None) -> DatasetUnavailable:
    """The error that lists where it was looked, the hashes expected and the commands that help."""
    where = "on this machine" if root is None else "in the folder that was named, and no other was asked"
    lines = [f"data set {entry.name!r} ({entry.title}) is not {where}.", "  looked in:"]
    for place in places(root):
        state = "" if place.path.is_dir() else ", no such folder"
        lines.append(f"    {place.path} ({place.why}{state})")
        for folder in candidates(entry, place):
            missing = [file.name for file in entry.files if not file.within(folder)]
            if 0 < len(missing) < len(entry.files):
                lines.append(f"      {folder} has some of the files; missing: {', '.join(missing)}")
    lines.append("  expected, plain or with .gz (SHA-256 of the uncompressed file):")
    lines += [f"    {file.name}  {file.sha256}" for file in entry.files]
    lines.append("  any of these supplies it:")
    lines.append(f"    plica data fetch {entry.name}")
    lines += [f"    {command}" for command in entry.packages]
    lines.append(f"    export PLICA_DATA=FOLDER   # where FOLDER/{entry.folders[0]}/ holds the files")
    return DatasetUnavailable("\n".join(lines), hint=f"plica data fetch {entry.name} downloads it, once")
