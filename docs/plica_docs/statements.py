"""Statements of the lectures beside the claims that measure them, and what is on record of each."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from pathlib import Path

from plica.claims import Catalog, Claim

FILE = Path(__file__).parents[1] / "statements.toml"


@dataclass(frozen=True)
class Statement:
    """What a lecture says, claims with what was found at full scale, and what none of them measures."""

    says: str
    claims: tuple[tuple[Claim, str], ...]
    open: str


@dataclass(frozen=True)
class Part:
    title: str
    statements: tuple[Statement, ...]


def parts(claims: Catalog, path: Path = FILE) -> tuple[Part, ...]:
    """The table, with nothing typed that a record knows."""
    table = tomllib.loads(path.read_text(encoding="utf-8"))
    return tuple(
        Part(
            part["title"],
            tuple(
                Statement(each["says"], tuple((claims[id], on_record(claims[id])) for id in each["claims"]), each.get("open", ""))
                for each in part["statements"]
            ),
        )
        for part in table["part"]
    )


def on_record(claim: Claim) -> str:
    """The verdict of the check at full scale, or that there is none."""
    record = claim.record
    if record is None:
        return f"no record; expected: {claim.expected}"
    return f"{record.verdict}, with code that has changed since" if record.is_stale(claim) else record.verdict
