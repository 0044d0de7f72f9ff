"""``plica report``: everything Plica says about a model and its data, in one HTML file."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from plica import __version__
from plica._whole import write_whole
from plica.cli._app import BUDGET, INTERRUPTED, complain
from plica.cli._domain import TEXT, load_points
from plica.cli._output import Debug, Json, Output, Quiet, Seed
from plica.errors import InvalidInput

if TYPE_CHECKING:
    from rich.table import Table

    from plica._types import Array
    from plica.network import Network
    from plica.report import Section


def report(
    model: Annotated[Path, typer.Argument(help="A .onnx or .safetensors file.", show_default=False)],
    data: Annotated[
        Path | None,
        typer.Option(help="A .npy file with one input in each row; or a .csv file, whose last column may be classes or targets."),
    ] = None,
    labels: Annotated[
        Path | None,
        typer.Option(help="A .npy file with the class of each row, an integer; for one output also the number it should be."),
    ] = None,
    out: Annotated[Path, typer.Option(help="The page to write.")] = Path("plica-report.html"),
    max_seconds: Annotated[float, typer.Option(min=1, help="How long it may take, shared among the sections.")] = 120.0,
    image: Annotated[
        str,
        typer.Option(help="Inputs (or what is made) are images of this shape, as 28x28 or 3x32x32; or none. Guessed by default."),
    ] = "",
    seed: Seed = 0,
    json: Json = False,
    quiet: Quiet = False,
    debug: Debug = False,
) -> None:
    """Write a report on a model: regions, folds, lengths, Jacobians, dimension, bounds.

    One HTML file that needs nothing else. Finished sections are kept beside the page until it is written: an interrupted report
    goes on where it stopped when the same command is given again.
    """
    if out.suffix != ".html" or not out.parent.is_dir():
        raise InvalidInput(f"--out {out}: give the name of an .html file in a folder that exists.")
    import plica
    from plica.report import Parts, Task, model_page, model_sections

    say = Output("report", as_json=json, quiet=quiet)
    network = plica.load(model)
    points, classes, names, columns = _given(data, labels, network)
    parts = Parts(out.with_suffix(".parts"), _key(f"{seed} {max_seconds} {image}", model, data, labels))
    say.note(f"{network!r}, at most about {max_seconds:g} s")
    with say.stderr.status("reading the model") as status:
        where = ""
        task = Task.of(
            network,
            points,
            classes,
            seed=seed,
            max_seconds=max_seconds,
            image=image,
            names=names,
            columns=columns,
            progress=lambda text: status.update(f"{where}: {text}"),
        )

        def progress(name: str, i: int, n: int) -> None:
            nonlocal where
            where = f"{name} ({i + 1} of {n})"
            status.update(where)

        try:
            sections = model_sections(task, parts=parts, progress=progress)
        except KeyboardInterrupt:
            complain("interrupted.", f"the same command goes on from what is kept in {parts.folder}")
            raise typer.Exit(INTERRUPTED) from None
    page = model_page(sections, task, title=f"Report on {model.name}")
    write_whole(out, page)
    parts.clear()
    say.result(
        _table(out, sections),
        {
            "page": str(out),
            "bytes": len(page.encode()),
            "seed": seed,
            "finished": all(section.is_complete for section in sections),
            "sections": [_plain(section) for section in sections],
        },
    )
    late = [section.title for section in sections if not section.is_complete]
    if late:
        complain(f"the budget was too small for: {', '.join(late)}.", "the page says what is missing; raise --max-seconds")
        raise typer.Exit(BUDGET)


def _given(
    data: Path | None, labels: Path | None, network: Network
) -> tuple[Array | None, Array | None, tuple[str, ...], tuple[str, ...]]:
    """Points, their classes or targets, and what classes and inputs are called."""
    from plica._csv import read_csv
    from plica._npy import read_npy

    if data is None or data.suffix.lower() not in TEXT:
        points = None if data is None else load_points(data, network, shaped=True)
        return points, None if labels is None else read_npy(labels), (), ()
    table = read_csv(data, network.n_inputs)
    if labels is not None and table.answers is not None:
        raise InvalidInput(f"{data.name} has a column of answers, and --labels {labels} was given.", hint="give one of them")
    answers = table.answers if labels is None else read_npy(labels)
    return table.points, answers, table.classes, table.columns


def _key(options: str, *paths: Path | None) -> str:
    """What the sections depend on."""
    digest = hashlib.sha256(f"{__version__} {options}".encode())
    for path in paths:
        digest.update(b"|")
        if path is not None:
            with path.open("rb") as file:
                while block := file.read(1 << 20):
                    digest.update(block)
    return digest.hexdigest()


def _plain(section: Section) -> dict[str, Any]:
    """A section without its pictures."""
    document = section.to_dict()
    document.pop("figures")
    return document


def _table(out: Path, sections: list[Section]) -> Table:
    from rich.table import Table

    table = Table(title=str(out.resolve()), title_justify="left", box=None, pad_edge=False, show_header=False)
    for section in sections:
        first = next((f"{name}: {value} ({kind})" for name, value, kind in section.facts), "")
        if not first and section.tables and section.tables[0]["rows"]:
            head, row = section.tables[0]["head"], section.tables[0]["rows"][0]
            first = f"{row[0]}: " + ", ".join(f"{h} {v}" for h, v in zip(head[1:3], row[1:3], strict=True))
        table.add_row(section.title, first, f"{section.seconds:.1f} s")
    return table
