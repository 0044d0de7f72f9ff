"""The store keeps what it has reported, refuses what is not its own, and says plainly what goes wrong."""

import errno
import io
import os
import shutil
import sqlite3
import subprocess
from contextlib import closing

import numpy as np
import pytest
import sweep_tasks
from patience import wait_for

from plica.errors import PlicaError
from plica.sweeps import Experiment, Outcome, Store, StoreError, Sweep, run, table_of
from plica.sweeps import _arrays as arrays_module
from plica.sweeps._arrays import ArrayFiles
from plica.sweeps._canonical import digest
from plica.sweeps._values import encode

EXPERIMENT = Experiment("measure", 0, "code")


def value(i, rng):
    return {"x": rng.normal(), "a": rng.normal(size=1000)}


def tasks(n):
    return list(Sweep(value, grid={"i": range(n)}).tasks())


def outcome(task, status="done", size=1000):
    text, files = encode({"a": np.arange(size) + task.seed})
    return Outcome(
        task.key, status, text if status == "done" else "{}", tuple(files.items()), error="" if status == "done" else "E"
    )


def test_nothing_is_visible_before_the_flush_and_everything_after(tmp_path):
    (task,) = tasks(1)
    with Store(tmp_path / "s.db") as store, Store(tmp_path / "s.db", read_only=True) as other:
        store.add(EXPERIMENT, task, outcome(task))
        assert not other.has(task.key, "code")
        assert [record.key for record in store.flush()] == [task.key]
        assert other.has(task.key, "code")


def test_storing_twice_is_storing_once(tmp_path):
    (task,) = tasks(1)
    with Store(tmp_path / "s.db") as store:
        for _ in range(2):
            store.add(EXPERIMENT, task, outcome(task))
            store.flush()
        assert len(store.load(EXPERIMENT)[0]) == 1


def test_failure_never_replaces_a_result_and_a_result_replaces_a_failure(tmp_path):
    (task,) = tasks(1)
    with Store(tmp_path / "s.db") as store:
        for status, expected in (("failed", "failed"), ("done", "done"), ("failed", "done")):
            store.add(EXPERIMENT, task, outcome(task, status))
            store.flush()
            assert [record.status for record in store.load(EXPERIMENT)[0]] == [expected]


def test_file_is_in_wal_mode_and_flushes_fully(tmp_path):
    with Store(tmp_path / "s.db") as store:
        assert store._connection.execute("PRAGMA journal_mode").fetchone() == ("wal",)
        assert store._connection.execute("PRAGMA synchronous").fetchone() == (2,)


def test_commits_are_as_rare_as_they_are_expensive_but_come_within_half_a_second(tmp_path, monkeypatch):
    clock = [100.0]
    monkeypatch.setattr("plica.sweeps._store.time.monotonic", lambda: clock[0])
    (task,) = tasks(1)
    with Store(tmp_path / "s.db") as store:
        assert not store.is_due()
        store.add(EXPERIMENT, task, outcome(task))
        store._commit_s = 0.01
        assert not store.is_due()
        clock[0] += 0.2  # a hundredth of a second is a twentieth of this
        assert store.is_due()
        store._commit_s = 10.0
        assert not store.is_due()
        clock[0] += 0.3
        assert store.is_due()


def test_leftovers_are_swept_when_alone_and_left_when_not(tmp_path):
    (task,) = tasks(1)
    path = tmp_path / "s.db"
    with Store(path) as store:
        store.add(EXPERIMENT, task, outcome(task))
        store.flush()
        kept = store.arrays.path(store.load(EXPERIMENT)[0][0].files)
        orphan = b"nobody names me"
        store.arrays.write(digest(orphan), orphan)
        (store.arrays.unfinished / "1-dead").write_bytes(b"half")
        leftovers = [store.arrays.path(digest(orphan)), store.arrays.unfinished / "1-dead"]
        with Store(path) as second:
            assert not second.was_alone
            assert all(file.exists() for file in leftovers)
    with Store(path) as store:
        assert store.was_alone
        assert kept.exists() and not any(file.exists() for file in leftovers)


