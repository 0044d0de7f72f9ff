"""``plica sweep``: results on stdout, everything else on stderr, exit codes that mean something."""

import csv
import io
import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
import sweep_tasks
from patience import patient, wait_for
from typer.testing import CliRunner

import plica
from plica.cli import app
from plica.sweeps import run

HERE = Path(__file__).parent


def command(*arguments):
    """The command in this process: exit code, stdout, stderr."""
    result = CliRunner(env={"NO_COLOR": "1"}).invoke(app, ["sweep", *map(str, arguments)])
    return result.exit_code, result.stdout, result.stderr


def start(*arguments):
    """The command in a process of its own."""
    environment = {**os.environ, "PYTHONPATH": str(Path(plica.__file__).parent.parent), "NO_COLOR": "1"}
    words = [sys.executable, "-m", "plica", "sweep", *map(str, arguments)]
    return subprocess.Popen(words, cwd=HERE, env=environment, text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE)


@pytest.fixture(autouse=True)
def path_of_modules_is_restored(monkeypatch):
    monkeypatch.setattr(sys, "path", list(sys.path))


@pytest.fixture(scope="module")
def store(tmp_path_factory):
    path = tmp_path_factory.mktemp("command") / "s.db"
    code, out, err = command("run", "sweep_tasks:sweep", "--store", path, "--workers", "2", "--json")
    assert code == 0, err
    assert json.loads(out)["n_done"] == 20
    assert "20/20 tasks" in err
    return path


def test_run_again_finds_everything_there(store):
    code, out, err = command("run", "sweep_tasks:sweep", "--store", store, "--json", "--quiet")
    assert (code, err) == (0, "")
    assert json.loads(out)["n_earlier"] == 20


def test_failed_tasks_are_told_and_give_exit_code_one(tmp_path):
    code, out, err = command("run", "sweep_tasks:failing_sweep", "--store", tmp_path / "s.db")
    assert code == 1
    assert "6 of 8 tasks done" in out and "ValueError: no 5" in out and 'failed: {"i":1}' in err


def test_show_lists_experiments_and_failures(tmp_path):
    run(sweep_tasks.failing_sweep, store=tmp_path / "s.db")
    code, out, _ = command("show", tmp_path / "s.db")
    assert code == 0 and "fails: 6 done, 2 failed, 0 damaged" in out and 'raise ValueError(f"no {i}")' in out
    code, out, _ = command("show", tmp_path / "s.db", "--json")
    (found,) = json.loads(out)["experiments"]
    assert found["n_failed"] == 2 and found["function"] == "sweep_tasks:fails" and found["environment"]["python"]


def test_exports_agree_with_the_table(store, tmp_path):
    table = run(sweep_tasks.sweep, store=store)
    assert command("export", store, "--format", "json")[1] == table.to_json()
    code, out, _ = command("export", store, "--out", tmp_path / "t.csv")
    assert (code, out) == (0, "")
    assert (tmp_path / "t.csv").read_text() == table.to_csv()
    assert len(list(csv.reader(io.StringIO(table.to_csv())))) == 21
    code, _, err = command("export", store, "--format", "parquet")
    assert code == 2 and "--out" in err


def test_export_asks_which_of_several_experiments(tmp_path):
    path = tmp_path / "s.db"
    run(sweep_tasks.failing_sweep, store=path)
    run(sweep_tasks.loud_sweep, store=path)
    code, _, err = command("export", path)
    assert code == 2 and "fails, loud" in err
    assert command("export", path, "--experiment", "loud")[1].startswith("seed,status,value.seed,error\n0,done,")


def test_verify_computes_rows_again_when_told_which_sweep(store):
    code, out, _ = command("verify", store, "sweep_tasks:sweep", "--fraction", "0.5", "--json")
    found = json.loads(out)
    assert code == 0 and found["n_checked"] == 10 and found["holds"] is True
    code, out, err = command("verify", store)
    assert code == 0 and "20 rows: 0 damaged" in out and "name the sweep" in err


def test_verify_of_a_damaged_store_gives_exit_code_one(tmp_path):
    path = tmp_path / "s.db"
    run(sweep_tasks.sweep, store=path)
    next(path.with_name("s.db.files").glob("??/*.npy")).unlink()
    code, out, _ = command("verify", path, "--json")
    assert code == 1 and json.loads(out)["n_damaged_arrays"] == 1


def test_what_a_function_prints_does_not_mix_with_the_result(tmp_path):
    words = ["run", "sweep_tasks:loud_sweep", "--json", "--store"]
    code, out, err = command(*words, tmp_path / "s.db")
    assert code == 0 and json.loads(out)["n_done"] == 1 and "noise on stdout" in err
    out, err = start(*words, tmp_path / "p.db", "--executor", "processes").communicate(timeout=patient(30))
    assert json.loads(out)["n_done"] == 1 and "noise on stdout" in err


def test_seed_option_is_another_experiment(tmp_path):
    command("run", "sweep_tasks:loud_sweep", "--store", tmp_path / "s.db")
    _, out, _ = command("run", "sweep_tasks:loud_sweep", "--store", tmp_path / "s.db", "--seed", "5", "--json")
    assert json.loads(out)["root_seed"] == 5 and json.loads(out)["n_earlier"] == 0


@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGTERM])
def test_interrupt_gives_exit_code_130_and_keeps_what_has_finished(tmp_path, how):
    path = tmp_path / "s.db"
    process = start("run", "sweep_tasks:sleepy_sweep", "--store", path)
    try:
        wait_for(lambda: _n_done(path) >= 4)
        process.send_signal(how)
        _, err = process.communicate(timeout=patient(20))  # the next task would sleep for much longer
    finally:
        process.kill()
    assert process.returncode == 130
    assert "the same command resumes" in err and "Traceback" not in err
    assert _n_done(path) == 4


def _n_done(path):
    import kills

    try:
        return kills.n_stored(path)
    except Exception:
        return 0


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["run", "nowhere:sweep"], "no module"),
        (["run", "sweep_tasks.py"], "package.module:name"),
        (["run", "sweep_tasks:measure"], "not a Sweep"),
        (["run", "sweep_tasks:nothing"], "not there"),
        (["run", "sweep_tasks:sweep", "--cluster", "nowhere.toml"], "no such file"),
        (["show", "nowhere.db"], "no store"),
        (["export", __file__], "not a sweep store"),
    ],
)
def test_mistakes_end_with_code_two_and_a_hint(arguments, message):
    code, out, err = command(*arguments)
    assert (code, out) == (2, "") and message in err and "hint:" in err and "Traceback" not in err


def test_module_that_cannot_be_imported_says_where(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "broken.py").write_text("x = 1\ny = x / 0\n")
    code, _, err = command("run", "broken:sweep")
    assert code == 2 and "ZeroDivisionError" in err and "broken.py, line 2" in err
