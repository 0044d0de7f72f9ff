"""``plica prune``: fewer weights in a model from anywhere."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from plica.cli._compress import is_float32
from plica.cli._domain import load_points
from plica.cli._output import Debug, Json, Output, Quiet
from plica.cli._summary import fact_table
from plica.errors import InvalidInput


def prune(
    model: Annotated[Path, typer.Argument(help="A .onnx or .safetensors file.", show_default=False)],
    out: Annotated[Path, typer.Option(help="Where to write the sparser one: .onnx or .safetensors.", show_default=False)],
    keep: Annotated[float, typer.Option(help="The share of matrices and kernels that stays, in (0, 1].")] = 0.1,
    method: Annotated[
        str, typer.Option(help="magnitude, random, snip, grasp, synflow, or units: whole hidden units and channels.")
    ] = "magnitude",
    scope: Annotated[str, typer.Option(help="What is compared: global, layer, or erk (Erdős-Rényi's densities).")] = "global",
    data: Annotated[Path | None, typer.Option(help="A .npy file of inputs, for snip, grasp and training.")] = None,
    labels: Annotated[Path | None, typer.Option(help="A .npy file with the class of each input.")] = None,
    epochs: Annotated[int, typer.Option(min=0, help="Train the weights that stay for so many epochs.")] = 0,
    rate: Annotated[float, typer.Option(help="Learning rate of these epochs.")] = 1e-3,
    seed: Annotated[int, typer.Option(min=0, help="Of random scores and of the order of batches.")] = 0,
    sparse: Annotated[
        bool, typer.Option("--sparse", help="Store weights by their nonzero entries where that is smaller.")
    ] = False,
    json: Json = False,
    quiet: Quiet = False,
    debug: Debug = False,
) -> None:
    """Set most weights of a model to zero by the size of a score and, with data, train the others.

    Zeros alone make no file smaller and no model faster: store them with --sparse, or prune units and run plica compress on the
    result, which takes them out.
    """
    import plica
    from plica.network import to_onnx
    from plica.sparse import prune_network

    voice = Output("prune", as_json=json, quiet=quiet)
    if out.suffix not in (".onnx", ".safetensors"):
        raise InvalidInput(f"--out {out.name} does not end in .onnx or .safetensors.")
    if out.suffix == ".safetensors" and sparse:
        raise InvalidInput("safetensors files of Plica hold dense float64.", hint="--out small.onnx")
    if out.resolve() == model.resolve():
        raise InvalidInput(f"--out {out.name} is the model itself.", hint="another name; the original is not overwritten")
    if (data is None) != (labels is None):
        raise InvalidInput("--data and --labels belong together.", hint="--data x.npy --labels y.npy")
    if not 0 < keep <= 1:
        raise InvalidInput(f"--keep {keep:g}.", hint="a share of the weights, in (0, 1]")
    if data is None and (epochs or method in ("snip", "grasp")):
        raise InvalidInput(f"{'training' if epochs else method} needs data.", hint="--data x.npy --labels y.npy")
    network = plica.load(model)
    from plica._npy import read_npy

    pair = None if data is None or labels is None else (load_points(data, network), read_npy(labels))
    with voice.stderr.status("pruning"):
        found = prune_network(network, method, keep, scope=scope, data=pair, epochs=epochs, rate=rate, seed=seed)
    if out.suffix == ".onnx":
        to_onnx(found.network, out, dtype="float32" if epochs or is_float32(network) else "float64", sparse=sparse)
    else:
        plica.save(found.network, out)
    bytes_ = [model.stat().st_size, out.stat().st_size]
    facts = found.to_dict() | {"bytes": bytes_, "out": str(out)}
    rows = [("weights that stay", f"{facts['n_kept']:,} of {facts['n_weights']:,}", f"{found.density:.2%}")]
    rows += [(f"  {name}", f"{share:.2%}", "") for name, share in facts["densities"].items()]
    shares = found.accuracy
    if shares[0] is not None:
        told = ("before", "after pruning", "after training")
        rows += [
            (f"right {when}", f"{a:.2%}", "of the given data") for when, a in zip(told, shares, strict=True) if a is not None
        ]
    if facts["is_collapsed"]:
        rows.append(("collapsed", "a layer lost all its weights", "the output is constant"))
    rows.append(("bytes", f"{bytes_[0]:,} -> {bytes_[1]:,}", f"{bytes_[0] / bytes_[1]:.2f} times smaller"))
    voice.result(fact_table(rows, f"{model.name}, written to {out.name}"), {"model": str(model)} | facts)