def test_foreign_files_are_refused_and_left_alone(tmp_path):
    text = tmp_path / "notes.txt"
    text.write_text("my notes, " * 100)
    other = tmp_path / "other.db"
    connection = sqlite3.connect(other)
    connection.execute("CREATE TABLE mine (x)")
    connection.commit()
    connection.close()
    for path in (text, other):
        before = path.read_bytes()
        for read_only in (False, True):
            with pytest.raises(StoreError, match="not a sweep store"):
                Store(path, read_only=read_only)
        assert path.read_bytes() == before


def test_store_of_a_newer_version_is_refused(tmp_path):
    Store(tmp_path / "s.db").close()
    connection = sqlite3.connect(tmp_path / "s.db")
    connection.execute("PRAGMA user_version=99")
    connection.close()
    with pytest.raises(StoreError, match="newer"):
        Store(tmp_path / "s.db")


def test_store_that_is_not_there_cannot_be_read(tmp_path):
    with pytest.raises(StoreError, match="no store"):
        Store(tmp_path / "s.db", read_only=True)
    assert list(tmp_path.iterdir()) == []


def test_run_refuses_a_store_opened_to_read(tmp_path):
    Store(tmp_path / "s.db").close()
    with Store(tmp_path / "s.db", read_only=True) as store, pytest.raises(StoreError, match="opened to read"):
        run(sweep_tasks.sweep, store=store)


def test_failing_disk_in_the_middle_of_a_file_leaves_no_half_file(tmp_path, monkeypatch):
    content = bytes(5000)
    for failing in ("fsync", "replace"):
        files = ArrayFiles(tmp_path / failing)

        def fail(*_):
            raise OSError(errno.ENOSPC, "No space left on device")

        with monkeypatch.context() as patch, pytest.raises(OSError):
            patch.setattr(arrays_module.os, failing, fail)
            files.write(digest(content), content)
        assert files.read(digest(content)) is None
        assert [path for path in files.folder.rglob("*") if path.is_file()] == []


class FailingFile(io.FileIO):
    """A file on a disk that is full after so many bytes."""

    room = 0

    def write(self, data):
        if len(data) > FailingFile.room:
            raise OSError(errno.ENOSPC, "No space left on device")
        FailingFile.room -= len(data)
        return super().write(data)


def test_disk_that_is_full_for_arrays_stops_with_a_clear_error_and_keeps_what_was_stored(tmp_path, monkeypatch):
    path, sweep = tmp_path / "s.db", Sweep(value, grid={"i": range(20)})
    expected = run(sweep, store=tmp_path / "expected.db").to_json()
    FailingFile.room = 50_000  # six arrays
    with monkeypatch.context() as patch, pytest.raises(StoreError, match="full") as caught:
        patch.setattr(arrays_module, "open", lambda name, mode: FailingFile(name, mode.replace("b", "")), raising=False)
        patch.setattr("plica.sweeps._store.Store.is_due", lambda store: bool(store._waiting))
        run(sweep, store=path)
    assert "of 20 tasks are stored" in caught.value.message and "resumes" in caught.value.hint
    n_told = int(caught.value.message.split(" of 20 ")[0].split()[-1])
    assert n_told == 6
    resumed = run(sweep, store=path)
    assert resumed.n_earlier == 6
    assert resumed.to_json() == expected


@pytest.mark.parametrize("pages", [1, 2, 3, 4])
def test_database_that_cannot_grow_stops_with_a_clear_error_and_keeps_what_was_stored(tmp_path, monkeypatch, pages):
    path, sweep = tmp_path / "s.db", sweep_tasks.Sweep(sweep_tasks.measure, grid={"n": range(2, 40), "kind": ["short"]})
    run(Sweep(sweep_tasks.measure, grid={"n": [50], "kind": ["short"]}), store=path)
    with Store(path) as store, pytest.raises(StoreError, match="full") as caught:
        size = store._connection.execute("PRAGMA page_count").fetchone()[0]
        store._connection.execute(f"PRAGMA max_page_count={size + pages}")
        monkeypatch.setattr(Store, "is_due", lambda store: bool(store._waiting))
        run(sweep, store=store)
    monkeypatch.undo()
    n_told = int(caught.value.message.split(" of 38 ")[0].split()[-1])
    resumed = run(sweep, store=path)
    assert resumed.n_earlier == n_told > 0
    assert len(resumed.done) == 38


