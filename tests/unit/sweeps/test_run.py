"""The same table, byte for byte: any number of workers, any order, resumed or not."""

import random

import numpy as np
import pytest
import sweep_tasks
from patience import patient

from plica.errors import InvalidInput
from plica.sweeps import Outcome, ProcessExecutor, SerialExecutor, Sweep, WorkerError, run
from plica.sweeps._call import call


@pytest.fixture(scope="module")
def expected(tmp_path_factory):
    return run(sweep_tasks.sweep, store=tmp_path_factory.mktemp("expected") / "s.db").to_json()


@pytest.mark.parametrize("n_workers", [1, 2, 4])
def test_table_does_not_depend_on_the_number_of_processes(tmp_path, expected, n_workers):
    assert run(sweep_tasks.sweep, store=tmp_path / "s.db", executor="processes", n_workers=n_workers).to_json() == expected


@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
def test_table_does_not_depend_on_how_processes_start(tmp_path, expected):
    assert run(sweep_tasks.sweep, store=tmp_path / "s.db", executor=ProcessExecutor(2, "fork")).to_json() == expected


def test_table_does_not_depend_on_the_hash_seed(tmp_path, python, expected):
    code = "import sys, sweep_tasks as t, plica.sweeps as s; print(s.run(t.sweep, store=sys.argv[1]).to_json(), end='')"
    processes = [python(code, tmp_path / f"{seed}.db", hash_seed=str(seed)) for seed in range(3)]
    assert {process.communicate(timeout=patient(30))[0] for process in processes} == {expected}


class ShuffledExecutor:
    """Any order, and a pause now and then."""

    def __init__(self, seed):
        self.random = random.Random(seed)

    def run(self, job, tasks):
        tasks = list(tasks)
        self.random.shuffle(tasks)
        for task in tasks:
            yield None
            yield call(job, task)


@pytest.mark.parametrize("seed", range(3))
def test_table_does_not_depend_on_the_order(tmp_path, expected, seed):
    assert run(sweep_tasks.sweep, store=tmp_path / "s.db", executor=ShuffledExecutor(seed)).to_json() == expected


class StoppingExecutor:
    """Stops after a few tasks, as if interrupted."""

    def __init__(self, n):
        self.n = n

    def run(self, job, tasks):
        for count, task in enumerate(tasks):
            if count == self.n:
                raise KeyboardInterrupt
            yield call(job, task)


def test_table_does_not_depend_on_where_it_was_interrupted(tmp_path, expected):
    path = tmp_path / "s.db"
    for n in (1, 0, 5, 7):
        with pytest.raises(KeyboardInterrupt):
            run(sweep_tasks.sweep, store=path, executor=StoppingExecutor(n))
    table = run(sweep_tasks.sweep, store=path)
    assert table.n_earlier == 13  # everything that had finished was kept
    assert table.to_json() == expected


def test_larger_grid_takes_over_the_results_of_the_smaller(tmp_path):
    small = Sweep(sweep_tasks.measure, grid={"n": [2], "kind": ["short"]}, seeds=range(3))
    large = Sweep(sweep_tasks.measure, grid={"n": [2, 3], "kind": ["short"]}, seeds=range(6))
    run(small, store=tmp_path / "s.db")
    table = run(large, store=tmp_path / "s.db")
    assert table.n_earlier == 3
    assert table.to_json() == run(large, store=tmp_path / "fresh.db").to_json()
    assert len(run(small, store=tmp_path / "s.db")) == 3


def test_other_code_name_or_root_seed_shares_nothing(tmp_path):
    grid = {"n": [2], "kind": ["short"]}
    for options in ({}, {"version": "2"}, {"name": "other"}, {"root_seed": 1}):
        assert run(Sweep(sweep_tasks.measure, grid=grid, **options), store=tmp_path / "s.db").n_earlier == 0


@pytest.mark.parametrize("executor", ["serial", "processes"])
def test_failing_task_is_reported_and_stops_nobody(tmp_path, executor):
    reports = []
    table = run(sweep_tasks.failing_sweep, store=tmp_path / "s.db", executor=executor, n_workers=2, progress=reports.append)
    assert [row.parameters["i"] for row in table.failed] == [1, 5]
    assert len(table.done) == 6
    assert table.failed[0].error == "ValueError: no 1"
    assert 'raise ValueError(f"no {i}")' in table.failed[0].traceback
    assert sorted(record.parameters for report in reports for record in report.failures) == ['{"i":1}', '{"i":5}']


def test_failed_tasks_are_tried_again_by_the_next_run(tmp_path):
    repaired = []

    def fragile(i, seed):
        if i == 1 and not repaired:
            raise RuntimeError("not yet")
        return {"i": i}

    sweep = Sweep(fragile, grid={"i": range(3)}, version="1", name="fragile")
    object.__setattr__(sweep, "code", "fixed")  # the closure changes, the experiment does not
    assert len(run(sweep, store=tmp_path / "s.db").failed) == 1
    repaired.append(True)
    table = run(sweep, store=tmp_path / "s.db")
    assert table.n_earlier == 2 and not table.failed


