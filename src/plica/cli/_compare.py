"""``plica compare``: how far two models are from each other, exactly."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path
from typing import Annotated

import typer

from plica.cli._app import BUDGET, complain
from plica.cli._domain import (
    Data,
    Ends,
    Margin,
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
from plica.cli._output import Debug, Json, Output, Quiet
from plica.cli._summary import fact_table
from plica.errors import BudgetExceeded, InvalidInput


def compare(
    first: Model,
    second: Annotated[Path, typer.Argument(help="Another one, with the same inputs and outputs.", show_default=False)],
    data: Data = None,
    through: Through = None,
    segment: Ends = None,
    box: Range = None,
    margin: Margin = 0.0,
    seed: PlaneSeed = None,
    max_cells: MaxCells = None,
    max_seconds: MaxSeconds = None,
    json: Json = False,
    quiet: Quiet = False,
    debug: Debug = False,
) -> None:
    """Compare two models on a line or a plane: largest and mean deviation, where answers differ, or that they are equal.

    The difference of two networks is a network; its exact complex gives the largest deviation with its point, and proves
    equality where there is none. Exit code 0 whether the models differ or not.
    """
    import plica
    from plica.measure import compare as measure
    from plica.measure import equivalence

    out = Output("compare", as_json=json, quiet=quiet)
    f, g = plica.load(first), plica.load(second)
    if f.n_inputs != g.n_inputs or f.n_outputs != g.n_outputs:
        raise InvalidInput(
            f"{first.name} maps R^{f.n_inputs} to R^{f.n_outputs}, {second.name} R^{g.n_inputs} to R^{g.n_outputs}.",
            hint="two models are compared that answer the same question",
        )
    points = None if data is None else load_points(data, f)
    domain, where = choose_domain(f, points=points, through=through, segment=segment, box=box, margin=margin, seed=seed)
    budget = limits(max_cells=max_cells, max_seconds=max_seconds)
    try:
        with out.stderr.status("comparing"):
            found = measure(f, g, domain, budget=budget)
    except BudgetExceeded as stop:
        complain(stop.message, stop.hint)
        raise typer.Exit(BUDGET) from None
    symmetric: list[tuple[str, str, str]] = []
    with suppress(InvalidInput):  # of perceptrons with the same widths
        same = "yes" if equivalence(f, g).is_exact else "no"
        symmetric.append(("the same up to order and scale of units", same, "exact"))
    place = ", ".join(f"{c:.6g}" for c in found.largest.point)
    rows = [
        ("equal", "yes" if found.is_equal else "no", "proved"),
        ("largest deviation", f"{float(found.largest):.6g}", f"exact, output {found.output} at parameters {place}"),
        *(("mean deviation" if k == 0 else f"of output {k}", f"{float(m):.6g}", m.kind) for k, m in enumerate(found.mean[:10])),
        ("other answers", f"{found.share:.4%}", f"of the domain, {found.disagreement.kind}"),
        *symmetric,
        ("cells of the difference", f"{found.n_cells:,}", "exact"),
        ("time", f"{found.seconds:.3f} s", "measured"),
    ]
    about = {"first": str(first), "second": str(second), "domain": where}
    out.result(fact_table(rows, f"{first.name} and {second.name} on {where}"), about | found.to_dict())
