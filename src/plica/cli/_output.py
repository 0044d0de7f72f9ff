"""Where a command speaks: results on stdout, everything else on stderr; and the options all commands share."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from plica import __version__
from plica.errors import InvalidInput

if TYPE_CHECKING:
    from rich.console import Console, RenderableType

Json = Annotated[bool, typer.Option("--json", help="Print the result as JSON on stdout, and nothing else there.")]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="No progress on stderr.")]
Seed = Annotated[int, typer.Option("--seed", min=0, help="Seed of everything random.")]
Cluster = Annotated[
    str | None,
    typer.Option(metavar="WHERE", help="Compute on a Dask cluster: local, local:4, tcp://host:8786, or a TOML file for SLURM."),
]
Debug = Annotated[bool, typer.Option("--debug", help="Show the traceback of an error.")]

SCHEMA = 1


def check_target(path: Path | None, endings: tuple[str, ...], option: str) -> None:
    """Refuse a file that could not be written, before any work."""
    if path is None:
        return
    if path.suffix not in endings:
        raise InvalidInput(f"{option} {path}: the name must end in {' or '.join(endings)}.")
    if not path.parent.is_dir():
        raise InvalidInput(f"{option} {path}: the folder {path.parent} does not exist.")


class Output:
    """One command's voice.

    ``note`` goes to stderr and is silenced by ``--quiet``; ``result`` goes to stdout, once, as a table or as JSON.
    ``NO_COLOR`` is honored by rich.
    """

    def __init__(self, command: str, *, as_json: bool, quiet: bool) -> None:
        from rich.console import Console

        self.command = command
        self.as_json = as_json
        self.quiet = quiet
        self.stderr: Console = Console(stderr=True, quiet=quiet)

    def note(self, text: str) -> None:
        """Say something that is not the result."""
        self.stderr.print(text, markup=False, highlight=False, soft_wrap=True)

    def result(self, shown: RenderableType, data: dict[str, Any]) -> None:
        """Print the result: ``shown`` for people, ``data`` with ``--json``."""
        if self.as_json:
            document = {"plica": __version__, "schema": SCHEMA, "command": self.command} | data
            sys.stdout.write(json.dumps(document, indent=2, allow_nan=False) + "\n")
            return
        from rich.console import Console

        Console().print(shown)
