"""The scoreboard: every claim that was run, with what it predicts, what was measured and the verdict."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from markupsafe import Markup

from plica.claims import rows_table, to_html
from plica.report._page import render

if TYPE_CHECKING:
    from plica.claims import Outcome


@dataclass(frozen=True)
class Card:
    """One claim as the template shows it; Markup is HTML that is already escaped."""

    id: str
    title: Markup
    verdict: str
    style: str
    expected: str
    kind: str
    statement: Markup
    sections: list[tuple[str, Markup]]
    see: list[str]
    bibtex: str
    table: Markup
    figure: Markup
    note: Markup
    error: str
    seed: int | None
    seconds: str


def scoreboard_page(outcomes: Sequence[Outcome], *, scale: str) -> str:
    """One self-contained HTML file for these outcomes of :func:`plica.check`."""
    topics: dict[str, list[Card]] = {}
    for outcome in outcomes:
        topics.setdefault(outcome.claim.topic, []).append(_card(outcome))
    verdicts = [outcome.verdict for outcome in outcomes]
    totals = [
        (len(outcomes), "claims"),
        (sum(outcome.as_expected for outcome in outcomes), "verdicts as expected"),
        (sum(v in ("holds", "reproduced") for v in verdicts), "hold or reproduce"),
        (verdicts.count("refuted"), "refuted with a counterexample"),
    ]
    return render(
        "scoreboard.html.j2",
        topics=topics,
        totals=totals,
        ids={outcome.claim.id for outcome in outcomes},
        scale=scale,
        date=datetime.now(UTC).strftime("%Y-%m-%d %H:%M UTC"),
        seconds=f"{sum(outcome.seconds for outcome in outcomes):.1f}",
    )


def _card(outcome: Outcome) -> Card:
    claim, evidence = outcome.claim, outcome.evidence
    surprising = "" if outcome.as_expected else "surprise "
    sections = [(name, _math(text)) for name, text in claim.sections().items() if name != "Claim"]
    return Card(
        id=claim.id,
        title=_math(claim.title),
        verdict=outcome.verdict,
        style=surprising + outcome.verdict.replace(" ", "-"),
        expected=claim.expected,
        kind=outcome.kind,
        statement=_math(claim.statement),
        sections=sections,
        see=list(claim.see),
        bibtex=claim.citation,
        table=_trusted(rows_table(evidence) if evidence else ""),
        figure=_trusted(evidence.svg() if evidence else ""),
        note=_math(evidence.note if evidence else ""),
        error=outcome.error,
        seed=evidence.seed if evidence else None,
        seconds=f"{outcome.seconds:.2f}",
    )


def _math(text: str) -> Markup:
    return _trusted(to_html(" ".join(text.split())))


def _trusted(html: str) -> Markup:
    """HTML made by this library from escaped parts."""
    return Markup(html)  # noqa: S704