def test_folder_that_cannot_be_written_gives_a_clear_error(tmp_path, monkeypatch):
    # Tests may run as root, whom permissions do not stop: the system call is made to fail instead.
    def refuse(*_, **__):
        raise OSError(errno.EROFS, "Read-only file system")

    monkeypatch.setattr("plica.sweeps._lock.os.open", refuse)
    with pytest.raises(StoreError, match="read-only"):
        run(sweep_tasks.sweep, store=tmp_path / "s.db")


def test_database_that_cannot_be_written_gives_a_clear_error_and_keeps_what_was_stored(tmp_path):
    path = tmp_path / "s.db"
    before = run(sweep_tasks.sweep, store=path)
    with Store(path) as store, pytest.raises(StoreError, match="read-only"):
        store._connection.execute("PRAGMA query_only=1")  # SQLite answers as for a file it may not write
        run(sweep_tasks.failing_sweep, store=store)
    assert run(sweep_tasks.sweep, store=path).to_json() == before.to_json()


@pytest.fixture
def small_disk(tmp_path):
    """A real file system of two megabytes."""
    folder = tmp_path / "disk"
    folder.mkdir()
    if (
        shutil.which("mount") is None
        or subprocess.run(["mount", "-t", "tmpfs", "-o", "size=2m", "tmpfs", folder], capture_output=True, check=False).returncode
    ):
        pytest.skip("mounting needs more rights than these")
    yield folder
    subprocess.run(["umount", "-l", folder], check=True)


def bulky(i, rng):
    return {"a": rng.normal(size=5000)}


def wordy(i, rng):
    return {"text": rng.bytes(1500).hex(), "i": i}


@pytest.mark.parametrize("function", [bulky, wordy])
def test_sweep_on_a_full_disk_stops_and_resumes_when_there_is_room(small_disk, tmp_path, monkeypatch, function):
    sweep = Sweep(function, grid={"i": range(150)})
    expected = run(sweep, store=tmp_path / "expected.db").to_json()
    ballast = small_disk / "ballast"
    ballast.write_bytes(bytes(1_400_000))
    monkeypatch.setattr(Store, "is_due", lambda store: bool(store._waiting))
    told = []
    with pytest.raises(StoreError, match="full"):
        run(sweep, store=small_disk / "s.db", progress=lambda now: told.append(now.n_done))
    assert 0 < told[-1] < 150
    ballast.unlink()
    # Still not enough room for all of it, so the rest goes elsewhere.
    os.makedirs(tmp_path / "larger")
    for name in ("s.db", "s.db-wal", "s.db.files"):
        source = small_disk / name
        if source.is_dir():
            shutil.copytree(source, tmp_path / "larger" / name)
        elif source.exists():
            shutil.copy(source, tmp_path / "larger" / name)
    resumed = run(sweep, store=tmp_path / "larger" / "s.db")
    assert resumed.n_earlier == told[-1]
    assert resumed.to_json() == expected


def test_store_on_a_read_only_disk_can_be_read_and_not_written(small_disk):
    path = small_disk / "s.db"
    table = run(Sweep(bulky, grid={"i": range(3)}), store=path)
    subprocess.run(["mount", "-o", "remount,ro", small_disk], check=True)
    with Store(path, read_only=True) as store:
        assert table_of(store, table.experiment).to_json() == table.to_json()
        assert table_of(store, table.experiment).rows[0].values["a"].shape == (5000,)
    with pytest.raises(StoreError, match="read-only"):
        run(sweep_tasks.sweep, store=path)
    with pytest.raises(PlicaError, match="read-only"):
        Store(small_disk / "new.db")


