"""``plica build``: a network that a proof says exists, with its certificate, into a file."""

from __future__ import annotations

from math import isfinite
from pathlib import Path
from typing import Annotated, Any

import typer

from plica.cli._app import CHECK_FAILED
from plica.cli._output import Debug, Json, Output, Quiet
from plica.errors import InvalidInput

FILES = (".onnx", ".safetensors")
OPTIONS = {"allow_extra_args": True, "ignore_unknown_options": True}


def build(
    context: typer.Context,
    name: Annotated[str | None, typer.Argument(help="Which construction; all are listed without it.", show_default=False)] = None,
    out: Annotated[Path | None, typer.Option(help="Write the network: .onnx or .safetensors.")] = None,
    verify: Annotated[bool, typer.Option("--verify", help="Check the certificate, which can take a while.")] = False,
    json: Json = False,
    quiet: Quiet = False,
    debug: Debug = False,
) -> None:
    """Build a network that a proof says exists.

    Every construction has options of its own, which are shown when one is missing: numbers (6, 0.01, 1/3), lists (2,1), formulas
    (sin(3*x) * y**2).
    """
    from plica.construct import build as make

    output = Output("build", as_json=json, quiet=quiet)
    if name is None:
        _list(output)
        return
    if out is not None and out.suffix not in FILES:
        raise InvalidInput(f"--out {out}: the name must end in {' or '.join(FILES)}.")
    built = make(name, _arguments(context.args))
    facts: dict[str, Any] = built.to_dict()
    rows = [(key.replace("_", " "), str(facts[key])) for key in ("widths", "depth", "n_units", "n_weights")]
    rows += [(f"theorem: {key}", str(value)) for key, value in facts["theorem"].items()]
    failed = False
    if built.certificate is not None:
        certificate = facts["certificate"]
        rows.append(("certificate", f"{certificate['norm']} error <= {certificate['bound']:.6g}, {certificate['method']}"))
        if verify:
            checked = built.certificate.verify()
            failed = not checked
            facts["verified"], facts["reason"] = bool(checked), checked.reason
            if checked.error is not None:
                facts["error"] = [float(checked.error.low), float(checked.error.high)]
                rows.append(("true error", f"{float(checked.error.low):.6g} to {float(checked.error.high):.6g}"))
                facts["merit"] = {key: value for key, value in built.merit().items() if isfinite(value)}
                rows += [(f"merit: {key}", f"{value:.6g}") for key, value in facts["merit"].items()]
            rows.append(("verified", "yes" if checked else f"no: {checked.reason}"))
    if out is not None:
        _write(built.network, out)
        facts["out"] = str(out)
    output.result(_table(rows, title=repr(built)), facts)
    if out is not None:
        output.note(f"wrote {out}")
    if failed:
        raise typer.Exit(CHECK_FAILED)


def _arguments(words: list[str]) -> dict[str, str]:
    """``--key value`` and ``--key=value`` pairs."""
    found: dict[str, str] = {}
    rest = list(words)
    while rest:
        word = rest.pop(0)
        if not word.startswith("--") or word == "--":
            raise InvalidInput(f"{word!r} is not an option.", hint="options of a construction are --name value")
        key, equals, value = word[2:].partition("=")
        if not equals:
            if not rest:
                raise InvalidInput(f"{word} needs a value.")
            value = rest.pop(0)
        if key in found:
            raise InvalidInput(f"--{key} is given twice.")
        found[key] = value
    return found


def _list(output: Output) -> None:
    from plica.construct import builders, usage

    summaries = {name: (f.__doc__ or "").strip().split("\n")[0] for name, f in builders().items()}
    rows = [(name, usage(name).removeprefix(f"plica build {name} ")) for name in summaries]
    output.result(
        _table(rows, title="constructions"),
        {"constructions": {name: {"usage": usage(name), "summary": text} for name, text in summaries.items()}},
    )


def _table(rows: list[tuple[str, str]], *, title: str) -> Any:
    from rich.markup import escape
    from rich.table import Table

    table = Table(title=escape(title), show_header=False, title_justify="left")
    for key, value in rows:
        table.add_row(escape(key), escape(value))
    return table


def _write(network: Any, path: Path) -> None:
    from plica.construct import Perceptron, save_perceptron
    from plica.network import save, to_onnx

    if isinstance(network, Perceptron):
        save_perceptron(network, path)
    elif path.suffix == ".onnx":
        to_onnx(network, path)
    else:
        save(network, path)
