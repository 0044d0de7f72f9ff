"""Tasks: a folder is trained, cut, taken up bit for bit and used; what does not belong together is refused."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
import torch
from typer.testing import CliRunner

import plica
from plica.cli import app
from plica.data import load
from plica.errors import InvalidInput
from plica.learn.tasks import TASKS, attention_maps, continued, train_task, translated
from plica.learn.tasks._chars import english, tables
from plica.learn.tasks._numerals import german, numerals
from plica.models import load_model
from plica.report import attention_page

RUN = CliRunner()
FILES = {"settings.json", "checkpoint.safetensors", "history.csv", "history.svg", "result.json", "model"}


@pytest.fixture(scope="module")
def folders(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """Each task after a few steps."""
    found = {}
    for task in TASKS:
        found[task] = tmp_path_factory.mktemp(task) / "work"
        train_task(task, found[task], steps=6, seed=3)
    return found


@pytest.mark.parametrize("task", TASKS)
def test_a_folder_holds_model_settings_history_figure_and_result(task: str, folders: dict[str, Path]) -> None:
    folder = folders[task]
    assert FILES <= {path.name for path in folder.iterdir()}
    result = json.loads((folder / "result.json").read_text())
    assert result["n_steps"] == 6
    assert (folder / "history.csv").read_text().count("\n") >= 7
    assert "<svg" in (folder / "history.svg").read_text()
    if task == "regions":
        assert plica.load(folder / "model" / "network.safetensors").n_inputs == 2
        assert "regions_n_regions" in (folder / "history.csv").read_text()
    else:
        assert load_model(folder / "model").config


class Cut(Exception):
    pass


def test_a_training_that_is_cut_goes_on_bit_for_bit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from plica.learn.tasks import _recipe, _work

    whole = train_task("regions", tmp_path / "whole", steps=12)
    original = _work.train

    def cut(*args, **options):
        def tell(row):
            if row["step"] == 7:
                raise Cut

        return original(*args, **{**options, "progress": tell})

    often = _recipe.Recipe(12, rate=1e-2, n_warmup=1, n_between_checkpoints=2)
    monkeypatch.setattr(_work, "replace", lambda recipe, **changes: often)
    expected = train_task("regions", tmp_path / "expected", steps=12)
    monkeypatch.setattr(_work, "train", cut)
    with pytest.raises(Cut):
        train_task("regions", tmp_path / "cut", steps=12)
    assert not (tmp_path / "cut" / "model").exists()
    with pytest.raises(InvalidInput, match="holds a training"):
        continued(tmp_path / "cut", "a")
    monkeypatch.setattr(_work, "train", original)
    again = train_task("regions", tmp_path / "cut", steps=12)
    for a, b in zip(expected.model.parameters(), again.model.parameters(), strict=True):
        assert torch.equal(a, b)
    for name in ("model/network.safetensors", "history.csv", "history.svg"):
        assert (tmp_path / "cut" / name).read_bytes() == (tmp_path / "expected" / name).read_bytes(), name
    assert whole.fit.n_steps == again.fit.n_steps == 12


def test_what_a_killed_process_left_of_its_settings_is_no_other_training(tmp_path: Path) -> None:
    (tmp_path / "work").mkdir()
    (tmp_path / "work" / ".settings.json.99999999.part").write_text('{"task": "reg')
    assert train_task("regions", tmp_path / "work", steps=2).fit.n_steps == 2
    assert {path.name for path in (tmp_path / "work").iterdir()} == FILES


def test_the_same_seed_is_the_same_model_and_another_is_not(folders: dict[str, Path], tmp_path: Path) -> None:
    for seed, same in ((3, True), (4, False)):
        train_task("chars", tmp_path / str(seed), steps=6, seed=seed)
        a, b = (load_model(f / "model").state_dict() for f in (folders["chars"], tmp_path / str(seed)))
        shapes = all(a[k].shape == b[k].shape for k in a)
        assert (shapes and all(torch.equal(a[k], b[k]) for k in a)) == same


@pytest.mark.parametrize(
    "task, name, contents, words",
    [
        ("chars", "a.txt", b"\xff\xfe" * 3000, "no text in UTF-8"),
        ("chars", "a.txt", b"", "a text of 0 characters is too short"),
        ("regions", "a.csv", b"\n".join(b"%d,%d,0" % (i, i * i) for i in range(20)), "one class only"),
        ("regions", "a.csv", b"\n".join(b"1,1,%d" % (i % 2) for i in range(20)), "one point only"),
        ("regions", "a.csv", b"1,nan,0\n" * 20, "no rows of coordinates"),
    ],
)
def test_files_with_nothing_to_learn_are_refused(task: str, name: str, contents: bytes, words: str, tmp_path: Path) -> None:
    (tmp_path / name).write_bytes(contents)
    with pytest.raises(InvalidInput, match=words):
        train_task(task, tmp_path / "work", data=tmp_path / name, steps=2)
    assert not (tmp_path / "work").exists()


@pytest.mark.parametrize(
    "call, words",
    [
        (lambda f, t: train_task("poems", t / "x"), "no task"),
        (lambda f, t: train_task("chars", f["chars"], steps=7, seed=3), "another training"),
        (lambda f, t: train_task("regions", f["chars"], steps=6, seed=3), "another training"),
        (lambda f, t: train_task("chars", t / "x", data=t / "nothing"), "nothing at"),
        (lambda f, t: train_task("digits", t / "x", data=t / "file.txt"), "folder, not a file"),
        (lambda f, t: train_task("chars", t), "not empty"),
        (lambda f, t: train_task("chars", t / "x", data=t / "file.txt"), "too short"),
        (lambda f, t: train_task("regions", t / "x", data=t / "file.txt"), "table of numbers"),
        (lambda f, t: continued(f["chars"], "δ"), "did not occur"),
        (lambda f, t: continued(f["chars"], ""), "empty"),
        (lambda f, t: continued(f["digits"], "a"), "needs 'chars'"),
        (lambda f, t: continued(t, "a"), "holds no training"),
        (lambda f, t: translated(f["chars"], ["a"]), "needs 'translate'"),
        (lambda f, t: attention_maps(f["chars"], "t" * 100), "100 characters"),
    ],
)
def test_what_does_not_belong_together_is_refused(call, words: str, folders: dict[str, Path], tmp_path: Path) -> None:
    (tmp_path / "file.txt").write_text("short")
    with pytest.raises(InvalidInput, match=words):
        call(folders, tmp_path)


def test_texts_and_tables_of_ones_own_are_read(tmp_path: Path) -> None:
    (tmp_path / "text.txt").write_text("the cat sat on the mat. " * 60)
    work = train_task("chars", tmp_path / "a", data=tmp_path / "text.txt", steps=3)
    assert "text.txt" in work.data and work.model.config.vocabulary == len(set("the cat sat on the mat. "))
    rng = np.random.default_rng(0)
    lines = [f"{a:.3f},{b:.3f},{int(a > b) + int(a > 2 * b)}" for a, b in rng.random((60, 2))]
    (tmp_path / "points.csv").write_text("\n".join(["x,y,class", *lines]))
    work = train_task("regions", tmp_path / "b", data=tmp_path / "points.csv", steps=3)
    assert work.data == "points.csv, 60 points"
    for task, name, folder in (("chars", "text.txt", "a"), ("regions", "points.csv", "b")):  # one character in the middle
        text = (tmp_path / name).read_text()
        middle = next(i for i in range(len(text) // 2, len(text)) if text[i] in "a5")
        (tmp_path / name).write_text(text[:middle] + {"a": "o", "5": "6"}[text[middle]] + text[middle + 1 :])
        with pytest.raises(InvalidInput, match="another training: its contents differ"):
            train_task(task, tmp_path / folder, data=tmp_path / name, steps=3)


def test_a_text_goes_on_beyond_the_context_and_depends_on_the_seed(folders: dict[str, Path]) -> None:
    length = load_model(folders["chars"] / "model").config.max_length + 20
    first, again, other = (continued(folders["chars"], "two ", n_characters=length, seed=s) for s in (0, 0, 1))
    assert len(first) == length + 4 and first == again != other and first.startswith("two ")


def test_a_folder_of_another_task_has_no_alphabet(folders: dict[str, Path]) -> None:
    found = RUN.invoke(app, ["sample", str(folders["digits"])])
    assert found.exit_code == 2 and "holds a training of 'digits'" in found.output


def test_maps_have_a_head_each_and_rows_that_sum_to_one(folders: dict[str, Path]) -> None:
    maps = attention_maps(folders["chars"], "two plus two")
    config = load_model(folders["chars"] / "model").config
    assert len(maps) == config.n_layers * config.n_heads
    for found in maps:
        assert found.weights.shape == (12, 12) and np.allclose(found.weights.sum(1), 1, atol=1e-6)
        assert not np.triu(found.weights, 1).any()  # causal
    maps = attention_maps(folders["translate"], "zwei und vierzig")
    assert maps and all(m.weights.shape == (len(m.queries), len(m.keys)) for m in maps)
    page = attention_page(maps, title="a < b", about="<script>")
    assert "a &lt; b" in page and "&lt;script&gt;" in page and page.count("<script>") == 1
    assert page.count("<figure>") == len(maps) and "Content-Security-Policy" in page


def test_an_image_is_shown_with_the_patches_that_the_class_token_looks_at(folders: dict[str, Path], tmp_path: Path) -> None:
    model, image = load_model(folders["digits"] / "model"), load("digits").x[12]
    maps = attention_maps(folders["digits"], "12")
    assert np.allclose(maps[0].weights, image) and len(maps) == 1 + model.config.n_layers * model.config.n_heads
    for found in maps[1:]:
        assert found.weights.shape == (4, 4)
        on_itself = float(found.title.split(": ")[1].split()[0])
        assert found.weights.sum() + on_itself == pytest.approx(1, abs=0.006)
    np.save(tmp_path / "x.npy", image)
    again = attention_maps(folders["digits"], str(tmp_path / "x.npy"))
    assert all(np.array_equal(a.weights, b.weights) for a, b in zip(maps, again, strict=True))
    assert "class token" in attention_page(maps, title="t")
    np.save(tmp_path / "wrong.npy", 16 * image)
    for what, words in (("5000", "image 5000"), ("seven", "no image"), (str(tmp_path / "wrong.npy"), "values up to 16")):
        with pytest.raises(InvalidInput, match=words):
            attention_maps(folders["digits"], what)


@pytest.mark.parametrize(
    "number, words, worte",
    [
        (0, "zero", "null"),
        (1, "one", "eins"),
        (17, "seventeen", "siebzehn"),
        (40, "forty", "vierzig"),
        (21, "twenty-one", "ein und zwanzig"),
        (300, "three hundred", "drei hundert"),
        (1001, "one thousand one", "ein tausend eins"),
        (9999, "nine thousand nine hundred ninety-nine", "neun tausend neun hundert neun und neunzig"),
    ],
)
def test_numbers_in_words(number: int, words: str, worte: str) -> None:
    assert (english(number), german(number)) == (words, worte)


def test_embedded_texts_are_true_and_all_numbers_differ() -> None:
    numbers = {english(n): n for n in range(200)}
    for line in tables(0, n_lines=300).splitlines():
        left, result = line.removesuffix(".").split(" is ")
        a, name, b = left.split(" ")
        assert numbers[result] == {"times": numbers[a] * numbers[b], "plus": numbers[a] + numbers[b]}[name]
    train, test = numerals(0)
    assert len({a for a, _ in train} | {a for a, _ in test}) == len(train) + len(test) == 4200


def test_the_commands_train_continue_translate_and_show(tmp_path: Path) -> None:
    folder = str(tmp_path / "bard")
    done = RUN.invoke(app, ["train", "chars", "--out", folder, "--steps", "3", "--json", "-q"])
    assert done.exit_code == 0, done.output
    assert json.loads(done.stdout)["n_steps"] == 3
    done = RUN.invoke(app, ["sample", folder, "--prompt", "two", "--length", "30", "--json"])
    assert done.exit_code == 0 and len(json.loads(done.stdout)["text"]) == 33
    done = RUN.invoke(app, ["attend", folder, "two", "--out", str(tmp_path / "page.html")])
    assert done.exit_code == 0 and (tmp_path / "page.html").read_text().startswith("<!doctype html>")
    done = RUN.invoke(app, ["translate", folder, "eins"])
    assert done.exit_code == 2 and "translate" in done.stderr
    done = RUN.invoke(app, ["sample", str(tmp_path)])
    assert done.exit_code == 2 and "holds no training" in done.stderr
