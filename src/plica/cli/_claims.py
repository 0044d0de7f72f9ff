"""``plica claims``: the catalog of claims, and one of them in full."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from plica.cli._output import Debug, Json, Output, Quiet
from plica.errors import InvalidInput

if TYPE_CHECKING:
    from rich.console import RenderableType

    from plica.claims import Catalog, Claim

SIGNS = {"exact": "", "certified": " ≤", "estimated": " ≈"}
COLORS = {
    "holds": "green",
    "reproduced": "green",
    "answered": "green",
    "stand-in agrees": "cyan",
    "refuted": "magenta",
    "not reproduced": "magenta",
    "stand-in disagrees": "red",
    "inconclusive": "yellow",
    "fails": "red",
    "error": "red",
}


def claims(
    words: Annotated[
        list[str] | None, typer.Argument(help="Words to search for; or: show ID; or: new ID.", show_default=False)
    ] = None,
    topic: Annotated[str | None, typer.Option(help="Only this topic; with new, the topic to write to.")] = None,
    kind: Annotated[str | None, typer.Option(help="Only claims measured as exact, certified or estimated.")] = None,
    about: Annotated[str, typer.Option(help="With new: what a new topic is about, in one sentence.")] = "",
    cite: Annotated[str, typer.Option(help="With new: the key of the source in references.bib.")] = "",
    json: Json = False,
    quiet: Quiet = False,
    debug: Debug = False,
) -> None:
    """List the claims, search them, show one in full, or begin a new one.

    `plica claims` lists all, `plica claims montufar` those with a word in them, `plica claims show ID` one claim: its
    statement, its source with BibTeX, what it predicts and how it is measured. `plica claims new ID --topic TOPIC` writes a
    page to fill in, into the package or into the last folder that the variable PLICA_CLAIMS names.
    """
    from plica.claims import catalog

    del debug
    out = Output("claims", as_json=json, quiet=quiet)
    if words and words[0] == "new":
        _begin(words[1:], topic=topic, about=about, key=cite, out=out)
        return
    if words and words[0] == "show":
        if len(words) != 2:
            raise InvalidInput("show takes the id of one claim.", hint="plica claims show zaslavsky-1975")
        claim = catalog()[words[1]]
        out.result(_page(claim), {"claim": claim.to_dict() | {"bibtex": claim.citation}})
        return
    found = catalog(topic=topic, kind=kind, search=" ".join(words or ()))  # type: ignore[arg-type]
    out.result(_table(found), found.to_dict())
    out.note(f"{len(found)} claims, with the verdict they expect (≈ estimated, ≤ certified, else exact).")
    out.note("One in full: plica claims show ID. Run it: plica check ID.")


def _begin(words: list[str], *, topic: str | None, about: str, key: str, out: Output) -> None:
    """Write the page of a new claim and say what to do next."""
    from plica.claims import new_claim

    if len(words) != 1 or topic is None:
        raise InvalidInput(
            "new takes the id of one claim, and a topic.", hint="plica claims new steiner-1826-parallels --topic regions"
        )
    written = new_claim(words[0], topic=topic, about=about, key=key)
    out.result("\n".join(map(str, written)), {"written": [str(path) for path in written]})
    out.note(f"Fill in what says FILL IN, then: plica check {words[0]}")


def _table(found: Catalog) -> RenderableType:
    from rich.table import Table
    from rich.text import Text

    from plica.claims import to_unicode

    table = Table(box=None, pad_edge=False, show_header=False)
    for column in ("id", "expected"):
        table.add_column(column, no_wrap=True)
    table.add_column("claim", ratio=1)
    for topic in found.topics:
        table.add_row(Text(topic, style="bold"))
        for claim in found.select(topic=topic):
            expected = Text(claim.expected + SIGNS[claim.kind], style=COLORS[claim.expected])
            table.add_row(f"  {claim.id}", expected, Text(to_unicode(claim.title)))
    return table


def _recorded(claim: Claim) -> str:
    """What is kept of the check at full scale."""
    record = claim.record
    if record is None:
        return f"no record; plica check {claim.id} --scale full"
    stale = ", of an earlier version of its code" if record.is_stale(claim) else ""
    return f"{record.verdict} on {record.date} in {record.seconds:.0f} s ({record.machine}){stale}"


def _page(claim: Claim) -> RenderableType:
    from rich.console import Group
    from rich.padding import Padding
    from rich.text import Text

    from plica.claims import to_unicode

    parts: list[RenderableType] = [Text(to_unicode(claim.title), style="bold"), Text(f"{claim.id} · {claim.topic}", style="dim")]
    for heading, text in claim.sections().items():
        parts += [Text(f"\n{heading}", style="bold"), Padding(Text(to_unicode(" ".join(text.split()))), (0, 0, 0, 4))]
    parts += [
        Text("\nExpected", style="bold"),
        Padding(Text(f"{claim.expected} ({claim.statement_kind}, {claim.kind})", style=COLORS[claim.expected]), (0, 0, 0, 4)),
        Text("\nFull scale", style="bold"),
        Padding(Text(_recorded(claim)), (0, 0, 0, 4)),
    ]
    if claim.see:
        parts += [Text("\nSee", style="bold"), Padding(Text(", ".join(claim.see)), (0, 0, 0, 4))]
    parts += [Text("\nBibTeX", style="bold"), Padding(Text(claim.citation), (0, 0, 0, 4))]
    return Group(*parts)
