"""kill -9, Ctrl-C, and two processes on one store."""

import os
import signal
import subprocess
import time

import kills
import pytest
import sweep_tasks
from patience import patient, wait_for

from plica.sweeps import Store, check_store, run, table_of


@pytest.fixture(scope="module")
def expected(tmp_path_factory):
    return run(sweep_tasks.long_sweep, store=tmp_path_factory.mktemp("expected") / "s.db").to_json()


def table_at(path):
    with Store(path, read_only=True) as store:
        ((experiment, _),) = store.experiments()
        return table_of(store, experiment).to_json()


@pytest.mark.parametrize("executor", ["serial", "processes"])
def test_sweep_killed_again_and_again_ends_with_the_same_table(tmp_path, python, expected, executor):
    path = tmp_path / "s.db"
    n_at_work = kills.kill_until_finished(python, path, executor, n_kills=3, seed=1, longest_s=0.6)
    assert n_at_work >= 2
    assert table_at(path) == expected
    with Store(path) as store:  # opening sweeps what the kills left behind
        assert list(store.arrays.unfinished.iterdir()) == []
        named = {name for record in store.load(store.experiments()[0][0])[0] for name in record.files.split()}
        assert {file.stem for file in store.arrays.folder.glob("??/*.npy")} == named


def children_of(pid):
    found = []
    for name in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{name}/stat") as file:
                if int(file.read().rsplit(")", 1)[1].split()[1]) == pid:
                    found.append(int(name))
        except (OSError, ValueError):
            continue
    return found


def is_running(pid):
    try:
        with open(f"/proc/{pid}/stat") as file:
            return file.read().rsplit(")", 1)[1].split()[0] != "Z"
    except OSError:
        return False


@pytest.mark.skipif(not os.path.isdir("/proc/self"), reason="looks at /proc")
@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGINT])
def test_workers_do_not_outlive_their_driver(tmp_path, python, how):
    code = kills.DRIVER.replace("long_sweep", "sleepy_sweep")
    process = python(code, tmp_path / "s.db", "processes")
    wait_for(lambda: kills_possible(tmp_path / "s.db") >= 1)
    workers = children_of(process.pid)
    assert len(workers) >= 2
    process.send_signal(how)
    process.communicate(timeout=patient(10))
    wait_for(lambda: not any(map(is_running, workers)))


@pytest.mark.skipif(not os.path.isdir("/proc/self"), reason="looks at /proc")
@pytest.mark.parametrize("moment", [0.0, 0.1, 0.5, 1.5])
def test_workers_that_are_still_starting_do_not_outlive_their_driver(tmp_path, python, moment):
    process = python(kills.DRIVER.replace("long_sweep", "sleepy_sweep"), tmp_path / "s.db", "processes")
    wait_for(lambda: len(children_of(process.pid)) >= 2)
    time.sleep(moment)
    workers = children_of(process.pid)
    process.kill()
    process.communicate(timeout=patient(10))
    wait_for(lambda: not any(map(is_running, workers)))


def kills_possible(path):
    try:
        return kills.n_stored(path)
    except Exception:
        return 0


@pytest.mark.parametrize("executor", ["serial", "processes", pytest.param("dask", marks=pytest.mark.slow)])
def test_interrupt_ends_the_run_and_keeps_what_has_finished(tmp_path, python, executor):
    path = tmp_path / "s.db"
    if executor == "dask":
        pytest.importorskip("distributed")
    process = python(kills.DRIVER.replace("long_sweep", "sleepy_sweep"), path, executor, start_new_session=True)
    assert process.stdout.readline() == "go\n"
    # All four quick ones are stored within a second, though the next task is already running and will not end.
    wait_for(lambda: kills_possible(path) == 4)
    os.killpg(process.pid, signal.SIGINT)  # a terminal sends it to the workers, too
    _, errors = process.communicate(timeout=patient(20))  # the tasks at work would sleep for much longer
    assert "KeyboardInterrupt" in errors
    assert kills.n_stored(path) == 4
    assert check_store(path).is_intact


SHARED = """
import sys
from sweep_tasks import Sweep, told
from plica.sweeps import run

print("ready", flush=True)
sys.stdin.readline()
run(Sweep(told, grid={"i": range(40), "folder": [sys.argv[2]]}), store=sys.argv[1])
"""


def test_two_processes_on_one_store_share_the_work(tmp_path, python):
    path, folder = tmp_path / "s.db", tmp_path / "told"
    folder.mkdir()
    processes = [python(SHARED, path, folder, stdin=subprocess.PIPE) for _ in range(2)]
    assert [process.stdout.readline() for process in processes] == ["ready\n"] * 2
    for process in processes:  # both begin at once, however long each took to start
        process.stdin.write("go\n")
        process.stdin.flush()
    for process in processes:
        assert process.communicate(timeout=patient(60))[1] == "" and process.returncode == 0
    computed = [file.name.split("-") for file in folder.iterdir()]
    assert len({pid for _, pid in computed}) == 2
    assert len({i for i, _ in computed}) == 40 <= len(computed) < 60  # some tasks twice, most of them once
    assert check_store(path).is_intact
    for file in folder.iterdir():
        file.unlink()
    alone = run(sweep_tasks.Sweep(sweep_tasks.told, grid={"i": range(40), "folder": [str(folder)]}), store=tmp_path / "alone.db")
    assert table_at(path) == alone.to_json()


def test_many_processes_may_open_and_write_one_store_at_once(tmp_path, python, expected):
    path = tmp_path / "s.db"
    processes = [python(kills.DRIVER, path, "serial") for _ in range(4)]
    said = [process.communicate(timeout=patient(90)) for process in processes]
    assert all("finished" in words for words, _ in said), said
    assert table_at(path) == expected
    assert check_store(path).is_intact
