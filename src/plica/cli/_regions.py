"""``plica regions``: the cells, regions and folds of a model from a file."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from plica._whole import write_whole
from plica.cli._app import BUDGET, INTERRUPTED, complain
from plica.cli._domain import (
    Data,
    Ends,
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
from plica.cli._output import Cluster, Debug, Json, Output, Quiet, check_target
from plica.cli._summary import complex_table, cost_table, describe_complex, describe_network, partial_table, progress_line
from plica.errors import BudgetExceeded, InvalidInput

if TYPE_CHECKING:
    from plica.geometry import Budget, Complex, Cost, Domain
    from plica.network import Network

PICTURES = (".png", ".svg", ".pdf", ".html")


def regions(
    model: Model,
    data: Data = None,
    through: Through = None,
    segment: Ends = None,
    box: Range = None,
    margin: Margin = 0.0,
    seed: PlaneSeed = None,
    output: Annotated[int, typer.Option(min=0, help="The output that pictures show.")] = 0,
    max_cells: MaxCells = None,
    max_seconds: MaxSeconds = None,
    max_bytes: MaxBytes = None,
    cluster: Cluster = None,
    estimate: Annotated[
        bool, typer.Option("--estimate", help="Only say what it would cost, from a few parts of the domain.")
    ] = False,
    plot: Annotated[Path | None, typer.Option(help="Write a picture: .png, .svg, .pdf or .html.")] = None,
    save: Annotated[Path | None, typer.Option(help="Write the complex to a .npz file.")] = None,
    json: Json = False,
    quiet: Quiet = False,
    debug: Debug = False,
) -> None:
    """Find every region of a model on a line or a plane.

    A model with one or two inputs is looked at in a box, one with more inputs on a slice: give --data with --through or
    with --segment, or --seed for a random plane.
    A computation that reaches a limit, or is interrupted, prints what it has finished.
    """
    check_target(plot, PICTURES, "--plot")
    check_target(save, (".npz",), "--save")
    import plica

    out = Output("regions", as_json=json, quiet=quiet)
    network = plica.load(model)
    if output >= network.n_outputs:
        raise InvalidInput(f"--output {output}: the model has outputs 0 to {network.n_outputs - 1}.")
    points = None if data is None else load_points(data, network)
    domain, where = choose_domain(network, points=points, through=through, segment=segment, box=box, margin=margin, seed=seed)
    budget = limits(max_cells=max_cells, max_seconds=max_seconds, max_bytes=max_bytes)
    about = {"model": str(model), "network": describe_network(network), "domain": where}
    title = f"{model.name} on {where}"

    if estimate:
        meter = plica.geometry.Meter(budget, len(network.layers))
        cost = plica.estimate_cost(network, domain, budget=budget)
        boundary = None if domain.dimension != 2 else _boundary_cost(network, domain, meter.rest(), out)
        also = {} if boundary is None else {"boundary_estimate": asdict(boundary)}
        out.result(cost_table(cost, boundary, title=title), about | {"finished": False, "estimate": asdict(cost)} | also)
        return
    where_to_run: dict[str, Any] = {} if cluster is None else {"cluster": cluster}
    last: dict[str, Any] = {}
    try:
        out.note(f"{network!r} on {where}")
        with out.stderr.status("decomposing") as status:

            def progress(report: dict[str, Any]) -> None:
                last.update(report)
                status.update(progress_line(report))

            cx = plica.decompose(network, domain, budget=budget, progress=progress, **where_to_run)
    except BudgetExceeded as stop:
        partial = last | stop.partial
        out.result(partial_table(partial, title=title), about | {"finished": False, "partial": partial})
        complain(stop.message, stop.hint)
        raise typer.Exit(BUDGET) from None
    except KeyboardInterrupt:
        out.result(partial_table(last, title=title), about | {"finished": False, "partial": last})
        complain("interrupted.")
        raise typer.Exit(INTERRUPTED) from None

    facts = describe_complex(cx)
    out.result(complex_table(facts, title=title), about | {"finished": True} | facts)
    if save is not None:
        cx.save(save)
        out.note(f"wrote {save}")
    if plot is not None:
        _draw(cx, plot, name=model.name, where=where, output=output)
        out.note(f"wrote {plot}")


def _boundary_cost(network: Network, domain: Domain, budget: Budget, out: Output) -> Cost | None:
    from plica.geometry import estimate_boundary_cost

    try:
        return estimate_boundary_cost(network, domain, budget=budget)
    except BudgetExceeded as stop:
        out.note(f"the cost of the decision boundary is not known: {stop.message}")
        return None


def _draw(cx: Complex, path: Path, *, name: str, where: str, output: int) -> None:
    if path.suffix == ".html":
        from plica.report import complex_page

        write_whole(path, complex_page(cx, title=f"{name} on {where}", output=output))
        return
    from plica.plot import plot_complex

    ax = plot_complex(cx, output=output, boundary=cx.dimension == 2)
    noun = "regions" if cx.dimension == 2 else "pieces"
    ax.set_title(f"{name}: {cx.n_regions:,} {noun}\n{where}", fontsize="medium")
    figure = ax.get_figure(root=True)
    assert figure is not None
    figure.savefig(path, dpi=200)
