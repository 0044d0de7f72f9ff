"""``plica explore`` before it serves: what it refuses, and with which code."""

import socket
import subprocess
import sys

import pytest
from patience import patient
from typer.testing import CliRunner

import plica
from plica.cli import app


def run(*arguments):
    return CliRunner().invoke(app, ["explore", "--no-browser", *map(str, arguments)])


@pytest.mark.parametrize(
    ("arguments", "code", "words"),
    [
        (["--data", "x.npy"], 2, "belongs to a model"),
        (["model.onnx", "--through", "0,1,2"], 2, "needs rows of data"),
        (["missing.safetensors"], 2, "no file"),
        (["weights.pt"], 2, "pickle"),
        (["--state", "widths=999"], 2, "widths"),
        (["--state", "#v=1&color=red"], 2, "color"),
    ],
)
def test_wrong_wishes_end_with_a_sentence_and_a_code(arguments, code, words):
    done = run(*arguments)
    assert done.exit_code == code and words in done.output


def test_a_port_in_use_is_said(tmp_path):
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        done = run("--port", taken.getsockname()[1])
    assert done.exit_code == 2 and "--port" in done.output


def test_data_that_do_not_fit_the_model_are_refused(tmp_path):
    import numpy as np

    plica.save(plica.random_network([3, 4, 1], seed=0), tmp_path / "m.safetensors")
    np.save(tmp_path / "x.npy", np.zeros((5, 4)))
    done = run(tmp_path / "m.safetensors", "--data", tmp_path / "x.npy")
    assert done.exit_code == 2 and "rows of 4 numbers" in done.output


def test_the_command_imports_no_server_until_it_serves():
    code = "import sys, plica.cli, plica.web; assert not {'fastapi', 'uvicorn', 'torch', 'matplotlib'} & set(sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, timeout=patient(60)).returncode == 0


def test_the_help_starts_with_an_example():
    done = CliRunner().invoke(app, ["explore", "--help"])
    assert "plica explore model.onnx" in done.output
