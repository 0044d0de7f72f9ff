"""``plica demo``: train a small network, write a page that shows how it folds the plane, and a report on it."""

from __future__ import annotations

import shlex
import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from plica._whole import write_whole
from plica.cli._app import INTERRUPTED
from plica.cli._output import Debug, Json, Output, Quiet, Seed
from plica.cli._spirals import WIDTHS, drawn_epochs, spirals, train, window
from plica.errors import InvalidInput

if TYPE_CHECKING:
    from rich.text import Text

    from plica.network import Network
    from plica.report import Command, Moment

BARS = "▁▂▃▄▅▆▇█"


def demo(
    out: Annotated[Path, typer.Option(help="The page to write; the network is saved next to it.")] = Path("plica-demo.html"),
    seed: Seed = 0,
    epochs: Annotated[int, typer.Option(min=1, max=10_000, help="How long to train.")] = 200,
    json: Json = False,
    quiet: Quiet = False,
    debug: Debug = False,
) -> None:
    """Watch a network fold the plane while it learns.

    Trains a small ReLU network on two spirals, counts its regions exactly after every epoch and writes one HTML page that needs
    nothing else, and a report on the trained network. Ctrl-C stops the training; the page then shows what was finished.
    """
    if out.suffix != ".html" or not out.parent.is_dir():
        raise InvalidInput(f"--out {out}: give the name of an .html file in a folder that exists.")
    say = Output("demo", as_json=json, quiet=quiet)
    started = time.perf_counter()
    shape = "-".join(map(str, WIDTHS))
    say.note(f"A {shape} network learns two spirals (seed {seed}); its regions are counted exactly after every epoch.\n")
    points, labels = spirals(seed=seed)
    moments, network, interrupted = _watch(say, points, labels, seed=seed, epochs=epochs)

    import plica
    from plica.report import demo_page

    model = out.with_suffix(".safetensors")
    commands = suggestions(model, seed)
    write_whole(out, demo_page(moments, points, labels, commands=commands))
    plica.save(network, model)
    report = out.with_name(f"{out.stem}-report.html")
    if not interrupted:
        _report(say, report, network, points, labels, seed=seed)
    seconds = time.perf_counter() - started
    say.result(
        _farewell(out, None if interrupted else report, model, moments[-1], commands, seconds),
        {
            "page": str(out),
            "report": None if interrupted else str(report),
            "model": str(model),
            "seed": seed,
            "finished": not interrupted,
            "seconds": round(seconds, 3),
            "moments": [
                {"epoch": m.epoch, "loss": m.loss, "accuracy": m.accuracy, "n_regions": m.n_regions, "n_cells": m.n_cells}
                for m in moments
            ],
            "try": [command.line for command in commands],
        },
    )
    if interrupted:
        raise typer.Exit(INTERRUPTED)


def _watch(say: Output, points: Any, labels: Any, *, seed: int, epochs: int) -> tuple[list[Moment], Network, bool]:
    """Train and tell; a Ctrl-C ends the training early, with the last moment drawn."""
    from dataclasses import replace

    import plica
    from plica.geometry import PlaneComplex

    drawn = drawn_epochs(epochs)
    moments: list[Moment] = []
    network: Network | None = None
    interrupted = False
    with say.stderr.status("importing torch, compiling the engine") as status:
        try:
            for moment, network in train(points, labels, seed=seed, epochs=epochs, drawn=drawn):  # noqa: B007 used below
                moments.append(moment)
                if moment.complex is not None:
                    say.note(_row(moment, header=len(moments) == 1))
                status.update(f"epoch {moment.epoch} of {epochs}  {sparkline([m.n_regions for m in moments])}  regions")
        except KeyboardInterrupt:
            interrupted = True
            if network is None:
                raise
    assert network is not None
    if moments[-1].complex is None:
        found = plica.decompose(network, window())
        assert isinstance(found, PlaneComplex)
        moments[-1] = replace(moments[-1], complex=found)
    return moments, network, interrupted


def _report(say: Output, path: Path, network: Network, points: Any, labels: Any, *, seed: int) -> None:
    """The report on the trained network, in a few seconds."""
    from plica.report import Task, model_page, model_sections

    with say.stderr.status("writing the report") as status:
        task = Task.of(network, points, labels, seed=seed, max_seconds=10.0, progress=status.update)
        sections = model_sections(task)
    write_whole(path, model_page(sections, task, title="Report on the network of the demo"))


def _row(moment: Moment, *, header: bool) -> str:
    head = "  epoch     loss   accuracy   regions (exact)\n" if header else ""
    return f"{head}  {moment.epoch:5d}  {moment.loss:7.4f}   {moment.accuracy:8.1%}   {moment.n_regions:7,d}"


def sparkline(values: list[int], *, width: int = 32) -> str:
    """A curve in one line of text.

    >>> sparkline([0, 7, 14], width=3)
    '▁▄█'
    """
    step = max(1, -(-len(values) // width))
    shown = values[::step]
    low, high = min(shown), max(shown)
    return "".join(BARS[int((len(BARS) - 1) * (v - low) / ((high - low) or 1))] for v in shown)


def suggestions(model: Path, seed: int) -> list[Command]:
    """Three commands that work on what the demo wrote."""
    from plica.report import Command

    name = shlex.quote(str(model))
    reach = f"{float(window().high[0]):g}"
    return [
        Command(f"plica regions {name} --box -{reach},{reach}", "the same network as a table of numbers"),
        Command(f"plica regions {name} --box -3,3 --plot regions.svg", "zoom out, as a picture for a paper"),
        Command(f"plica demo --seed {seed + 1} --out another.html", "another network, other folds"),
    ]


def _farewell(page: Path, report: Path | None, model: Path, last: Moment, commands: list[Command], seconds: float) -> Text:
    from rich.text import Text

    text = Text(f"\n{last.n_regions:,} regions after epoch {last.epoch} (exact), in {seconds:.1f} s.\n")
    text.append("\nThe page:    ").append(str(page.resolve()), style="bold")
    if report is not None:
        text.append("\nThe report:  ").append(str(report.resolve()), style="bold")
    text.append("\nThe network: ").append(str(model.resolve()))
    text.append("\n\nTry next:")
    for command in commands:
        text.append(f"\n  {command.line}", style="bold").append(f"\n      {command.why}", style="dim")
    return text
