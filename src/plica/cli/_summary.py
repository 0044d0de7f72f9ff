"""A complex in numbers: for a table on the screen and for JSON."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rich.table import Table

    from plica.geometry import Complex
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
        "n_edges": len(cx.edges) if cx.dimension == 2 else 0,
        "folds_by_layer": [len(cx.folds(i)) for i in range(len(cx.network.layers))],
        "largest_cell": float(sizes.max()),
        "smallest_cell": float(sizes.min()),
        "seconds": float(cx.seconds),
    }


def complex_table(facts: dict[str, Any], *, title: str) -> Table:
    """The table of ``plica regions``."""
    size = "area" if facts["dimension"] == 2 else "length"
    rows = [
        ("cells", f"{facts['n_cells']:,}", "exact"),
        ("regions" if facts["dimension"] == 2 else "pieces", f"{facts['n_regions']:,}", "exact"),
        ("slivers", f"{facts['n_slivers']:,}", "cells too thin for float64"),
        ("exact fallbacks", f"{facts['exact_fallbacks']:,}", "signs decided in rational arithmetic"),
        ("vertices", f"{facts['n_vertices']:,}", "exact"),
    ]
    if facts["dimension"] == 2:
        rows.append(("edges", f"{facts['n_edges']:,}", "exact"))
    rows += [(f"folds of layer {i}", f"{n:,}", "exact") for i, n in enumerate(facts["folds_by_layer"])]
    rows += [
        (f"largest {size}", f"{facts['largest_cell']:.4g}", "rounded, in the parameters of the domain"),
        (f"smallest {size}", f"{facts['smallest_cell']:.4g}", "rounded, in the parameters of the domain"),
        ("time", f"{facts['seconds']:.3f} s", "measured"),
    ]
    return _table(rows, title)


def partial_table(facts: dict[str, Any], *, title: str) -> Table:
    """What was finished when a computation stopped."""
    rows = [
        ("layers finished", f"{facts.get('layers_done', 0)} of {facts.get('n_layers', '?')}", "exact"),
        ("cells so far", f"{facts.get('n_cells', 0):,}", "exact for the layers finished"),
        ("time", f"{facts.get('seconds', 0.0):.3f} s", "measured"),
    ]
    return _table(rows, title)


def _table(rows: list[tuple[str, str, str]], title: str) -> Table:
    from rich.table import Table
    from rich.text import Text

    table = Table(title=Text(title), title_justify="left", show_header=False, box=None, pad_edge=False)
    table.add_column(style="bold", no_wrap=True)
    table.add_column(justify="right", no_wrap=True)
    table.add_column(style="dim")
    for row in rows:
        table.add_row(*row)
    return table
