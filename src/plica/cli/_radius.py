"""``plica radius``: how far the inputs in a file are from another class, certified from both sides."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from plica.cli._domain import load_points
from plica.cli._output import Cluster, Debug, Json, Output, Quiet
from plica.errors import InvalidInput

if TYPE_CHECKING:
    from plica.robust import ClassDistance


def radius(
    model: Annotated[Path, typer.Argument(help="A .onnx or .safetensors file.", show_default=False)],
    data: Annotated[Path, typer.Option(help="A .npy or .csv file with one input in each row.", show_default=False)],
    norm: Annotated[str, typer.Option(help="l1, l2 or linf.")] = "l2",
    rows: Annotated[str | None, typer.Option(metavar="I,J,...", help="Only these rows of the data.")] = None,
    tolerance: Annotated[float, typer.Option(help="Relative difference of both bounds at which a search ends.")] = 1e-6,
    timeout: Annotated[float, typer.Option(help="Seconds for each input; then the bounds may be apart.")] = 60.0,
    store: Annotated[Path | None, typer.Option(help="Append results to this file, and take known ones from it.")] = None,
    cluster: Cluster = None,
    json: Json = False,
    quiet: Quiet = False,
    debug: Debug = False,
) -> None:
    """Find how robust inputs are: the distance to the nearest input of another class.

    The lower bound is proved for the network in real arithmetic; the upper one is the distance of a point that has another class,
    or a tie. An interrupted run with --store continues where it stopped.
    """
    import plica
    from plica.robust import class_distances

    if norm not in ("l1", "l2", "linf"):
        raise InvalidInput(f"--norm {norm} is not known.", hint="l1, l2 or linf")
    voice = Output("radius", as_json=json, quiet=quiet)
    network = plica.load(model)
    points = load_points(data, network)
    try:
        chosen = list(range(len(points))) if rows is None else [int(r) for r in rows.split(",")]
    except ValueError:
        raise InvalidInput(f"--rows {rows}: expected numbers with commas.") from None
    if any(not 0 <= r < len(points) for r in chosen):
        raise InvalidInput(f"--rows {rows}: the data has rows 0 to {len(points) - 1}.")
    with voice.stderr.status("searching") as status:
        found = class_distances(
            network,
            points.reshape(len(points), -1)[chosen],
            norm=norm,  # type: ignore[arg-type]
            tolerance=tolerance,
            timeout_s=timeout,
            store=store,
            progress=lambda done, n, d: status.update(f"{done} of {n}: {d.lower:.6g} to {d.upper:.6g}"),
            cluster=cluster,
        )
    voice.result(_table(chosen, found), {"norm": norm, "distances": [_facts(r, d) for r, d in zip(chosen, found, strict=True)]})


def _facts(row: int, d: ClassDistance) -> dict[str, Any]:
    return {
        "row": row,
        "label": d.label,
        "other": d.other,
        "lower": d.lower,
        "upper": d.upper if d.upper < float("inf") else None,
        "is_closed": d.is_closed,
        "n_nodes": d.n_nodes,
        "seconds": d.seconds,
    }


def _table(rows: list[int], found: list[ClassDistance]) -> Any:
    from rich.table import Table

    from plica._show import at_least, at_most

    title = "distance to another class: at least (proved) and at most (attained)"
    table = Table(title=title, title_justify="left", box=None, pad_edge=False, header_style="bold")
    for name in ("row", "class", "other", "at least", "at most", "closed", "nodes", "seconds"):
        table.add_column(name, justify="right", no_wrap=True)
    for row, d in zip(rows, found, strict=True):
        closed = "yes" if d.is_closed else "no"
        table.add_row(
            str(row),
            str(d.label),
            str(d.other),
            at_least(d.lower, 9),
            at_most(d.upper, 9),
            closed,
            f"{d.n_nodes:,}",
            f"{d.seconds:.1f}",
        )
    return table
