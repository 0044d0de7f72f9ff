"""A real cluster on this machine: the same table, also when a worker is killed in mid-sweep."""

import json
import os
import signal
import stat
import subprocess
import sys
import threading
import time
from importlib.util import find_spec

import pytest
import sweep_tasks
from patience import patient, wait_for

from plica.errors import InvalidInput, MissingExtra
from plica.sweeps import DaskExecutor, Sweep, WorkerError, run

distributed = pytest.importorskip("distributed")

pytestmark = pytest.mark.filterwarnings("ignore")  # of a library, about its own future


@pytest.fixture(scope="module")
def cluster():
    with distributed.LocalCluster(
        n_workers=2, threads_per_worker=1, host="127.0.0.1", dashboard_address=None, silence_logs=50
    ) as running:
        yield running


def test_table_from_a_cluster_is_the_table_of_one_process(tmp_path, cluster):
    expected = run(sweep_tasks.sweep, store=tmp_path / "serial.db")
    table = run(sweep_tasks.sweep, store=tmp_path / "s.db", cluster=cluster.scheduler_address)
    assert table.to_json() == expected.to_json()


def test_worker_killed_in_mid_sweep_loses_nothing(tmp_path, cluster):
    folder = tmp_path / "told"
    folder.mkdir()
    sweep = Sweep(sweep_tasks.told, grid={"i": range(40), "folder": [str(folder)]})
    pids = {nanny.pid for nanny in cluster.workers.values()}
    killed = []

    def kill_one():
        while len(list(folder.iterdir())) < 8:
            time.sleep(0.01)
        killed.append(next(int(path.name.split("-")[1]) for path in folder.iterdir()))
        os.kill(killed[0], signal.SIGKILL)

    thread = threading.Thread(target=kill_one)
    thread.start()
    table = run(sweep, store=tmp_path / "s.db", cluster=cluster.scheduler_address)
    thread.join()
    assert len(pids) == 2 and killed[0] in pids
    assert len(table.done) == 40
    clean = tmp_path / "clean"
    for path in folder.iterdir():
        path.unlink()
    assert table.to_json() == run(sweep, store=clean / "s.db").to_json()


@pytest.mark.slow
def test_task_that_kills_its_workers_fails_alone(tmp_path, cluster):
    table = run(sweep_tasks.deadly_sweep, store=tmp_path / "s.db", cluster=cluster.scheduler_address)
    assert [row.parameters["i"] for row in table.failed] == [2]
    assert "KilledWorker" in table.failed[0].error
    assert len(table.done) == 5


def test_failing_task_on_a_cluster_has_its_own_traceback(tmp_path, cluster):
    table = run(sweep_tasks.failing_sweep, store=tmp_path / "s.db", cluster=cluster.scheduler_address)
    assert 'raise ValueError(f"no {i}")' in table.failed[0].traceback and len(table.done) == 6


def test_client_that_was_given_is_left_open(tmp_path, cluster):
    with distributed.Client(cluster, set_as_default=False) as client:
        sweep = Sweep(lambda rng: {"x": rng.normal()}, seeds=range(3), name="lambda")  # a cluster is sent such functions
        table = run(sweep, store=tmp_path / "s.db", executor=DaskExecutor(client))
        assert client.status == "running"
    assert table.to_json() == run(sweep, store=tmp_path / "serial.db").to_json()


def test_workers_with_other_code_are_refused(tmp_path, cluster, monkeypatch):
    monkeypatch.setattr("plica.sweeps._run.code_version", lambda function, **_: "the driver's code")
    with pytest.raises(WorkerError, match="other code"):
        run(sweep_tasks.sweep, store=tmp_path / "s.db", cluster=cluster.scheduler_address)


def test_interrupt_leaves_the_cluster_idle_and_the_store_whole(tmp_path, cluster):
    class Stop(Exception):
        pass

    def stop(now):
        if now.n_done >= 4:
            raise Stop

    with pytest.raises(Stop):
        run(sweep_tasks.long_sweep, store=tmp_path / "s.db", cluster=cluster.scheduler_address, progress=stop)
    with distributed.Client(cluster, set_as_default=False) as client:
        wait_for(lambda: not any(client.processing().values()))
    table = run(sweep_tasks.long_sweep, store=tmp_path / "s.db")
    assert table.n_earlier >= 4 and len(table.done) == 120


def test_address_where_nobody_answers_is_an_error_with_a_hint(tmp_path, monkeypatch):
    monkeypatch.setattr("plica._cluster.CONNECT_S", 0.5)
    with pytest.raises(WorkerError, match="no Dask scheduler"):
        run(sweep_tasks.sweep, store=tmp_path / "s.db", cluster="tcp://127.0.0.1:9")


