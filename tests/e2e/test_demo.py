"""The demo as a person runs it: one command, no display, no network, a page and commands that work."""

import json
import os
import shlex
import signal
import subprocess
import sys
import time

import pytest
from patience import patient

ENVIRONMENT = {k: v for k, v in os.environ.items() if k not in ("DISPLAY", "WAYLAND_DISPLAY")} | {"NO_COLOR": "1"}


def start(*args, cwd):
    return subprocess.Popen(
        [sys.executable, "-m", "plica", *args],
        cwd=cwd, env=ENVIRONMENT, text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
    )  # fmt: skip


def plica_command(*args, cwd):
    process = start(*args, cwd=cwd)
    stdout, stderr = process.communicate(timeout=patient(120))
    return process.returncode, stdout, stderr


@pytest.fixture(scope="module")
def demo(tmp_path_factory):
    folder = tmp_path_factory.mktemp("demo")
    code, stdout, stderr = plica_command("demo", "--epochs", "4", "--json", cwd=folder)
    assert code == 0, stderr
    assert sorted(p.name for p in folder.iterdir()) == ["plica-demo-report.html", "plica-demo.html", "plica-demo.safetensors"]
    return folder, json.loads(stdout), stderr


def test_the_demo_page_has_the_number_of_regions(demo):
    folder, told, _ = demo
    page = (folder / told["page"]).read_text(encoding="utf-8")
    assert f'<output class="headline-value">{told["moments"][-1]["n_regions"]:,}</output>' in page


def test_progress_tells_epoch_loss_and_regions_on_stderr(demo):
    _, told, stderr = demo
    rows = [line.split() for line in stderr.splitlines() if line.split()[:1] and line.split()[0].isdigit()]
    by_epoch = {int(row[0]): row for row in rows}
    assert set(by_epoch) == {0, 1, 2, 3, 4}
    for moment in told["moments"]:
        assert int(by_epoch[moment["epoch"]][-1]) == moment["n_regions"]
    assert "\x1b[" not in stderr


def test_the_suggested_commands_work_and_find_the_same_regions(demo):
    folder, told, _ = demo
    assert len(told["try"]) == 3
    first, second, third = (shlex.split(line) for line in told["try"])
    assert {first[0], second[0], third[0]} == {"plica"}
    code, stdout, _ = plica_command(*first[1:], "--json", cwd=folder)
    assert code == 0
    assert json.loads(stdout)["n_regions"] == told["moments"][-1]["n_regions"]
    assert plica_command(*second[1:], cwd=folder)[0] == 0
    assert (folder / "regions.svg").stat().st_size > 1000
    assert plica_command(*third[1:], "--epochs", "1", cwd=folder)[0] == 0
    assert (folder / "another.html").exists()


def test_ctrl_c_writes_the_page_with_what_was_finished(tmp_path):
    process = start("demo", "--epochs", "10000", "--json", cwd=tmp_path)
    for line in process.stderr:
        if line.split()[:1] == ["0"]:
            break
    time.sleep(0.5)
    process.send_signal(signal.SIGINT)
    stdout, stderr = process.communicate(timeout=patient(60))
    assert process.returncode == 130, stderr
    assert "Traceback" not in stderr
    told = json.loads(stdout)
    assert told["finished"] is False and 0 <= told["moments"][-1]["epoch"] < 10000
    assert (tmp_path / "plica-demo.html").exists()


def test_an_unusable_target_is_refused_before_training(tmp_path):
    code, stdout, stderr = plica_command("demo", "--out", "no/such/folder/page.html", cwd=tmp_path)
    assert (code, stdout) == (2, "")
    assert "folder that exists" in stderr
