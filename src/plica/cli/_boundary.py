"""``plica boundary``: where a model's answer changes in a plane, without all its regions."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from plica.cli._app import BUDGET, INTERRUPTED, complain
from plica.cli._domain import (
    Data,
    Margin,
    MaxBytes,
    MaxCells,
    MaxSeconds,
    Model,
    PlaneSeed,
    Range,
    Through,
    choose_domain,
    limits,
    load_points,
)
from plica.cli._output import Debug, Json, Output, Quiet, check_target
from plica.cli._summary import boundary_progress, boundary_table, describe_network
from plica.errors import BudgetExceeded, InvalidInput

if TYPE_CHECKING:
    from plica.geometry import Curves
    from plica.network import Network

PICTURES = (".png", ".svg", ".pdf")


def boundary(
    model: Model,
    data: Data = None,
    through: Through = None,
    box: Range = None,
    margin: Margin = 0.0,
    seed: PlaneSeed = None,
    samples: Annotated[
        int | None, typer.Option(min=2, max=1000, help="Follow only what passes between so many times so many points.")
    ] = None,
    level: Annotated[
        float | None, typer.Option(help="Where the output given by --output takes this value, instead of the boundary.")
    ] = None,
    output: Annotated[int, typer.Option(min=0, help="With --level: which output.")] = 0,
    max_cells: MaxCells = None,
    max_seconds: MaxSeconds = None,
    max_bytes: MaxBytes = None,
    plot: Annotated[Path | None, typer.Option(help="Write a picture: .png, .svg or .pdf.")] = None,
    save: Annotated[Path | None, typer.Option(help="Write the curves to a .npz file.")] = None,
    json: Json = False,
    quiet: Quiet = False,
    debug: Debug = False,
) -> None:
    """Follow the decision boundary of a model in a plane, exactly: where another output becomes the largest.

    A model with two inputs is looked at in a box, one with more inputs on a plane: give --data with --through, or --seed.
    A model with a single output changes its sign there. Where bounds prove that nothing changes, nothing is computed.
    Through large networks of images the proof that nothing was missed may take hours: with --samples 12 the curves that pass
    between 12 times 12 points are followed to their ends, and nothing is said about the rest.
    A computation that reaches a limit writes and prints what it has found; see also: plica regions MODEL --estimate.
    """
    check_target(plot, PICTURES, "--plot")
    check_target(save, (".npz",), "--save")
    import plica

    out = Output("boundary", as_json=json, quiet=quiet)
    network = plica.load(model)
    if output >= network.n_outputs:
        raise InvalidInput(f"--output {output}: the model has outputs 0 to {network.n_outputs - 1}.")
    if level is None and output:
        raise InvalidInput("--output is for --level.", hint="the boundary compares all outputs")
    points = None if data is None else load_points(data, network)
    domain, where = choose_domain(network, points=points, through=through, box=box, margin=margin, seed=seed)
    about: dict[str, Any] = {"model": str(model), "network": describe_network(network), "domain": where}
    about |= {"samples": samples, "level": level}
    options: dict[str, Any] = {
        "samples": samples,
        "budget": limits(max_cells=max_cells, max_seconds=max_seconds, max_bytes=max_bytes),
    }
    title = f"{model.name} on {where}"

    def tell(curves: Curves, *, finished: bool) -> None:
        facts = curves.to_dict()
        out.result(boundary_table(facts, title=title, finished=finished), about | {"finished": finished} | facts)
        if save is not None:
            curves.save(save)
            out.note(f"wrote {save}")
        if plot is not None:
            _draw(curves, network if level is None else None, plot, title=f"{model.name}\n{where}")
            out.note(f"wrote {plot}")

    last: dict[str, Any] = {}
    try:
        out.note(f"{network!r} on {where}")
        with out.stderr.status("following") as status:

            def progress(report: dict[str, Any]) -> None:
                last.update(report)
                status.update(boundary_progress(report))

            if level is None:
                curves = plica.decision_boundary(network, domain, progress=progress, **options)
            else:
                curves = plica.level_set(network, domain, level, output, progress=progress, **options)
    except BudgetExceeded as stop:
        found = stop.partial.get("curves")
        if found is None:
            out.result(boundary_progress(last), about | {"finished": False, "partial": last})
        else:
            tell(found, finished=False)
        complain(stop.message, stop.hint)
        raise typer.Exit(BUDGET) from None
    except KeyboardInterrupt:
        out.result(boundary_progress(last), about | {"finished": False, "partial": last})
        complain("interrupted.")
        raise typer.Exit(INTERRUPTED) from None
    tell(curves, finished=True)


def _draw(curves: Curves, network: Network | None, path: Path, *, title: str) -> None:
    ax = curves.plot(network=network)
    ax.set_title(title, fontsize="medium")
    figure = ax.get_figure(root=True)
    assert figure is not None
    figure.savefig(path, dpi=200)
