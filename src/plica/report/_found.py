"""What a run of a claim left for pages: verdict, table, figure; kept in a folder, so that nothing unchanged is run twice."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import TYPE_CHECKING, Any

from plica._whole import write_whole
from plica.claims import Outcome, digest, outcome_of, rows_table

if TYPE_CHECKING:
    from plica.claims import Claim


@dataclass(frozen=True)
class Found:
    """What was found when a claim was run, as text for a page. ``table`` and ``figure`` are HTML that is already escaped.

    Examples
    --------
    >>> from plica.claims import catalog
    >>> found = run_claim(catalog()["binomial-sum"], "quick")
    >>> found.verdict, found.figure[:4], found.table[:7]
    ('holds', '<svg', '<table>')
    """

    id: str
    scale: str
    verdict: str
    expected: str
    kind: str
    table: str
    figure: str
    caption: str
    note: str
    seed: int | None
    seconds: float
    error: str

    @property
    def as_expected(self) -> bool:
        return self.verdict == self.expected


def found_of(outcome: Outcome) -> Found:
    """An outcome as pages show it."""
    evidence = outcome.evidence
    drawn = evidence is not None and evidence.has_figure
    return Found(
        id=outcome.claim.id,
        scale=outcome.scale,
        verdict=outcome.verdict,
        expected=outcome.expected,
        kind=outcome.kind,
        table=rows_table(evidence) if evidence else "",
        figure=evidence.svg() if evidence and drawn else "",
        caption=evidence.caption if evidence and drawn else "",
        note=evidence.note if evidence else "",
        seed=evidence.seed if evidence else None,
        seconds=round(outcome.seconds, 3),
        error=outcome.error,
    )


def run_claim(claim: Claim, scale: str, *, store: Path | None = None, strict: bool = False) -> Found:
    """Run a claim, or read what it left in a folder when it was last run with the same code.

    What a check computes follows from its code and seeds, so it is read again only while every file that it may use is as it
    was. Checks that did not finish are not kept.
    """
    code = "" if store is None else digest(claim.module)
    path = None if store is None else store / f"{claim.id}.{scale}.json"
    if path is not None and (kept := _read(path, code)) is not None:
        return kept
    found = found_of(outcome_of(claim, scale, strict=strict))  # type: ignore[arg-type]
    if path is not None and not found.error:
        path.parent.mkdir(parents=True, exist_ok=True)
        write_whole(path, json.dumps({"code": code, **asdict(found)}, ensure_ascii=False))
    return found


def _read(path: Path, code: str) -> Found | None:
    """What is kept; nothing where it is of other code, or no such file."""
    try:
        document: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
        if document.pop("code") != code or set(document) != {field.name for field in fields(Found)}:
            return None
        return Found(**document)
    except (OSError, ValueError, KeyError, AttributeError, TypeError, RecursionError):
        return None
