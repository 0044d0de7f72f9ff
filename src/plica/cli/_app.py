"""What all commands share: the application, how a command is added, how an error ends it."""

from __future__ import annotations

import functools
import inspect
import sys
from collections.abc import Callable
from typing import Any

import typer

from plica.errors import PlicaError

CHECK_FAILED, USAGE, BUDGET, INTERNAL, INTERRUPTED = 1, 2, 3, 70, 130


def new_app() -> typer.Typer:
    """The application without its commands."""
    app = typer.Typer(
        name="plica",
        help="Example: plica demo\n\nThe exact geometry of piecewise-linear networks.",
        epilog="Exit codes: 0 ok, 1 a check failed, 2 usage, 3 budget exceeded, 4 unsupported model, 130 interrupted.",
        no_args_is_help=True,
        pretty_exceptions_enable=False,
        context_settings={"help_option_names": ["-h", "--help"]},
    )
    app.callback()(_options_of_the_application)
    return app


def add(app: typer.Typer, function: Callable[..., Any], *, example: str, name: str | None = None, settings: Any = None) -> None:
    """Make ``function`` a command: its help starts with the example, its errors end with a message and a code.

    The first line of the docstring is the summary in ``plica --help``; the rest is the help after the example.
    A command that takes ``debug`` lets errors through when it is set. ``settings`` are context settings of the command.
    """
    text = inspect.getdoc(function) or ""
    summary = text.split("\n", 1)[0]
    register = app.command(name, help=f"Example: {example}\n\n{text}", short_help=summary, context_settings=settings)
    register(_ends_well(function))


def _ends_well(function: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(function)
    def run(*args: Any, **kwargs: Any) -> None:
        try:
            function(*args, **kwargs)
        except PlicaError as error:
            if kwargs.get("debug"):
                raise
            complain(error.message, error.hint)
            raise typer.Exit(error.exit_code) from None
        except KeyboardInterrupt:
            complain("interrupted.")
            raise typer.Exit(INTERRUPTED) from None
        except (typer.Exit, typer.Abort, typer.BadParameter):
            raise
        except Exception as error:
            if kwargs.get("debug"):
                raise
            if isinstance(error, OSError):
                complain(f"{error.strerror or error}: {error.filename}" if error.filename else str(error))
                raise typer.Exit(USAGE) from None
            complain(
                f"internal error: {type(error).__name__}: {error}",
                "this is a bug in Plica; run again with --debug and report what it prints",
            )
            raise typer.Exit(INTERNAL) from None

    return run


def complain(message: str, hint: str = "") -> None:
    """Say what went wrong on stderr: a message and a hint, never a traceback."""
    from rich.console import Console
    from rich.text import Text

    console = Console(stderr=True)
    console.print(Text.assemble(("error: ", "bold red"), message), soft_wrap=True)
    if hint:
        console.print(Text.assemble(("  hint: ", "bold"), hint), soft_wrap=True)


def _print_version(wanted: bool) -> None:
    if wanted:
        from plica import __version__

        sys.stdout.write(f"plica {__version__}\n")
        raise typer.Exit


def _options_of_the_application(
    version: bool = typer.Option(False, "--version", help="Print the version.", callback=_print_version, is_eager=True),
) -> None:
    del version
