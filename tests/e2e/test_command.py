"""The installed command and ``python -m plica``."""

import signal
import subprocess
import sys

import pytest
from patience import patient

import plica


def run(*args, cwd=None):
    return subprocess.run([sys.executable, "-m", "plica", *map(str, args)], cwd=cwd, capture_output=True, text=True)


def test_python_m_plica_is_the_command():
    assert run("--version").stdout == f"plica {plica.__version__}\n"
    assert run("--help").returncode == 0


def test_no_arguments_show_the_help_and_a_wrong_option_is_usage():
    shown = run()
    assert "Usage: plica" in shown.stdout + shown.stderr
    assert run("regions").returncode == 2
    assert run("regions", "x.onnx", "--no-such-option").returncode == 2


def test_a_closed_pipe_ends_quietly(tmp_path):
    plica.save(plica.random_network([2, 4, 1], seed=0), tmp_path / "m.safetensors")
    shell = f"{sys.executable} -m plica regions m.safetensors --json | head -c 1"
    done = subprocess.run(["bash", "-c", shell], cwd=tmp_path, capture_output=True, text=True)
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize("arguments", [(), ("--json",)])
def test_ctrl_c_during_a_long_computation_ends_with_code_130(tmp_path, arguments):
    big = plica.random_network([2, *[256] * 12, 1], seed=0, weights="he-normal", bias_std=0.5)
    plica.save(big, tmp_path / "big.safetensors")
    process = subprocess.Popen(
        [sys.executable, "-m", "plica", "regions", "big.safetensors", *arguments],
        cwd=tmp_path, text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
    )  # fmt: skip
    try:
        process.stderr.readline()  # the network is loaded and the computation starts
        process.send_signal(signal.SIGINT)
        stdout, stderr = process.communicate(timeout=patient(60))
    finally:
        process.kill()
    assert process.returncode == 130, stderr
    assert "Traceback" not in stderr
    assert ("cells so far" in stdout) or ('"finished": false' in stdout)