def test_wrong_return_value_is_a_failure_of_its_task(tmp_path):
    table = run(Sweep(lambda i: i, grid={"i": [1]}, name="wrong"), store=tmp_path / "s.db")
    assert "returned a int" in table.failed[0].error


def test_worker_that_dies_takes_only_its_own_task_with_it(tmp_path):
    table = run(sweep_tasks.deadly_sweep, store=tmp_path / "s.db", executor="processes", n_workers=2)
    assert [row.parameters["i"] for row in table.failed] == [2]
    assert "died 3 times" in table.failed[0].error
    assert table["i"].tolist() == [0, 1, 3, 4, 5]


def test_worker_that_dies_once_is_replaced_and_its_task_tried_again(tmp_path):
    sweep = Sweep(sweep_tasks.deadly_once, grid={"i": range(5), "folder": [str(tmp_path)]})
    table = run(sweep, store=tmp_path / "s.db", executor="processes", n_workers=2)
    assert len(table.done) == 5 and (tmp_path / "2").exists()
    assert table.to_json() == run(sweep, store=tmp_path / "serial.db").to_json()


def test_function_that_processes_cannot_import_is_refused(tmp_path):
    with pytest.raises(InvalidInput, match="cannot import"):
        run(Sweep(lambda seed: {}, name="lambda"), store=tmp_path / "s.db", executor="processes")


def test_script_without_main_guard_gets_a_hint(tmp_path, python):
    script = tmp_path / "script.py"
    script.write_text(
        "from plica.sweeps import Sweep, run\n"
        "def f(seed):\n    return {'x': 1}\n"
        f"run(Sweep(f), store={str(tmp_path / 's.db')!r}, executor='processes', n_workers=1)\n"
    )
    process = python(f"import runpy, sys; sys.argv = [{str(script)!r}]; runpy.run_path({str(script)!r}, run_name='__main__')")
    _, said = process.communicate(timeout=patient(30))
    assert process.returncode and ("__main__" in said)


def test_code_that_changes_while_the_sweep_runs_is_noticed(tmp_path, monkeypatch):
    monkeypatch.setattr("plica.sweeps._run.code_version", lambda function, **_: "the code as it was")
    with pytest.raises(WorkerError, match="changed"):
        run(sweep_tasks.sweep, store=tmp_path / "s.db", executor="processes")


def test_results_are_stored_before_they_are_reported(tmp_path):
    path = tmp_path / "s.db"
    from plica.sweeps import Store

    n_reported = []

    def check(now):
        with Store(path, read_only=True) as store:
            n_done = sum(about["n_done"] for _, about in store.experiments())
        assert n_done >= now.n_done
        n_reported.append(now.n_done)

    run(sweep_tasks.sweep, store=path, progress=check)
    assert n_reported[-1] == 20


def test_executor_is_chosen_by_what_is_given(tmp_path):
    from plica.sweeps import DaskExecutor
    from plica.sweeps._run import _executor

    assert isinstance(_executor(None, 1, None), SerialExecutor)
    assert _executor(None, 3, None) == ProcessExecutor(3)
    assert isinstance(_executor(None, 2, "local"), DaskExecutor)
    with pytest.raises(InvalidInput, match="cluster"):
        _executor("serial", 1, "local")
    with pytest.raises(InvalidInput, match="'threads'"):
        _executor("threads", 1, None)
    with pytest.raises(InvalidInput, match="n_workers"):
        _executor("processes", 0, None)
    with pytest.raises(InvalidInput, match="start_method"):
        ProcessExecutor(1, "magic")


def test_every_task_runs_with_one_thread_and_the_rest_of_the_program_does_not(tmp_path):
    threadpoolctl = pytest.importorskip("threadpoolctl")

    def threads(seed):
        np.linalg.svd(np.eye(3))
        return {"n": [pool["num_threads"] for pool in threadpoolctl.threadpool_info()]}

    before = threadpoolctl.threadpool_info()
    table = run(Sweep(threads, version="1"), store=tmp_path / "s.db")
    assert set(table.rows[0].values["n"]) == {1}
    assert threadpoolctl.threadpool_info() == before


def test_executor_that_forgets_a_task_is_found_out(tmp_path):
    class Forgetful:
        def run(self, job, tasks):
            for count, task in enumerate(tasks):
                if count:
                    yield Outcome(task.key, "done")

    with pytest.raises(Exception, match="no intact row"):
        run(sweep_tasks.sweep, store=tmp_path / "s.db", executor=Forgetful())
