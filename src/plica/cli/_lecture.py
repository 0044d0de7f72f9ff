"""``plica lecture``: a lecture as a page that was run."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from plica._whole import write_whole
from plica.cli._app import CHECK_FAILED, complain
from plica.cli._output import Debug, Json, Output, Quiet
from plica.errors import InvalidInput

if TYPE_CHECKING:
    from plica.lectures import Lecture
    from plica.report import Found


def lecture(
    name: Annotated[
        str | None, typer.Argument(metavar="[LECTURE]", help="4, 5, 15, washington or icerm; the list without it.")
    ] = None,
    out: Annotated[Path | None, typer.Option(help="The HTML file to write.", show_default="lecture-NAME.html")] = None,
    part: Annotated[list[int] | None, typer.Option(min=1, help="Only this part; may be given several times.")] = None,
    scale: Annotated[str, typer.Option(help="quick: seconds for each claim. full: the published settings, hours.")] = "quick",
    store: Annotated[
        Path | None,
        typer.Option(metavar="FOLDER", help="Keep what was run in this folder; what did not change is not run again."),
    ] = None,
    scenes: Annotated[
        bool,
        typer.Option("--scenes", help="Write its scenes instead: the explorer's pictures with other values to try, offline."),
    ] = False,
    json: Json = False,
    quiet: Quiet = False,
    debug: Debug = False,
) -> None:
    """Write a lecture as one page: for every statement, figure and table what it says, what was measured, and the verdict.

    Every claim of the lecture is run, which takes a minute or two at scale quick. With --store, a run that was interrupted goes
    on, and lectures share the claims that they have in common. The page needs no server and no network; with
    --scenes it has the pictures of the explorer, computed before, instead of the claims.
    The exit code is 1 when a verdict differs from the expected one; the page is written all the same.
    """
    from plica.claims import SCALES
    from plica.lectures import lecture as find
    from plica.lectures import lectures
    from plica.report import lecture_page, run_claim
    from plica.web import lesson

    voice = Output("lecture", as_json=json, quiet=quiet)
    if name is None:
        listed = {each.name: {"title": each.title, "claims": len(each.claims())} for each in lectures().values()}
        shown = "\n".join(f"{key:<11} {each['title']} ({each['claims']} claims)" for key, each in listed.items())
        voice.result(shown, {"lectures": listed})
        return
    if scale not in SCALES:
        raise InvalidInput(f"unknown scale {scale!r}.", hint=f"use one of {', '.join(SCALES)}")
    if store is not None and store.exists() and not store.is_dir():
        raise InvalidInput(f"--store {store} is a file.", hint="a folder")
    chosen = _only(find(name), part)
    if scenes:
        _write_scenes(chosen, out, voice)
        return
    page = Path(f"lecture-{chosen.name}.html") if out is None else out
    claims = chosen.claims()
    found: dict[str, Found] = {}
    with voice.stderr.status("running") as status:
        for i, claim in enumerate(claims, start=1):
            status.update(f"{i} of {len(claims)}: {claim.id}")
            found[claim.id] = run_claim(claim, scale, store=store, strict=debug)
    states = {id: state for id in found if (state := lesson(id))}
    write_whole(page, lecture_page(chosen, found, scale=scale, states=states))
    wrong = [id for id, each in found.items() if not each.as_expected]
    told = f"{chosen.title}: {len(chosen.parts)} parts, {len(found)} claims, {len(wrong)} not as expected. {page}"
    voice.result(told, {"page": str(page), "parts": len(chosen.parts), "claims": len(found), "unexpected": wrong})
    for id in wrong:
        complain(f"{id}: {found[id].verdict}, expected {found[id].expected}.")
    if wrong:
        raise typer.Exit(CHECK_FAILED)


def _write_scenes(chosen: Lecture, out: Path | None, voice: Output) -> None:
    """The scenes of a lecture as one page that needs no server."""
    from plica.web import lesson, scenes_page

    page = Path(f"lecture-{chosen.name}-scenes.html") if out is None else out
    shown = [claim.id for claim in chosen.claims() if lesson(claim.id)]
    with voice.stderr.status("computing frames") as status:
        text = scenes_page(
            f"{chosen.title}: scenes", shown, tell=lambda id: status.update(f"{shown.index(id) + 1} of {len(shown)}: {id}")
        )
    write_whole(page, text)
    told = f"{chosen.title}: {len(shown)} scenes, {len(text) / 1e6:.1f} MB. {page}"
    voice.result(told, {"page": str(page), "scenes": shown, "bytes": len(text.encode())})


def _only(found: Lecture, numbers: list[int] | None) -> Lecture:
    """The lecture with some of its parts."""
    from dataclasses import replace

    if not numbers:
        return found
    if max(numbers) > len(found.parts):
        raise InvalidInput(f"lecture {found.name} has {len(found.parts)} parts.", hint=f"--part 1 to --part {len(found.parts)}")
    return replace(found, parts=tuple(found.parts[i - 1] for i in sorted(set(numbers))))
