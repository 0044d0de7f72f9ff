"""``plica build``: lists, builds, verifies and writes constructions, and complains with what is missing."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

import plica
from plica.cli import app

RUN = CliRunner()


@pytest.mark.parametrize("ending", ["onnx", "safetensors"])
def test_a_network_is_built_verified_and_written(ending: str, tmp_path: Path) -> None:
    path = tmp_path / f"square.{ending}"
    done = RUN.invoke(app, ["build", "squaring", "--m", "3", "--out", str(path), "--verify", "--json", "--quiet"])
    assert done.exit_code == 0, done.output
    facts = json.loads(done.stdout)
    assert facts["verified"] and facts["certificate"]["exact_bound"] == "1/256" and facts["n_units"] == 6
    assert plica.load(path)([0.5])[0] == 0.25


def test_formulas_and_lists_are_options() -> None:
    done = RUN.invoke(app, ["build", "sobolev", "--f=sin(3*x)", "--error", "0.2", "--json", "--quiet"])
    assert done.exit_code == 0 and json.loads(done.stdout)["certificate"]["bound"] <= 0.2
    done = RUN.invoke(app, ["build", "folding", "--widths", "2,4,6,1", "--json", "--quiet"])
    assert json.loads(done.stdout)["theorem"]["regions"] == 88


def test_everything_is_listed_without_a_name() -> None:
    done = RUN.invoke(app, ["build", "--json"])
    listed = json.loads(done.stdout)["constructions"]
    assert {"squaring", "product", "sobolev", "cosine", "teeth", "maximum"} <= set(listed)
    assert listed["cosine"]["usage"] == "plica build cosine --frequency FREQUENCY --error ERROR"


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["build", "squaring"], "needs --m"),
        (["build", "squaring", "--m", "3", "--n", "2"], "no option --n"),
        (["build", "squaring", "--m"], "needs a value"),
        (["build", "squaring", "--m", "3", "--m", "4"], "twice"),
        (["build", "squaring", "3"], "not an option"),
        (["build", "squaring", "--m", "3", "--out", "net.pt"], ".onnx"),
        (["build", "cube", "--m", "3"], "no construction"),
        (["build", "sobolev", "--f", "sin(3*x)", "--error", "0"], "must be positive"),
        (["build", "sobolev", "--f", "open(x)", "--error", "0.1"], "the formula has an unexpected"),
    ],
)
def test_what_is_wrong_is_said_with_exit_code_two(words: list[str], message: str) -> None:
    done = RUN.invoke(app, words)
    assert done.exit_code == 2
    assert message in " ".join(done.output.split())
