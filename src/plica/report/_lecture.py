"""A lecture as one page: its parts in order, each with what to see, its claims as they were run, and a drawing of the system."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from markupsafe import Markup

from plica.claims import to_html
from plica.report._found import Found
from plica.report._page import render
from plica.report._scoreboard import Card, card_of

if TYPE_CHECKING:
    from plica.lectures import Lecture, Part

#: A page of the explorer on this machine that asks before it opens a link from elsewhere.
EXPLORER = "http://127.0.0.1:8400/open"


@dataclass(frozen=True)
class Shown:
    """A claim in a part: in full where it comes first, as a link to there afterwards."""

    card: Card
    repeated: bool
    state: str
    sight: Markup

    @property
    def id(self) -> str:
        return self.card.id

    @property
    def title(self) -> Markup:
        return self.card.title


@dataclass(frozen=True)
class ShownScene:
    """A scene: what to do in the explorer, with the state that opens it, or the script of the gallery."""

    title: str
    say: Markup
    state: str
    gallery: str


@dataclass(frozen=True)
class ShownPart:
    """A part as the template shows it."""

    title: str
    say: Markup
    code: str
    diagram: Markup
    caption: str
    cards: list[Shown]
    scenes: list[ShownScene]
    n_refuted: int
    n_surprises: int


def lecture_page(lecture: Lecture, found: Mapping[str, Found], *, scale: str, states: Mapping[str, str] | None = None) -> str:
    """One self-contained HTML file of a lecture.

    Parameters
    ----------
    found
        What was found for each of its claims, by identifier.
    states
        The state of the explorer that shows a claim, for those that have one.
    """
    seen: set[str] = set()
    parts = [_shown(part, found, states or {}, seen) for part in lecture]
    return render(
        "lecture.html.j2",
        lecture=lecture,
        parts=parts,
        n_claims=len(found),
        ids=set(found),
        explorer=EXPLORER,
        scale=scale,
        date=datetime.now(UTC).strftime("%Y-%m-%d %H:%M UTC"),
        seconds=f"{sum(each.seconds for each in found.values()):.0f}",
    )


def _typeset(text: str) -> Markup:
    return Markup(to_html(text))  # noqa: S704 - it escapes what it is given


def _shown(part: Part, found: Mapping[str, Found], states: Mapping[str, str], seen: set[str]) -> ShownPart:
    from plica.claims import catalog
    from plica.lectures import diagram, sight

    chosen = [found[id] for id in part.claims]
    known = catalog()
    told = {scene.show for scene in part.scenes}
    cards = []
    for each in chosen:
        id = each.id
        cards.append(Shown(card_of(known[id], each), id in seen, "" if id in told else states.get(id, ""), _typeset(sight(id))))
        seen.add(id)
    picture = diagram(part.diagram) if part.diagram else None
    return ShownPart(
        title=part.title,
        say=_typeset(part.say),
        code=part.code.strip(),
        diagram=Markup(picture.svg() if picture else ""),  # noqa: S704 - made from escaped parts
        caption=f"{picture.name}, drawn from the model: {picture.n_parameters:,} parameters" if picture else "",
        cards=cards,
        scenes=[ShownScene(s.title, _typeset(s.say), s.state or states.get(s.show, ""), s.gallery) for s in part.scenes],
        n_refuted=sum(each.verdict == "refuted" for each in chosen),
        n_surprises=sum(not each.as_expected for each in chosen),
    )
