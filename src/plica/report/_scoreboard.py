"""The scoreboard: every claim that was run, with what it predicts, what was measured and the verdict."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from markupsafe import Markup

from plica.claims import rows_table, to_html
from plica.report._found import Found, found_of
from plica.report._page import render

if TYPE_CHECKING:
    from plica.claims import Claim, Outcome


@dataclass(frozen=True)
class Card:
    """One claim as the template shows it; Markup is HTML that is already escaped."""

    id: str
    topic: str
    title: Markup
    words: str
    verdict: str
    style: str
    expected: str
    kind: str
    statement_kind: str
    scale: str
    stand_in: Markup
    record: str
    record_table: Markup
    statement: Markup
    sections: list[tuple[str, Markup]]
    see: list[str]
    bibtex: str
    table: Markup
    figure: Markup
    caption: Markup
    module: str
    note: Markup
    error: str
    seed: int | None
    seconds: str


def scoreboard_page(outcomes: Sequence[Outcome], *, scale: str) -> str:
    """One self-contained HTML file for these outcomes of :func:`plica.check`."""
    topics: dict[str, list[Card]] = {}
    for outcome in outcomes:
        topics.setdefault(outcome.claim.topic, []).append(card_of(outcome.claim, found_of(outcome)))
    verdicts = [outcome.verdict for outcome in outcomes]
    choices = {
        "topic": list(topics),
        "statement": list(dict.fromkeys(outcome.claim.statement_kind for outcome in outcomes)),
        "numbers": list(dict.fromkeys(outcome.kind for outcome in outcomes)),
        "verdict": list(dict.fromkeys(verdicts)),
    }
    totals = [
        (len(outcomes), "claims"),
        (sum(outcome.as_expected for outcome in outcomes), "verdicts as expected"),
        (sum(v in ("holds", "reproduced", "answered") for v in verdicts), "hold, reproduce or answer"),
        (verdicts.count("refuted"), "refuted with a counterexample"),
        (verdicts.count("stand-in agrees"), "measured by a smaller stand-in"),
        (sum(outcome.claim.record is not None for outcome in outcomes), "recorded at full scale"),
    ]
    return render(
        "scoreboard.html.j2",
        topics=topics,
        totals=totals,
        choices=choices,
        ids={outcome.claim.id for outcome in outcomes},
        scale=scale,
        date=datetime.now(UTC).strftime("%Y-%m-%d %H:%M UTC"),
        seconds=f"{sum(outcome.seconds for outcome in outcomes):.1f}",
    )


def card_of(claim: Claim, found: Found) -> Card:
    """What a page shows of a claim and of what was found."""
    surprising = "" if found.as_expected else "surprise "
    sections = [(name, _math(text)) for name, text in claim.sections().items() if name not in ("Claim", "Stand-in")]
    record = claim.record
    return Card(
        id=claim.id,
        topic=claim.topic,
        title=_math(claim.title),
        words=" ".join([claim.id, claim.title, *claim.sections().values()]).lower(),
        verdict=found.verdict,
        style=surprising + found.verdict.replace(" ", "-"),
        expected=found.expected,
        kind=found.kind,
        statement_kind=claim.statement_kind,
        scale=found.scale,
        stand_in=_math(claim.stand_in if found.scale == "quick" else ""),
        record=_told(claim),
        record_table=_trusted(rows_table(record) if record else ""),
        statement=_math(claim.statement),
        sections=sections,
        see=list(claim.see),
        bibtex=claim.citation,
        table=_trusted(found.table),
        figure=_trusted(found.figure),
        caption=_math(found.caption),
        module=claim.module,
        note=_math(found.note),
        error=found.error,
        seed=found.seed,
        seconds=f"{found.seconds:.2f}",
    )


def _told(claim: Claim) -> str:
    """The record of the check at full scale, in one line."""
    record = claim.record
    if record is None:
        return ""
    stale = ", stale: its code has changed since" if record.is_stale(claim) else ""
    versions = ", ".join(f"{name} {number}" for name, number in record.versions.items())
    seed = "" if record.seed is None else f", seed {record.seed}"
    return f"{record.verdict} on {record.date}, {record.seconds:,.0f} s{seed}, {record.machine}, {versions}{stale}"


def _math(text: str) -> Markup:
    return _trusted(to_html(" ".join(text.split())))


def _trusted(html: str) -> Markup:
    """HTML made by this library from escaped parts."""
    return Markup(html)  # noqa: S704
