"""``plica compress``: a smaller file with the same function, and clear words for bad questions."""

import json
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

import plica
from plica.cli import app
from plica.measure import compare
from plica.network import to_onnx


@pytest.fixture
def model(tmp_path: Path) -> Path:
    to_onnx(plica.random_network([2, 40, 30, 2], seed=0), tmp_path / "model.onnx")
    return tmp_path / "model.onnx"


def run(*arguments: object) -> tuple[int, str, str]:
    found = CliRunner().invoke(app, ["compress", *map(str, arguments)])
    return found.exit_code, found.stdout, found.stderr


@pytest.mark.parametrize("name", ["small.onnx", "small.safetensors"])
def test_the_file_is_smaller_and_the_function_the_same_on_the_box(model: Path, name: str) -> None:
    out = model.parent / name
    code, told, _ = run(model, "--box", "0.4,0.6", "--out", out, "--json")
    facts = json.loads(told)
    assert code == 0 and facts["neurons"] == [70, plica.load(out).n_neurons] and facts["neurons"][1] < 35
    assert facts["bytes"][1] == out.stat().st_size < facts["bytes"][0] / 2
    found = compare(plica.load(model), plica.load(out), plica.Box([0.4, 0.4], [0.6, 0.6]))
    assert float(found.largest) <= facts["largest_error"] < 1e-12


def test_the_box_around_data_and_around_one_row(model: Path) -> None:
    x = np.random.default_rng(0).uniform(0, 1, (20, 2))
    np.save(model.parent / "x.npy", x)
    options = [model, "--data", model.parent / "x.npy", "--out", model.parent / "small.onnx", "--json"]
    sizes = []
    for more in ([], ["--row", "3", "--radius", "0.01"]):
        code, told, _ = run(*options, *more)
        assert code == 0
        sizes.append(json.loads(told)["parameters"][1])
    assert sizes[1] < sizes[0] < plica.load(model).n_parameters


def test_a_table_for_people(model: Path) -> None:
    code, told, _ = run(model, "--box", "0.4,0.6", "--out", model.parent / "small.onnx")
    assert code == 0 and "neurons" in told and "certified" in told


@pytest.mark.parametrize(
    "options",
    [
        ["--out", "small.onnx"],
        ["--box", "1,0", "--out", "small.onnx"],
        ["--box", "0,nan", "--out", "small.onnx"],
        ["--box", "0", "--out", "small.onnx"],
        ["--box", "0,1", "--out", "small.pt"],
        ["--box", "0,1", "--out", "model.onnx"],
        ["--box", "0,1", "--out", "small.onnx", "--dtype", "float16"],
        ["--box", "0,1", "--row", "1", "--out", "small.onnx"],
        ["--data", "x.npy", "--row", "99", "--out", "small.onnx"],
        ["--data", "missing.npy", "--out", "small.onnx"],
        ["--box", "0,1", "--sparse", "--out", "small.safetensors"],
    ],
)
def test_bad_questions_get_clear_answers(model: Path, options: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(model.parent)
    np.save("x.npy", np.zeros((3, 2)))
    before = model.read_bytes()
    code, told, words = run(model, *options)
    assert code not in (0, 1) and not told and "error" in words and "Traceback" not in words
    assert model.read_bytes() == before and not (model.parent / "small.onnx").exists()