def test_configuration_is_checked_before_anything_starts(tmp_path):
    (tmp_path / "bad.toml").write_text("system = 'abacus'\n")
    (tmp_path / "broken.json").write_text("{")
    (tmp_path / "list.json").write_text("[]")
    for cluster, message in (
        (tmp_path / "bad.toml", "abacus"),
        (tmp_path / "broken.json", "cannot be read"),
        (tmp_path / "list.json", "not a table"),
        ("nowhere.toml", "no such file"),
        ({"jobs": 2}, "system"),
    ):
        with pytest.raises(InvalidInput, match=message):
            DaskExecutor(cluster)
    with pytest.raises(InvalidInput, match="refuses"):
        run(sweep_tasks.sweep, store=tmp_path / "s.db", cluster={"system": "slurm", "cores": "many", "nonsense": 1})


def test_missing_dask_is_named_with_the_command_that_installs_it(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "distributed", None)
    with pytest.raises(MissingExtra) as caught:
        run(sweep_tasks.sweep, store=tmp_path / "s.db", executor="dask")
    assert caught.value.hint == "pip install 'plica[cluster]'"
    monkeypatch.undo()
    monkeypatch.setitem(sys.modules, "dask_jobqueue", None)
    with pytest.raises(MissingExtra, match="jobqueue"):
        run(sweep_tasks.sweep, store=tmp_path / "s.db", cluster={"system": "slurm"})


def test_local_cluster_is_started_and_ended(tmp_path):
    expected = run(sweep_tasks.sweep, store=tmp_path / "serial.db")
    assert run(sweep_tasks.sweep, store=tmp_path / "s.db", executor="dask", n_workers=1).to_json() == expected.to_json()


SCHEDULER = """
import sys, time
from distributed import LocalCluster

if __name__ == "__main__":
    with LocalCluster(n_workers=1, threads_per_worker=1, host="127.0.0.1", dashboard_address=None) as cluster:
        print(cluster.scheduler_address, flush=True)
        time.sleep(600)
"""


@pytest.mark.slow
def test_scheduler_that_dies_ends_the_run_with_what_was_stored(tmp_path, python):
    process = python(SCHEDULER)
    address = process.stdout.readline().strip()

    def kill(now):
        if now.n_done >= 4:
            process.kill()

    with pytest.raises(WorkerError, match="went away"):
        run(sweep_tasks.long_sweep, store=tmp_path / "s.db", cluster=address, progress=kill)
    table = run(sweep_tasks.long_sweep, store=tmp_path / "s.db")
    assert 4 <= table.n_earlier < 120 and len(table.done) == 120


@pytest.mark.skipif(find_spec("dask_jobqueue") is None, reason="needs dask-jobqueue")
def test_ctrl_c_still_interrupts_after_jobs_were_asked_for():
    """The import alone would make it end the program without a word."""
    code = (
        "import signal\nfrom plica._batch import batch_cluster\nfrom plica.errors import InvalidInput\n"
        "try: batch_cluster({'system': 'slurm', 'cores': 'many', 'nonsense': 1})\nexcept InvalidInput: pass\n"
        "try: signal.raise_signal(signal.SIGINT)\nexcept KeyboardInterrupt: print('interrupted')"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False, timeout=patient(120))
    assert done.stdout.split() == ["interrupted"], done.stderr


SBATCH = """#!/bin/sh
# stands for SLURM: runs the job script here, and prints what sbatch prints
cp "$1" "{folder}/job.sh"
setsid sh "{folder}/job.sh" > "{folder}/job.log" 2>&1 &
echo $! > "{folder}/job.pid"
echo "Submitted batch job 1"
"""
SCANCEL = """#!/bin/sh
touch "{folder}/cancelled"
kill -- -$(cat "{folder}/job.pid")
"""


@pytest.mark.slow
@pytest.mark.skipif(find_spec("dask_jobqueue") is None, reason="needs dask-jobqueue")
def test_jobs_of_slurm_are_started_by_a_configuration_file(tmp_path, monkeypatch):
    programs = tmp_path / "bin"
    programs.mkdir()
    for name, text in (("sbatch", SBATCH), ("scancel", SCANCEL)):
        (programs / name).write_text(text.format(folder=tmp_path))
        (programs / name).chmod(stat.S_IRWXU)
    monkeypatch.setenv("PATH", f"{programs}:{os.environ['PATH']}")
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(sys.path))
    configuration = tmp_path / "slurm.json"
    options = {
        "system": "slurm",
        "jobs": 1,
        "cores": 1,
        "memory": "1GB",
        "interface": "lo",
        "scheduler_options": {"dashboard": False},
    }
    configuration.write_text(json.dumps(options))
    table = run(sweep_tasks.sweep, store=tmp_path / "s.db", cluster=str(configuration))
    assert table.to_json() == run(sweep_tasks.sweep, store=tmp_path / "serial.db").to_json()
    assert (tmp_path / "cancelled").exists()
