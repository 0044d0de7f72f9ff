"""A complex in numbers: for a table on the screen and for JSON."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rich.console import Group

    from plica.geometry import Complex, Cost
    from plica.network import Network


def describe_network(network: Network) -> dict[str, Any]:
    """Widths and counts of a network."""
    return {"widths": list(network.widths), "n_neurons": network.n_neurons, "n_parameters": network.n_parameters}


def describe_complex(cx: Complex) -> dict[str, Any]:
    """The numbers of a complex."""
    sizes = cx.sizes()
    return {
        "dimension": cx.dimension,
        "n_cells": int(cx.n_cells),
        "n_regions": int(cx.n_regions),
        "n_slivers": int(cx.n_slivers),
        "exact_fallbacks": int(cx.exact_fallbacks),
        "n_vertices": len(cx.vertices),
        "n_edges": len(cx.facet_cells) if cx.dimension == 2 else 0,
        "folds_by_layer": [len(cx.fold_facets(i)) for i in range(len(cx.network.layers))],
        "largest_cell": float(sizes.max()),
        "smallest_cell": float(sizes.min()),
        "seconds": float(cx.seconds),
    }


def complex_table(facts: dict[str, Any], *, title: str) -> Group:
    """The table of ``plica regions``."""
    size = "area" if facts["dimension"] == 2 else "length"
    rows = [
        ("cells", f"{facts['n_cells']:,}", "exact"),
        ("regions" if facts["dimension"] == 2 else "pieces", f"{facts['n_regions']:,}", "exact"),
        ("slivers", f"{facts['n_slivers']:,}", "cells below 1e-12 of the domain"),
        ("exact fallbacks", f"{facts['exact_fallbacks']:,}", "signs decided in rational arithmetic"),
        ("vertices", f"{facts['n_vertices']:,}", "exact"),
    ]
    if facts["dimension"] == 2:
        rows.append(("edges", f"{facts['n_edges']:,}", "exact"))
    rows += [(f"folds of layer {i}", f"{n:,}", "exact") for i, n in enumerate(facts["folds_by_layer"])]
    rows += [
        (f"largest {size}", f"{facts['largest_cell']:.4g}", "rounded, in the parameters of the domain"),
        (f"smallest {size}", f"{facts['smallest_cell']:.4g}", "rounded, in the parameters of the domain"),
        ("time", f"{facts['seconds']:.3f} s", "measured, loading the engine included"),
    ]
    return fact_table(rows, title)


def partial_table(facts: dict[str, Any], *, title: str) -> Group:
    """What was finished when a computation stopped: whole layers in the plane, a first part of a line, or some parts of it."""
    if "share" in facts:
        rows = [("finished", f"{100 * facts['share']:.3g} %", "of the segment, all layers")]
    elif "position" in facts:
        rows = [("finished up to", f"t = {facts['position']:.6g}", "all layers")]
    else:
        rows = [("layers finished", f"{facts.get('layers_done', 0)} of {facts.get('n_layers', '?')}", "exact")]
    rows += [
        ("cells so far", f"{facts.get('n_cells', 0):,}", "exact for the part finished"),
        ("time", f"{facts.get('seconds', 0.0):.3f} s", "measured"),
    ]
    return fact_table(rows, title)


def boundary_table(facts: dict[str, Any], *, title: str, finished: bool) -> Group:
    """The table of ``plica boundary``."""
    kind = "exact" if finished and not facts["n_open_tiles"] else "exact where it was followed"
    rows = [
        ("curves", f"{facts['n_polylines']:,}", kind),
        ("segments", f"{facts['n_segments']:,}", f"{kind}, each on one cell"),
        ("length", f"{facts['length']:.6g}", "rounded, in the parameters of the domain"),
        ("proved free", f"{facts['skipped']:.1%}", f"of the window, in {facts['n_skipped']:,} tiles by bounds"),
        ("followed", f"{facts['n_tiles']:,}", "tiles, cell by cell"),
        ("not looked at", f"{facts['n_open_tiles']:,}", "tiles: other curves may be there, and nowhere else"),
        ("exact fallbacks", f"{facts['exact_fallbacks']:,}", "signs decided in rational arithmetic"),
        ("time", f"{facts['seconds']:.3f} s", "measured, loading the engine included"),
    ]
    return fact_table(rows, title)


def boundary_progress(report: dict[str, Any]) -> str:
    """What a boundary that is being followed has reached.

    >>> boundary_progress({"position": 0.25, "n_cells": 700})
    '25 % of the window finished, 700 cells followed'
    """
    return f"{100 * report.get('position', 0.0):.3g} % of the window finished, {report.get('n_cells', 0):,} cells followed"


def cost_table(cost: Cost, boundary: Cost | None = None, *, title: str) -> Group:
    """What a computation would cost, and what the decision boundary alone would."""
    rows = [
        ("cells", f"{cost.n_cells:,.0f} ± {cost.n_cells_error:,.0f}", "estimated, with standard error"),
        ("processor time", f"{cost.seconds:,.2g} s", "estimated"),
        ("memory", f"{cost.bytes / 1e6:,.0f} MB", "estimated"),
        ("from", f"{cost.n_samples} of {cost.n_parts} parts", f"seed {cost.seed}"),
    ]
    if boundary is not None:
        number = f"{boundary.n_cells:,.0f} ± {boundary.n_cells_error:,.0f} segments"
        rows.append(("decision boundary alone", number, "estimated, with standard error"))
        rows.append(("its processor time", f"{boundary.seconds:,.2g} s", "estimated"))
    return fact_table(rows, title)


def progress_line(report: dict[str, Any]) -> str:
    """What a running computation has reached.

    >>> progress_line({"layers_done": 1, "n_layers": 3, "n_cells": 4000, "seconds": 0.1})
    'layer 1 of 3: 4,000 cells'
    >>> progress_line({"position": 0.25, "n_cells": 7, "seconds": 0.1})
    't = 0.25: 7 cells'
    >>> progress_line({"tiles_done": 2, "n_tiles": 12, "n_cells": 90, "seconds": 0.1})
    'tile 2 of 12: 90 cells'
    """
    if "tiles_done" in report:
        return f"tile {report['tiles_done']} of {report['n_tiles']}: {report['n_cells']:,} cells"
    where = f"t = {report['position']:.3g}" if "position" in report else f"layer {report['layers_done']} of {report['n_layers']}"
    return f"{where}: {report['n_cells']:,} cells"


def fact_table(rows: list[tuple[str, str, str]], title: str) -> Group:
    from rich.console import Group
    from rich.table import Table
    from rich.text import Text

    table = Table(show_header=False, box=None, pad_edge=False)
    table.add_column(style="bold", no_wrap=True)
    table.add_column(justify="right", no_wrap=True)
    table.add_column(style="dim")
    for row in rows:
        table.add_row(*row)
    return Group(Text(title), table)
