"""``plica compress``: the same function on a box, in fewer units and fewer bytes."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from plica.cli._domain import load_points, parse_numbers
from plica.cli._output import Debug, Json, Output, Quiet
from plica.cli._summary import fact_table
from plica.errors import InvalidInput

if TYPE_CHECKING:
    from plica._types import Array
    from plica.network import Network


def compress(
    model: Annotated[Path, typer.Argument(help="A .onnx or .safetensors file.", show_default=False)],
    out: Annotated[Path, typer.Option(help="Where to write the smaller one: .onnx or .safetensors.", show_default=False)],
    box: Annotated[str | None, typer.Option(metavar="LOW,HIGH", help="Range of every input.")] = None,
    data: Annotated[Path | None, typer.Option(help="A .npy or .csv file: the smallest box around its rows.")] = None,
    row: Annotated[int | None, typer.Option(min=0, help="With --data and --radius: the box around this row alone.")] = None,
    radius: Annotated[
        float | None, typer.Option(min=0, help="With --row: how far the box reaches, or with --data, beyond it.")
    ] = None,
    dtype: Annotated[str | None, typer.Option(help="float32 or float64; float32 unless it would round weights.")] = None,
    sparse: Annotated[
        bool, typer.Option("--sparse", help="Store weights by their nonzero entries where that is smaller.")
    ] = False,
    drop_inputs: Annotated[bool, typer.Option("--drop-inputs", help="Gather only the inputs that matter.")] = False,
    json: Json = False,
    quiet: Quiet = False,
    debug: Debug = False,
) -> None:
    """Remove and merge units of a model that a box makes superfluous, and prove that its function stays the same there.

    Units that are proved to be dead, constant, unread, affine or multiples of others on the box are removed, merged or folded
    into their neighbors. The bound of the deviation holds for the stored weights in real arithmetic. Outside of the box the
    smaller model may be another function.
    """
    import plica
    from plica.network import to_onnx
    from plica.sparse import compress as smaller

    voice = Output("compress", as_json=json, quiet=quiet)
    if out.suffix not in (".onnx", ".safetensors"):
        raise InvalidInput(f"--out {out.name} does not end in .onnx or .safetensors.")
    if out.suffix == ".safetensors" and (sparse or dtype == "float32"):
        raise InvalidInput("safetensors files of Plica hold dense float64.", hint="--out small.onnx")
    if out.resolve() == model.resolve():
        raise InvalidInput(f"--out {out.name} is the model itself.", hint="another name; the original is not overwritten")
    network = plica.load(model)
    low, high, where = _box(network, box, data, row, radius)
    with voice.stderr.status("proving"):
        found = smaller(network, (low, high), dtype=dtype, drop_inputs=drop_inputs)
    if out.suffix == ".onnx":
        is_small = dtype == "float32" or (dtype is None and is_float32(found.network))
        to_onnx(found.network, out, dtype="float32" if is_small else "float64", sparse=sparse)
    else:
        plica.save(found.network, out)
    bytes_ = [model.stat().st_size, out.stat().st_size]
    facts = found.to_dict() | {"bytes": bytes_, "domain": where, "out": str(out)}
    reasons = ("dead", "constant", "unread", "merged", "folded")
    told = ", ".join(f"{facts[name]} {name}" for name in reasons if facts[name])
    rows = [
        ("neurons", f"{facts['neurons'][0]:,} -> {facts['neurons'][1]:,}", told or "none could be removed"),
        ("stored numbers", f"{facts['parameters'][0]:,} -> {facts['parameters'][1]:,}", f"{found.ratio:.2f} times fewer"),
        *([("inputs dropped", f"{found.n_inputs_dropped:,}", "that nothing reads, or the box fixes")] if drop_inputs else []),
        ("bytes", f"{bytes_[0]:,} -> {bytes_[1]:,}", f"{bytes_[0] / bytes_[1]:.2f} times smaller"),
        ("deviation", f"<= {found.largest_error:.3g}", f"certified, anywhere on {where}"),
    ]
    voice.result(fact_table(rows, f"{model.name}, written to {out.name}"), {"model": str(model)} | facts)


def is_float32(network: Network) -> bool:
    """Whether float32 holds all weights."""
    import numpy as np

    arrays = [a for node in network.nodes for a in node.op.arrays().values() if a.dtype.kind == "f"]
    with np.errstate(over="ignore"):
        return all(bool((a.astype(np.float32) == a).all()) for a in arrays)


def _box(network: Network, box: str | None, data: Path | None, row: int | None, radius: float | None) -> tuple[Array, Array, str]:
    """The box that the options ask for, and a sentence that says which it is."""
    import numpy as np

    if (box is None) == (data is None):
        raise InvalidInput("on which box?", hint="--box 0,1 for all inputs, or --data x.npy for the box around its rows")
    if box is not None:
        if row is not None or radius is not None:
            raise InvalidInput("--row and --radius are for boxes around data.", hint="--data x.npy --row 0 --radius 0.1")
        low, high = parse_numbers(box, "--box", count=2, kind=float)
        return np.full(network.n_inputs, low), np.full(network.n_inputs, high), f"[{low:g}, {high:g}]^{network.n_inputs}"
    assert data is not None
    points = np.asarray(load_points(data, network), dtype=np.float64)
    if row is not None:
        if row >= len(points):
            raise InvalidInput(f"--row {row}: the data has rows 0 to {len(points) - 1}.")
        points = points[row : row + 1]
    reach = radius or 0.0
    named = f"row {row}" if row is not None else f"{len(points)} rows"
    return points.min(axis=0) - reach, points.max(axis=0) + reach, f"the box around {named} of {data.name}, and {reach:g} more"
