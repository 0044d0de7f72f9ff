"""``plica explore``: the explorer in the browser."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from plica.cli._domain import parse_numbers
from plica.cli._output import Debug, Json, Output, Quiet
from plica.errors import InvalidInput


def explore(
    model: Annotated[Path | None, typer.Argument(help="A .onnx or .safetensors file to look at.", show_default=False)] = None,
    data: Annotated[Path | None, typer.Option(help="With MODEL: a .npy file with one input in each row.")] = None,
    through: Annotated[str | None, typer.Option(metavar="I,J,K", help="The plane through three rows of the data.")] = None,
    port: Annotated[
        int | None, typer.Option(min=0, max=65535, help="The port; the first free one from 8400 unless given.")
    ] = None,
    host: Annotated[str, typer.Option(help="The address to listen on; others than loopback need --token.")] = "127.0.0.1",
    allow_host: Annotated[list[str] | None, typer.Option(metavar="NAME", help="A host name that browsers may use.")] = None,
    token: Annotated[str | None, typer.Option(help="The secret in the address; a random one unless given.")] = None,
    state: Annotated[str, typer.Option(metavar="LINK", help="What to show first: the part of a link after #.")] = "",
    max_cells: Annotated[int, typer.Option(min=100, help="The most cells of one picture.")] = 200_000,
    max_seconds: Annotated[float, typer.Option(min=0.1, help="The longest computation.")] = 10.0,
    workers: Annotated[int, typer.Option(min=1, max=64, help="Processes that compute.")] = 2,
    no_browser: Annotated[bool, typer.Option("--no-browser", help="Only print the address.")] = False,
    json: Json = False,
    quiet: Quiet = False,
    debug: Debug = False,
) -> None:
    """Explore networks in the browser: exact regions, live training, your own model.

    Everything stays on this machine: the server listens on loopback, and the address it prints holds a secret. Ctrl-C ends it.
    """
    from plica.web import Limits, serve

    if through and data is None:
        raise InvalidInput(f"--through {through} needs rows of data.", hint="add --data x.npy")
    if data is not None and model is None:
        raise InvalidInput("--data belongs to a model.", hint="plica explore model.onnx --data x.npy")
    rows = tuple(parse_numbers(through, "--through", count=3)) if through else None
    out = Output("explore", as_json=json, quiet=quiet)
    if host not in ("127.0.0.1", "localhost", "::1"):
        out.note(f"warning: everyone who reaches {host} and knows the token can use this server.")
    out.note("starting; the first start compiles the engine")

    def announce(url: str) -> None:
        out.result(f"Plica explorer: {url}\nCtrl-C ends it.", {"url": url})
        import sys

        sys.stdout.flush()
        if not no_browser:
            import webbrowser

            webbrowser.open(url)

    serve(
        host=host,
        port=port,
        token=token,
        hosts=tuple(allow_host or ()),
        limits=Limits(max_cells=max_cells, max_seconds=max_seconds, n_workers=workers),
        model=model,
        data=data,
        through=rows,
        state=state.removeprefix("#"),
        announce=announce,
    )
