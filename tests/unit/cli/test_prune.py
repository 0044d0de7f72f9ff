"""``plica prune``: files with fewer weights, trained again if asked, and clear words for bad questions."""

import json
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

import plica
from plica.cli import app
from plica.learn import fit, mlp
from plica.network import to_onnx

DIGITS = plica.data.load("digits").split(0.8, seed=0)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A network that learned digits, and the digits."""
    path = tmp_path_factory.mktemp("digits")
    x = DIGITS.x.reshape(len(DIGITS.x), -1)
    model = mlp([64, 40, 30, 10], seed=0)
    fit(model, (x, DIGITS.y), epochs=8, rate=3e-3)
    to_onnx(plica.from_torch(model), path / "model.onnx", dtype="float32")
    np.save(path / "x.npy", x)
    np.save(path / "y.npy", DIGITS.y)
    return path


def run(*arguments: object) -> tuple[int, str, str]:
    found = CliRunner().invoke(app, ["prune", *map(str, arguments)])
    return found.exit_code, found.stdout, found.stderr


def arrays(path: Path) -> list[np.ndarray]:
    """Weights and biases, in their order."""
    return [a for node in plica.load(path).nodes for a in node.op.arrays().values() if a.dtype.kind == "f"]


def nonzero(path: Path) -> int:
    return sum(int(np.count_nonzero(layer.weight)) for layer in plica.load(path).dense_layers)


@pytest.mark.parametrize("method", ["magnitude", "random", "synflow"])
@pytest.mark.parametrize("suffix", [".onnx", ".safetensors"])
def test_as_many_weights_stay_as_asked_and_those_are_unchanged(folder: Path, method: str, suffix: str) -> None:
    out = folder / f"{method}{suffix}"
    code, told, error = run(folder / "model.onnx", "--method", method, "--keep", 0.1, "--out", out, "--json")
    assert code == 0, error
    facts = json.loads(told)
    assert facts["n_weights"] == 64 * 40 + 40 * 30 + 30 * 10 and nonzero(out) == facts["n_kept"] == 406
    for before, after in zip(arrays(folder / "model.onnx"), arrays(out), strict=True):
        assert ((after == before) | ((after == 0) & (after.ndim == 2))).all()


@pytest.mark.parametrize("method", ["snip", "grasp"])
def test_scores_that_look_at_data(folder: Path, method: str) -> None:
    given = ["--data", folder / "x.npy", "--labels", folder / "y.npy", "--out", folder / "out.onnx", "--json"]
    code, told, error = run(folder / "model.onnx", "--method", method, "--keep", 0.2, *given)
    assert code == 0, error
    facts = json.loads(told)
    assert facts["accuracy"][0] > 0.9 > facts["accuracy"][1] and facts["accuracy"][2] is None


def test_training_brings_accuracy_back_and_keeps_zeros(folder: Path) -> None:
    given = ["--data", folder / "x.npy", "--labels", folder / "y.npy", "--epochs", 8, "--rate", 3e-3]
    out = folder / "trained.onnx"
    code, told, error = run(folder / "model.onnx", "--keep", 0.15, *given, "--out", out, "--json")
    assert code == 0, error
    before, pruned, trained = json.loads(told)["accuracy"]
    assert before > 0.95 and trained > 0.95 > pruned and nonzero(out) == round(0.15 * 4060)


def test_units_can_be_taken_out_afterwards(folder: Path) -> None:
    out, small = folder / "units.onnx", folder / "small.onnx"
    assert run(folder / "model.onnx", "--method", "units", "--keep", 0.2, "--out", out)[0] == 0
    found = CliRunner().invoke(app, ["compress", str(out), "--box", "0,1", "--out", str(small), "--json"])
    assert found.exit_code == 0 and json.loads(found.stdout)["neurons"][1] <= 18
    x = DIGITS.x_test[:20].reshape(20, -1)
    np.testing.assert_allclose(plica.load(small)(x), plica.load(out)(x), atol=1e-4)


def test_sparse_storage_is_smaller(folder: Path) -> None:
    sizes = []
    for more in ([], ["--sparse"]):
        assert run(folder / "model.onnx", "--keep", 0.05, "--out", folder / "s.onnx", *more)[0] == 0
        sizes.append((folder / "s.onnx").stat().st_size)
    assert sizes[1] < sizes[0] / 2


@pytest.mark.parametrize(
    "options",
    [
        ["--keep", "0", "--out", "a.onnx"],
        ["--keep", "1.5", "--out", "a.onnx"],
        ["--keep", "nan", "--out", "a.onnx"],
        ["--method", "size", "--out", "a.onnx"],
        ["--scope", "all", "--out", "a.onnx"],
        ["--method", "snip", "--out", "a.onnx"],
        ["--epochs", "1", "--out", "a.onnx"],
        ["--out", "a.txt"],
        ["--out", "a.safetensors", "--sparse"],
        ["--data", "x.npy", "--out", "a.onnx"],
    ],
)
def test_bad_questions_are_answered_by_a_sentence(folder: Path, options: list[str]) -> None:
    code, _, error = run(folder / "model.onnx", *[o.replace("x.npy", str(folder / "x.npy")) for o in options])
    assert code not in (0, None) and "Traceback" not in error and error.strip()


def test_words_are_those_of_the_command(folder: Path) -> None:
    for options, words in ((["--method", "snip"], "--labels"), (["--epochs", "1"], "--labels"), (["--keep", "0"], "--keep 0")):
        code, _, error = run(folder / "model.onnx", *options, "--out", "a.onnx")
        assert code == 2 and words in error, error


def test_nothing_right_is_told_too(folder: Path) -> None:
    """A share of zero is a share: the row is there."""
    x = np.load(folder / "x.npy")
    np.save(folder / "wrong.npy", (plica.load(folder / "model.onnx")(x).argmax(1) + 1) % 10)
    given = ["--data", folder / "x.npy", "--labels", folder / "wrong.npy"]
    code, told, error = run(folder / "model.onnx", *given, "--keep", 1, "--out", folder / "w.onnx")
    assert code == 0 and told.count("0.00%") >= 2 and "right before" in told, error


def test_labels_that_are_no_classes_are_refused(folder: Path) -> None:
    np.save(folder / "bad.npy", np.ones((3, 2)))
    code, _, error = run(
        folder / "model.onnx", "--data", folder / "x.npy", "--labels", folder / "bad.npy", "--out", folder / "a.onnx"
    )
    assert code not in (0, None) and "Traceback" not in error


def test_the_model_is_not_overwritten(folder: Path) -> None:
    code, _, error = run(folder / "model.onnx", "--out", folder / "model.onnx")
    assert code not in (0, None) and "itself" in error
