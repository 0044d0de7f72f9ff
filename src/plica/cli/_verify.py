"""``plica verify``: the verdict on a VNN-LIB property of a model, with a counterexample or with what was proved."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from plica.cli._output import Cluster, Debug, Json, Output, Quiet

if TYPE_CHECKING:
    from plica.network import Network
    from plica.robust import Property, Tally, Verdict


def verify(
    model: Annotated[Path, typer.Argument(help="A .onnx or .safetensors file.", show_default=False)],
    property_: Annotated[Path, typer.Argument(metavar="PROPERTY", help="A .vnnlib file.", show_default=False)],
    timeout: Annotated[float, typer.Option(help="Seconds; then the answer is timeout.")] = 3600.0,
    seed: Annotated[int, typer.Option(min=0, help="Of the attacks.")] = 0,
    out: Annotated[Path | None, typer.Option(help="Write the result to this file too, as competitions want it.")] = None,
    count: Annotated[
        bool, typer.Option("--count", help="Also the volume of the set of counterexamples, where it is small.")
    ] = False,
    cluster: Cluster = None,
    json: Json = False,
    quiet: Quiet = False,
    debug: Debug = False,
) -> None:
    """Decide whether some input of a model satisfies a property.

    Prints sat with a counterexample, unsat or timeout, the words of the verification competition; the exit code is 0 for each.
    Verdicts are true in real arithmetic: of the weights as stored, of the numbers as the property writes them.
    """
    import plica
    from plica.robust import read_vnnlib
    from plica.robust import verify as decide

    voice = Output("verify", as_json=json, quiet=quiet)
    asked = read_vnnlib(property_)
    network = plica.load(model)
    voice.note(f"{network!r}, {len(asked.queries)} boxes")
    with voice.stderr.status("attacking") as status:

        def progress(tally: Tally) -> None:
            status.update(f"{tally.n_boxes:,} boxes bounded, {tally.n_refuted:,} refuted, {tally.n_leaves:,} decided exactly")

        verdict = decide(network, asked, timeout_s=timeout, seed=seed, progress=progress, cluster=cluster)
    voice.note(f"{verdict.proof()}; {verdict.seconds:.2f} s")
    text = result_text(verdict)
    if out is not None:
        out.write_text(text, encoding="utf-8")
    about = _about(verdict) | _replayed(model, asked, verdict, voice)
    if count:
        about |= _counted(network, asked, verdict, timeout, voice)
    if json:
        voice.result("", about)
    else:
        sys.stdout.write(text)


def result_text(verdict: Verdict) -> str:
    """The result as competitions write it: the word, then the counterexample."""
    if verdict.status != "sat":
        return verdict.status + "\n"
    names = [*(f"X_{i}" for i in range(len(verdict.point))), *(f"Y_{i}" for i in range(len(verdict.values)))]
    values = [float(v) for v in (*verdict.point, *verdict.values)]
    return "sat\n(" + "\n ".join(f"({name} {value!r})" for name, value in zip(names, values, strict=True)) + ")\n"


def _about(verdict: Verdict) -> dict[str, Any]:
    tally = verdict.tally
    return {
        "verdict": verdict.status,
        "seconds": verdict.seconds,
        "proof": verdict.proof(),
        "counterexample": {"x": [str(v) for v in verdict.point], "y": [str(v) for v in verdict.values]},
        "n_boxes": tally.n_boxes,
        "n_refuted": tally.n_refuted,
        "n_leaves": tally.n_leaves,
        "n_pieces": tally.n_pieces,
    }


def _counted(network: Network, asked: Property, verdict: Verdict, timeout: float, voice: Output) -> dict[str, Any]:
    """The volume of the counterexamples in each box, or why it is not known."""
    from plica.errors import PlicaError
    from plica.geometry import Budget
    from plica.robust import violating_volume

    if verdict.status == "unsat":
        voice.note("the set of counterexamples is empty")
        return {"volumes": []}
    try:
        found = violating_volume(network, asked, budget=Budget(max_cells=100_000, max_seconds=timeout))
    except PlicaError as error:
        voice.note(f"not counted: {error}")
        return {"volumes": None, "not_counted": str(error)}
    for k, v in enumerate(found):
        exact = f", exactly {v.exact}" if v.exact is not None and len(str(v.exact)) < 80 else ""
        voice.note(
            f"box {k}: counterexamples have the volume {v.low / 2 + v.high / 2:.9g}{exact} ({v.share:.4%} of the box; "
            f"{v.n_cells:,} cells)"
        )
    return {
        "volumes": [
            {
                "low": v.low,
                "high": v.high,
                "exact": None if v.exact is None else str(v.exact),
                "share": v.share,
                "n_cells": v.n_cells,
            }
            for v in found
        ]
    }


def _replayed(model: Path, asked: Property, verdict: Verdict, voice: Output) -> dict[str, Any]:
    """What onnxruntime says about the counterexample, where it is there."""
    from plica.errors import MissingExtra
    from plica.robust import replay

    if verdict.status != "sat" or ".onnx" not in model.suffixes[-2:]:
        return {}
    try:
        again = replay(model, asked, verdict.point, verdict.values)
    except MissingExtra:
        voice.note("onnxruntime is not installed: the counterexample was not replayed there")
        return {}
    word = "agrees" if again.agrees else "does not agree: its rounding moves the outputs across an inequality"
    voice.note(f"onnxruntime {word} (outputs differ by {again.largest_difference:.2g})")
    return {"replay": {"agrees": again.agrees, "largest_difference": again.largest_difference, "y": list(again.outputs)}}
