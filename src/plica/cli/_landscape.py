"""``plica landscape``: the loss around a model, or between two."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from plica.cli._domain import load_points
from plica.cli._output import Debug, Json, Output, Quiet, Seed
from plica.errors import InvalidInput

if TYPE_CHECKING:
    from plica.landscape import LossLine, LossSurface


def landscape(
    model: Annotated[Path, typer.Argument(help="A .onnx or .safetensors file.", show_default=False)],
    data: Annotated[Path, typer.Option(help="A .npy or .csv file with one input in each row.", show_default=False)],
    targets: Annotated[Path, typer.Option(help="A .npy file: labels, or the values of the outputs.", show_default=False)],
    to: Annotated[Path | None, typer.Option(help="Another model: the exact loss on the line to it.")] = None,
    match: Annotated[
        bool, typer.Option("--match", help="Permute the units of the other model first, by weight matching.")
    ] = False,
    plane: Annotated[bool, typer.Option("--plane", help="Sample the plane of two random directions, not one line.")] = False,
    loss: Annotated[str, typer.Option(help="squared, absolute or cross-entropy.")] = "cross-entropy",
    reach: Annotated[float, typer.Option(help="How far along random directions, in multiples of the weights' norms.")] = 1.0,
    max_seconds: Annotated[float, typer.Option(help="Stop after so many seconds.")] = 600.0,
    store: Annotated[Path | None, typer.Option(help="A folder for finished parts: what was interrupted continues there.")] = None,
    plot: Annotated[Path | None, typer.Option(help="Write a picture: .png, .svg or .pdf.")] = None,
    mesh: Annotated[Path | None, typer.Option(help="Write the surface, or the line: .vtk, .vtu, .ply or .obj.")] = None,
    seed: Seed = 0,
    json: Json = False,
    quiet: Quiet = False,
    debug: Debug = False,
) -> None:
    """Compute the loss along a line of weights, exactly, or sample it on a plane.

    Without --to the line is a random direction, normalized by filters, with the model in its middle. Squared and absolute
    losses are piecewise polynomials in the parameter of the line, cross-entropy is enclosed.
    """
    import plica
    from plica._npy import read_npy
    from plica.landscape import match as matched
    from plica.landscape import random_direction, survey

    if match and to is None:
        raise InvalidInput("--match needs another model.", hint="add --to OTHER")
    if to is not None and plane:
        raise InvalidInput("--to is a line, --plane a plane.", hint="leave one of them out")
    if mesh is not None and mesh.suffix not in (".vtk", ".vtu", ".ply", ".obj"):
        raise InvalidInput(f"--mesh {mesh}: unknown kind of file.", hint=".vtk, .vtu, .ply or .obj")
    if mesh is not None and not plane and mesh.suffix in (".ply", ".obj"):
        raise InvalidInput(f"--mesh {mesh}: a line has no triangles.", hint="write .vtk or .vtu, or add --plane")
    if plot is not None and plot.suffix not in (".png", ".svg", ".pdf"):
        raise InvalidInput(f"--plot {plot}: unknown kind of picture.", hint=".png, .svg or .pdf")
    voice = Output("landscape", as_json=json, quiet=quiet)
    network = plica.load(model)
    x, y = load_points(data, network), read_npy(targets)
    budget = plica.Budget(max_seconds=max_seconds)
    options: dict[str, Any] = {} if store is None else {"store": store}
    directions: Any
    if to is not None:
        directions = plica.load(to)
        if match:
            found = matched(network, directions)
            voice.note(f"matched: distance {found.distance_before:.4g} -> {found.distance_after:.4g}")
            directions = found.network
    elif plane:
        directions = tuple(random_direction(network, seed=seed + s) for s in (0, 1))
    else:
        directions = random_direction(network, seed=seed)
    with voice.stderr.status("computing"):
        result = survey(network, x, y, directions, loss=loss, reach=reach, budget=budget, **options)
        facts = _facts(result)
    if plot is not None:
        figure = result.plot().get_figure(root=True)
        assert figure is not None
        figure.savefig(plot, bbox_inches="tight")
        voice.note(f"wrote {plot}")
    if mesh is not None:
        result.to_meshio().write(mesh)
        voice.note(f"wrote {mesh}")
    voice.result(_table(repr(result), facts), facts)


def _facts(result: Any) -> dict[str, Any]:
    from plica.landscape import LossLine

    return _line_facts(result) if isinstance(result, LossLine) else _surface_facts(result)


def _line_facts(line: LossLine) -> dict[str, Any]:
    found = {"barrier": line.barrier, "maximum": line.maximum, "minimum": line.minimum}
    extremes = {k: {"t": e.t, "low": e.value.low, "high": e.value.high} for k, e in found.items()}
    return {
        "kind": line.kind,
        "loss": line.loss,
        "n_samples": line.n_samples,
        "n_breakpoints": line.n_breakpoints,
        "degree": line.degree,
        "exact_fallbacks": line.exact_fallbacks,
        **extremes,
        "missed_by_25_points": line.grid_miss().missed,
        "seconds": line.seconds,
    }


def _surface_facts(surface: LossSurface) -> dict[str, Any]:
    return {
        "kind": surface.kind,
        "loss": surface.loss,
        "low": float(surface.values.min()),
        "high": float(surface.values.max()),
        "error": surface.error,
        "n_evaluations": surface.n_evaluations,
        "seconds": surface.seconds,
    }


def _table(title: str, facts: dict[str, Any]) -> Any:
    from rich.table import Table

    table = Table(title=title.strip("<>"), show_header=False)
    for name, value in facts.items():
        if isinstance(value, dict):
            shown = f"{value['low']:.12g} to {value['high']:.12g} at t = {value['t']:.9g}"
        else:
            shown = f"{value:.6g}" if isinstance(value, float) else str(value)
        table.add_row(name.replace("_", " "), shown)
    return table
