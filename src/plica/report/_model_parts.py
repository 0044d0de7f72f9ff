"""Finished sections in a folder beside the page, so that an interrupted report goes on where it stopped."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

from plica._whole import write_whole
from plica.report._model_section import Section


class Parts:
    """Sections of one report; ``key`` names everything they depend on, and others are not believed.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     Parts(Path(folder) / "r.parts", "a").keep(Section("s", "S", "One sentence."))
    ...     found, other = Parts(Path(folder) / "r.parts", "a").find("s"), Parts(Path(folder) / "r.parts", "b").find("s")
    >>> found.title, other is None
    ('S', True)
    """

    def __init__(self, folder: Path, key: str) -> None:
        self.folder = folder
        self.key = key

    def find(self, name: str) -> Section | None:
        """A section that was finished, or None."""
        try:
            document = json.loads((self.folder / f"{name}.json").read_text(encoding="utf-8"))
            return Section(**document["section"]) if document["key"] == self.key else None
        except (OSError, ValueError, KeyError, TypeError, RecursionError):
            return None

    def keep(self, section: Section) -> None:
        """Write a section, whole or not at all."""
        self.folder.mkdir(exist_ok=True)
        write_whole(self.folder / f"{section.id}.json", json.dumps({"key": self.key, "section": section.to_dict()}))

    def clear(self) -> None:
        """Remove the folder."""
        shutil.rmtree(self.folder, ignore_errors=True)