def test_store_locked_for_too_long_says_so(tmp_path, monkeypatch):
    path = tmp_path / "s.db"
    Store(path).close()
    monkeypatch.setattr("plica.sweeps._store.BUSY_S", 0.05)
    other = sqlite3.connect(path, isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    with pytest.raises(StoreError, match="locked by another process"):
        Store(path)
    other.close()
    Store(path).close()


def test_folder_that_is_a_file_cannot_hold_a_store(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(StoreError):
        Store(tmp_path / "file" / "s.db")
    (tmp_path / "folder.db").mkdir()
    with pytest.raises(StoreError, match="cannot be opened"):
        Store(tmp_path / "folder.db")


class Interrupted:
    """A connection whose user presses Ctrl-C between the rows and the commit."""

    def __init__(self, connection):
        self.connection = connection

    def __getattr__(self, name):
        return getattr(self.connection, name)

    def execute(self, text, *arguments):
        if text == "COMMIT":
            raise KeyboardInterrupt
        return self.connection.execute(text, *arguments)


def test_interrupt_in_the_middle_of_a_commit_loses_nothing(tmp_path):
    (task,) = tasks(1)
    with Store(tmp_path / "s.db") as store:
        store.add(EXPERIMENT, task, outcome(task))
        whole = store._connection
        store._connection = Interrupted(whole)
        with pytest.raises(KeyboardInterrupt):
            store.flush()
        store._connection = whole
        assert not store.has(task.key, "code")
        assert len(store.flush()) == 1 and store.has(task.key, "code")


def test_what_finished_is_stored_while_nobody_asks(tmp_path):
    (task,) = tasks(1)
    with Store(tmp_path / "s.db") as store, Store(tmp_path / "s.db", read_only=True) as other:
        store.add(EXPERIMENT, task, outcome(task))
        wait_for(lambda: other.has(task.key, "code"))
        assert [record.key for record in store.flush()] == [task.key]  # and reported when somebody does


def test_damaged_notes_about_a_run_do_not_hide_its_results(tmp_path):
    path = tmp_path / "s.db"
    run(sweep_tasks.failing_sweep, store=path)
    connection = sqlite3.connect(path)
    connection.execute("UPDATE runs SET environment = '{'")
    connection.commit()
    connection.close()
    with Store(path, read_only=True) as store:
        ((_, about),) = store.experiments()
    assert about["environment"] == {} and about["n_done"] == 6


def test_log_that_cannot_be_read_is_not_ignored(tmp_path, monkeypatch):
    path = tmp_path / "s.db"
    Store(path).close()
    path.with_name("s.db-wal").write_bytes(b"rows that are not in the file yet")

    def refuse(address):
        raise sqlite3.OperationalError("unable to open database file")

    monkeypatch.setattr("plica.sweeps._store._connect", refuse)
    with pytest.raises(StoreError, match="unable to open"):
        Store(path, read_only=True)


def test_damaged_schema_is_an_error_for_a_reader_and_repaired_by_a_writer(tmp_path):
    path = tmp_path / "s.db"
    before = run(sweep_tasks.failing_sweep, store=path).to_json()
    content = bytearray(path.read_bytes())
    content[content.index(b"NOT NULL") + 5] = 0xD5  # no longer UTF-8, so even the message about it cannot be decoded
    path.write_bytes(content)
    with pytest.raises(StoreError, match="damaged"):
        Store(path, read_only=True)
    with Store(path) as store:
        assert store.repaired == path.with_name("s.db.damaged-1") and store.repaired.read_bytes() == bytes(content)
    assert run(sweep_tasks.failing_sweep, store=path).to_json() == before


def test_a_store_that_was_never_finished_says_so_and_is_made_by_the_next_run(tmp_path):
    """What is left when a process is killed between the file and its tables."""
    path = tmp_path / "s.db"
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("PRAGMA journal_mode = WAL")
    assert path.stat().st_size > 0
    with pytest.raises(StoreError, match="holds no sweep yet"):
        Store(path, read_only=True)
    with Store(path) as store:
        assert store.experiments() == []
