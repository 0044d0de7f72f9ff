"""``plica figure``: the figure of a claim for a paper or a slide."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from plica.cli._output import Debug, Json, Output, Quiet
from plica.errors import InvalidInput


def figure(
    id: Annotated[str, typer.Argument(metavar="CLAIM", help="A claim; list them with `plica claims`.", show_default=False)],
    out: Annotated[Path | None, typer.Option(help="A .pdf, .svg or .png file.", show_default="CLAIM.pdf")] = None,
    scale: Annotated[str, typer.Option(help="quick: seconds. full: the published setting or larger.")] = "quick",
    size: Annotated[str | None, typer.Option(metavar="WIDTH,HEIGHT", help="In inches.", show_default="4.4,3.1")] = None,
    json: Json = False,
    quiet: Quiet = False,
    debug: Debug = False,
) -> None:
    """Run a claim and write its figure, with the numbers that are drawn as a CSV file beside it."""
    from plica.claims import SCALES, catalog, figure_format, write_figure
    from plica.cli._domain import parse_numbers

    if scale not in SCALES:
        raise InvalidInput(f"unknown scale {scale!r}.", hint=f"use one of {', '.join(SCALES)}")
    claim = catalog()[id]
    path = Path(f"{id}.pdf") if out is None else out
    figure_format(path)  # said before the claim is run
    inches = None if size is None else tuple(parse_numbers(size, "--size", count=2, kind=float))
    if inches is not None and not all(0.5 <= v <= 40 for v in inches):
        raise InvalidInput(f"--size {size}.", hint="a width and a height in inches, from 0.5 to 40")
    voice = Output("figure", as_json=json, quiet=quiet)
    with voice.stderr.status(f"running {id}"):
        evidence = claim.check(scale)  # type: ignore[arg-type]
    table = write_figure(evidence, path, size=inches)  # type: ignore[arg-type]
    voice.result(f"{path} and {table}: {evidence.verdict}", {"figure": str(path), "data": str(table), **evidence.to_dict()})
