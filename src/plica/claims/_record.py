"""Results at full scale, kept beside the claims: what was measured, when, where, and by which code."""

from __future__ import annotations

import json
import os
import platform
import sys
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import TYPE_CHECKING, Any

from plica._whole import write_whole
from plica.claims._fingerprint import fingerprint
from plica.claims._folders import RECORDS, catalog_folders
from plica.errors import InvalidInput

if TYPE_CHECKING:
    from plica.claims._claim import Claim
    from plica.claims._evidence import Evidence

_PACKAGES = ("numpy", "scipy", "numba", "torch")


@dataclass(frozen=True)
class Record:
    """One check at full scale, as it came out.

    Attributes
    ----------
    id, verdict, kind, seed, seconds, note
        As in the evidence.
    rows
        The rows as plain values.
    date
        The day, UTC.
    machine, versions
        What it ran on, and with.
    fingerprint
        Of the claim's code at that time.
    """

    id: str
    verdict: str
    kind: str
    seed: int | None
    seconds: float
    date: str
    machine: str
    fingerprint: str
    versions: Mapping[str, str] = field(default_factory=dict)
    rows: tuple[Mapping[str, Any], ...] = ()
    note: str = ""

    def is_stale(self, claim: Claim) -> bool:
        """Whether the claim's code has changed since."""
        return self.fingerprint != fingerprint(claim.module)

    def to_dict(self) -> dict[str, Any]:
        """Plain values for JSON."""
        return asdict(self) | {"rows": [dict(r) for r in self.rows], "versions": dict(self.versions)}

    def save(self, folder: Path) -> Path:
        """Write it as ``folder/ID.json``."""
        folder.mkdir(parents=True, exist_ok=True)
        path = folder / f"{self.id}.json"
        write_whole(path, json.dumps(self.to_dict(), indent=1, ensure_ascii=False, allow_nan=False) + "\n")
        return path


def record_of(evidence: Evidence) -> Record:
    """What the repository keeps of evidence at full scale."""
    if evidence.claim is None or evidence.scale != "full":
        raise InvalidInput("only evidence of a claim at full scale is recorded.", hint='claim.check("full")')
    document = evidence.to_dict()
    return Record(
        id=evidence.claim.id,
        verdict=evidence.verdict,
        kind=evidence.kind,
        seed=evidence.seed,
        seconds=round(evidence.seconds, 1),
        date=datetime.now(UTC).date().isoformat(),
        machine=f"{platform.system()} {platform.machine()}, {os.cpu_count()} cores",
        fingerprint=fingerprint(evidence.claim.module),
        versions=_versions(),
        rows=tuple(document["rows"]),
        note=evidence.note,
    )


def read_record(document: Mapping[str, Any]) -> Record:
    """A record from its plain values."""
    try:
        return Record(**{**document, "rows": tuple(document["rows"])})
    except (KeyError, TypeError) as error:
        raise InvalidInput(f"this is not a record of a check: {error}.") from error


def find_record(id: str) -> Record | None:
    """The record that is kept of a claim, if there is one."""
    for folder in catalog_folders():
        place = folder / RECORDS / f"{id}.json"
        if place.is_file():
            try:
                document = json.loads(place.read_text(encoding="utf-8"))
            except (ValueError, RecursionError) as error:
                raise InvalidInput(f"{place} is not a record of a check: {error}.", hint="write it again") from None
            return read_record(document)
    return None


def _versions() -> dict[str, str]:
    from plica import __version__

    found = {"plica": __version__, "python": platform.python_version()}
    for name in _PACKAGES:
        if name in sys.modules:
            try:
                found[name] = version(name)
            except PackageNotFoundError:
                continue
    return found
