"""Sweeps under attack, for minutes: many kills, a full disk at every moment, a flipped bit in thousands of places."""

import errno
import random
import shutil

import kills
import pytest
import sweep_tasks
from tally import tally

from plica.sweeps import ProcessExecutor, Store, StoreError, Sweep, run, table_of
from plica.sweeps import _arrays as arrays_module

pytestmark = pytest.mark.endurance


@pytest.fixture
def python():
    with kills.other_pythons() as start:
        yield start


def table_at(path):
    with Store(path, read_only=True) as store:
        ((experiment, _),) = store.experiments()
        return table_of(store, experiment).to_json()


@pytest.mark.parametrize(("executor", "n_kills"), [("serial", 60), ("processes", 40)])
def test_sweep_killed_many_times_ends_with_the_same_table(tmp_path, python, executor, n_kills):
    expected = run(sweep_tasks.long_sweep, store=tmp_path / "expected.db").to_json()
    path = tmp_path / "s.db"
    n_at_work = kills.kill_until_finished(python, path, executor, n_kills=n_kills, seed=11, longest_s=0.5)
    assert n_at_work >= n_kills * 0.6
    assert table_at(path) == expected
    tally("kills: sweep", n_at_work)


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
@pytest.mark.parametrize(
    "sweep", [sweep_tasks.sweep, sweep_tasks.long_sweep, sweep_tasks.failing_sweep], ids=lambda sweep: sweep.name
)
def test_table_is_the_same_from_every_executor(tmp_path, python, sweep):
    expected = run(sweep, store=tmp_path / "expected.db").to_json()
    methods = [(n, method) for n in (1, 2, 4) for method in ("spawn", "fork", "forkserver")]
    for n, method in methods:
        assert run(sweep, store=tmp_path / f"{n}{method}.db", executor=ProcessExecutor(n, method)).to_json() == expected
    pytest.importorskip("distributed")
    assert run(sweep, store=tmp_path / "dask.db", executor="dask", n_workers=2).to_json() == expected


def value(i, rng):
    return {"x": rng.normal(), "text": "abc" * i, "a": rng.normal(size=1000 if i % 5 == 0 else 3)}


SWEEP = Sweep(value, grid={"i": range(30)})


def test_flipped_bits_in_two_thousand_places_never_change_the_table(tmp_path):
    original = tmp_path / "original.db"
    expected = run(SWEEP, store=original).to_json()
    content = original.read_bytes()
    generator = random.Random(5)
    n_recomputed = 0
    for number in range(2000):
        path = tmp_path / "one" / "s.db"
        shutil.rmtree(path.parent, ignore_errors=True)
        shutil.copytree(f"{original}.files", f"{path}.files")
        damaged = bytearray(content)
        damaged[generator.randrange(100, len(content))] ^= 1 << generator.randrange(8)
        path.write_bytes(damaged)
        table = run(SWEEP, store=path)
        assert table.to_json() == expected, number
        n_recomputed += 30 - table.n_earlier
    assert 0 < n_recomputed < 2 * 2000  # a bit costs a row, hardly ever a page


def test_disk_that_is_full_at_any_write_loses_nothing(tmp_path, monkeypatch):
    expected = run(SWEEP, store=tmp_path / "expected.db").to_json()
    names = ("fsync", "replace")
    for step in range(1, 25):
        path, count = tmp_path / f"{step}.db", [0]

        def failing(call, count=count, step=step):
            def wrapped(*arguments, **options):
                count[0] += 1
                if count[0] == step:
                    raise OSError(errno.ENOSPC, "No space left on device")
                return call(*arguments, **options)

            return wrapped

        told = []
        with monkeypatch.context() as patch:
            for name in names:
                patch.setattr(arrays_module.os, name, failing(getattr(arrays_module.os, name)))
            patch.setattr(Store, "is_due", lambda store: bool(store._waiting))
            try:
                run(SWEEP, store=path, progress=lambda now, told=told: told.append(now.n_done))
            except StoreError as error:
                assert "full" in error.message
            else:
                assert count[0] < step
        table = run(SWEEP, store=path)
        assert table.n_earlier >= told[-1]
        assert table.to_json() == expected
