"""``plica verify`` on a network whose range is known."""

import json

import numpy as np
import pytest
from typer.testing import CliRunner

import plica
from plica.cli import app
from plica.network import Linear, Rectifier

TEXT = """(declare-const X_0 Real) (declare-const X_1 Real) (declare-const Y_0 Real)
(assert (>= X_0 -1)) (assert (<= X_0 1)) (assert (>= X_1 -1)) (assert (<= X_1 1)) (assert (>= Y_0 {}))"""


@pytest.fixture
def model(tmp_path):
    """|x| + |y|, at most 2 on the square."""
    path = tmp_path / "cross.safetensors"
    plica.save(plica.Network.sequential(2, [Rectifier(np.array(-1.0)), Linear(np.array([[1.0, 1.0]]))]), path)
    return path


def run(model, tmp_path, bound, *args):
    asked = tmp_path / "property.vnnlib"
    asked.write_text(TEXT.format(bound))
    return CliRunner().invoke(app, ["verify", str(model), str(asked), *map(str, args)])


def test_the_corner_is_a_counterexample(model, tmp_path):
    result = run(model, tmp_path, 2, "--out", tmp_path / "result.txt", "--quiet")
    assert result.exit_code == 0, result.output
    assert result.stdout.startswith("sat\n((X_0 ") and "(Y_0 2.0))" in result.stdout
    assert (tmp_path / "result.txt").read_text() == result.stdout


def test_beyond_the_corner_there_is_none(model, tmp_path):
    result = run(model, tmp_path, "2.0000000000000000000001", "--quiet")
    assert result.exit_code == 0 and result.stdout == "unsat\n"


def test_json_tells_what_was_proved(model, tmp_path):
    facts = json.loads(run(model, tmp_path, 3, "--json", "--quiet").stdout)
    assert facts["verdict"] == "unsat" and "refuted" in facts["proof"] and facts["counterexample"]["x"] == []


def test_a_broken_property_ends_with_code_2(model, tmp_path):
    result = run(model, tmp_path, "(")
    assert result.exit_code == 2 and "Traceback" not in result.output


def test_count_gives_the_exact_volume(model, tmp_path):
    """|x| + |y| >= 3/2 on the square: four triangles of 1/8."""
    facts = json.loads(run(model, tmp_path, "1.5", "--count", "--json", "--quiet").stdout)
    (volume,) = facts["volumes"]
    assert facts["verdict"] == "sat" and volume["exact"] == "1/2" and volume["share"] == 0.125
    assert json.loads(run(model, tmp_path, 3, "--count", "--json", "--quiet").stdout)["volumes"] == []
