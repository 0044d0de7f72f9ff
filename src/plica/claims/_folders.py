"""Where claims are: the topics of the package, and of the folders that ``PLICA_CLAIMS`` names."""

from __future__ import annotations

import os
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path

import plica.claims
from plica.errors import PlicaError

VARIABLE = "PLICA_CLAIMS"
REFERENCES, RECORDS = "references.bib", "records"


class UnfinishedClaim(PlicaError):
    """A claim's file that is in the wrong place, or not complete."""


def catalog_folders() -> list[Path]:
    """The folders that hold topics: the package's own, then those of the user."""
    for part in os.environ.get(VARIABLE, "").split(os.pathsep):
        folder = str(Path(part).expanduser().resolve())
        if part and folder not in plica.claims.__path__:
            plica.claims.__path__.append(folder)
    return [Path(part) for part in plica.claims.__path__]


def topic_folders() -> list[Path]:
    """The topics of all catalogs; a name may come more than once."""
    return [folder for root in catalog_folders() for folder in sorted(_subfolders(root)) if folder.name != RECORDS]


def pages() -> Iterator[tuple[Path, str]]:
    """Every claim's file with the name of its module; one that would be ignored is an error that says where it belongs."""
    for root in catalog_folders():
        _refuse(root.glob("*.py"), "lies beside the topics", f"move it into a topic's folder: {', '.join(_topics(root))}")
    for folder in topic_folders():
        files = sorted(_claims_of(folder))
        if files and not (folder / "__init__.py").is_file():
            raise UnfinishedClaim(
                f"{_short(files[0])} is in a folder that is no topic.",
                hint=f"give it a file __init__.py that says what it is about, or use another topic: {', '.join(_topics())}",
            )
        for inner in _subfolders(folder):
            _refuse(inner.rglob("*.py"), "lies below a topic", f"move it into {_short(folder)} itself")
        _widen(folder)
        for path in files:
            if not path.stem.isidentifier() or path.stem != path.stem.lower():
                raise UnfinishedClaim(
                    f"{_short(path)} has a name that Python cannot import.",
                    hint=f"rename it to {path.stem.lower().replace('-', '_')}.py: small letters, digits and _",
                )
            yield path, f"plica.claims.{folder.name}.{path.stem}"


def _topics(root: Path | None = None) -> list[str]:
    folders = topic_folders() if root is None else [folder for folder in topic_folders() if folder.parent == root]
    return sorted({folder.name for folder in folders if (folder / "__init__.py").is_file()})


def _subfolders(folder: Path) -> list[Path]:
    return [path for path in folder.glob("*/") if path.is_dir() and not path.name.startswith(("_", "."))]


def _claims_of(folder: Path) -> list[Path]:
    return [path for path in folder.glob("*.py") if not path.name.startswith("_")]


def _refuse(paths: Iterator[Path], where: str, hint: str) -> None:
    for path in sorted(paths):
        if not path.name.startswith("_"):
            raise UnfinishedClaim(f"{_short(path)} {where}, where no claim is looked for.", hint=hint)


def _widen(folder: Path) -> None:
    """Let a topic that the package has too be imported from both folders."""
    package = f"plica.claims.{folder.name}"
    if folder.parent != Path(plica.claims.__path__[0]):
        path = import_module(package).__path__
        if str(folder) not in path:
            path.append(str(folder))


def _short(path: Path) -> str:
    """A path as one speaks of it: catalog, topic, file."""
    root = next(root for root in catalog_folders() if path.is_relative_to(root))
    return str(path.relative_to(root.parent))
