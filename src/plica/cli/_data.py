"""``plica data``: which data sets there are, fetch one, verify files."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from plica.cli._app import CHECK_FAILED, add
from plica.cli._output import Debug, Json, Output, Quiet

if TYPE_CHECKING:
    from rich.console import RenderableType

    from plica.data import Status

COLORS = {"embedded": "dim", "here": "green", "whole": "green", "absent": "", "damaged": "red"}
Root = Annotated[Path | None, typer.Option(help="A data folder to look in first (fetch: to put it into).", show_default=False)]


def register(app: typer.Typer) -> None:
    """Add ``plica data`` with its three commands."""
    data = typer.Typer(no_args_is_help=True, pretty_exceptions_enable=False)
    add(data, list_data, name="list", example="plica data list")
    add(data, fetch_data, name="fetch", example="plica data fetch mnist")
    add(data, verify_data, name="verify", example="plica data verify mnist")
    summary = "List data sets, fetch one, verify files."
    app.add_typer(data, name="data", help=f"Example: plica data list\n\n{summary}", short_help=summary)


def list_data(root: Root = None, json: Json = False, quiet: Quiet = False, debug: Debug = False) -> None:
    """List the data sets: embedded ones, and published ones with the folder they are in."""
    from plica.data import survey

    del debug
    out = Output("data list", as_json=json, quiet=quiet)
    found = survey(root)
    out.result(_table(found), {"datasets": [status.to_dict() for status in found]})
    out.note("In Python: plica.data.load(NAME). An absent one: plica data fetch NAME.")


def fetch_data(
    name: Annotated[str, typer.Argument(help="The data set.", show_default=False)],
    root: Root = None,
    mirror: Annotated[list[str] | None, typer.Option(help="An address to try first; repeatable.", show_default=False)] = None,
    timeout: Annotated[float, typer.Option(min=0.1, help="Seconds a mirror may be silent.")] = 30.0,
    json: Json = False,
    quiet: Quiet = False,
    debug: Debug = False,
) -> None:
    """Download a published data set into the user's cache, or into --root.

    Files appear only when they are complete and their hashes are the published ones. A download that broke is resumed.
    """
    from plica.data import fetch

    del debug
    out = Output("data fetch", as_json=json, quiet=quiet)
    with out.stderr.status(f"fetching {name}") as status:
        folder = fetch(
            name,
            root=root,
            mirrors=tuple(mirror or ()),
            timeout_s=timeout,
            progress=lambda file, have, total: status.update(
                f"{file}  {have:,}" + (f" of {total:,} bytes" if total else " bytes")
            ),
        )
    out.result(f"{name} is in {folder}", {"name": name, "folder": str(folder)})


def verify_data(
    names: Annotated[list[str] | None, typer.Argument(help="Data sets; all that are here if none.", show_default=False)] = None,
    root: Root = None,
    json: Json = False,
    quiet: Quiet = False,
    debug: Debug = False,
) -> None:
    """Compare the files of data sets with their published hashes. Exit code 1 if one is damaged."""
    from plica.data import survey, verify

    del debug
    out = Output("data verify", as_json=json, quiet=quiet)
    chosen = names or [status.name for status in survey(root) if status.state == "here"]
    found = [verify(name, root=root) for name in chosen]
    out.result(_table(found), {"datasets": [status.to_dict() for status in found]})
    if any(status.state == "damaged" for status in found):
        raise typer.Exit(CHECK_FAILED)


def _table(found: list[Status]) -> RenderableType:
    from rich.table import Table
    from rich.text import Text

    table = Table(box=None, pad_edge=False, show_header=False)
    table.add_column("name", no_wrap=True)
    table.add_column("state", no_wrap=True)
    table.add_column("about", ratio=1)
    for status in found:
        where = f"\n{status.folder}" if status.folder else ""
        about = Text(status.problem or status.about).append(where, style="dim")
        table.add_row(status.name, Text(status.state, style=COLORS[status.state]), about)
    return table
