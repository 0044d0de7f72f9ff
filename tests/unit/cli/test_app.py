"""How commands are added and how they end."""

import pytest
import typer
from typer.testing import CliRunner

from plica.cli import app
from plica.cli._app import add, new_app
from plica.cli._output import Debug, Json, Output, Quiet
from plica.errors import BudgetExceeded, InvalidInput, UnsupportedLayer


def run_raising(error: BaseException, *args: str):
    def fail(debug: Debug = False) -> None:
        """Fail."""
        raise error

    one = new_app()
    add(one, fail, example="plica fail")
    return CliRunner().invoke(one, ["fail", *args])


@pytest.mark.parametrize(
    ("error", "code"),
    [
        (InvalidInput("x is 3."), 2),
        (BudgetExceeded("too many."), 3),
        (UnsupportedLayer("a layer."), 4),
        (KeyboardInterrupt(), 130),
        (FileNotFoundError(2, "No such file or directory", "model.onnx"), 2),
        (ZeroDivisionError("oops"), 70),
    ],
)
def test_each_kind_of_error_has_its_exit_code_and_no_traceback(error, code):
    result = run_raising(error)
    assert result.exit_code == code
    assert "Traceback" not in result.output
    assert result.stdout == ""
    assert result.stderr.startswith("error: ")


def test_an_error_prints_message_and_hint_on_stderr():
    result = run_raising(InvalidInput("x is [3].", hint="give [two] numbers"))
    assert result.stderr == "error: x is [3].\n  hint: give [two] numbers\n"


@pytest.mark.parametrize("error", [InvalidInput("x is 3."), ZeroDivisionError("oops")])
def test_debug_lets_the_error_through(error):
    assert run_raising(error, "--debug").exception is error


def test_help_of_every_command_starts_with_an_example():
    for command in app.registered_commands:
        assert command.help.startswith("Example: plica "), command.name
        assert command.short_help and "Example" not in command.short_help


def test_help_lists_the_exit_codes_and_each_command():
    text = CliRunner().invoke(app, ["--help"]).stdout
    assert "130 interrupted" in text
    assert "demo" in text and "regions" in text


def test_a_mistyped_command_is_corrected():
    result = CliRunner().invoke(app, ["regoins"])
    assert result.exit_code == 2
    assert "regions" in result.stderr


def test_version_is_printed():
    import plica

    assert CliRunner().invoke(app, ["--version"]).stdout == f"plica {plica.__version__}\n"


def speaking_app() -> typer.Typer:
    def speak(json: Json = False, quiet: Quiet = False) -> None:
        """Speak."""
        out = Output("speak", as_json=json, quiet=quiet)
        out.note("working [on it]")
        out.result("a table", {"n": 1})

    one = new_app()
    add(one, speak, example="plica speak")
    return one


def test_json_is_alone_on_stdout_and_names_its_schema():
    import json

    result = CliRunner().invoke(speaking_app(), ["speak", "--json"])
    assert json.loads(result.stdout) | {"plica": ""} == {"plica": "", "schema": 1, "command": "speak", "n": 1}
    assert result.stderr == "working [on it]\n"


def test_quiet_silences_progress_but_not_the_result():
    result = CliRunner().invoke(speaking_app(), ["speak", "--quiet"])
    assert result.stderr == ""
    assert result.stdout == "a table\n"
