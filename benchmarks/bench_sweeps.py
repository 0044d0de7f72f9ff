"""What a sweep costs beside its work: for each task, for each row that is loaded, for each executor."""

import sqlite3
import tempfile
import time
from pathlib import Path

from plica.sweeps import ProcessExecutor, Store, Sweep, run, table_of
from plica.sweeps._record import Record

N = 10_000


def nothing(i, seed):
    """A task without work."""
    return {"i": i, "seed": seed, "x": i * 0.5}


def main() -> None:
    """Print the numbers, and whether they are within what is promised."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        sweep = Sweep(nothing, grid={"i": range(N)})
        # warm: imports, the file system
        run(Sweep(nothing, grid={"i": range(100)}, name="warm"), store=folder / "warm.db")

        with Store(folder / "s.db") as store:
            committing = _timed_commits(store)
            start, cpu_start = time.perf_counter(), time.process_time()
            run(sweep, store=store)
            total, cpu = time.perf_counter() - start, time.process_time() - cpu_start
        print(f"in-process, {N} tasks without work: {total:.2f} s, of which commits {committing[0]:.2f} s; processor {cpu:.2f} s")
        _print("overhead beside work and commit", (total - committing[0]) / N * 1e3, "ms a task", promised=0.2)
        _print("  the same in time of the processor, commits included", cpu / N * 1e3, "ms a task", promised=0.2)

        start = time.perf_counter()
        with Store(folder / "s.db", read_only=True) as store:
            table = table_of(store, store.experiments()[-1][0])
            column = table["x"]
        assert len(column) == N
        _print(f"{N} rows opened, checked, loaded, one column read", time.perf_counter() - start, "s", promised=1.0)

        start = time.perf_counter()
        assert run(sweep, store=folder / "s.db").n_earlier == N
        print(f"resuming a sweep of {N} finished tasks: {time.perf_counter() - start:.2f} s")

        start = time.perf_counter()
        run(Sweep(nothing, grid={"i": range(2000)}, name="pool"), store=folder / "pool.db", executor=ProcessExecutor(2))
        print(
            f"two processes, 2000 tasks without work: {(time.perf_counter() - start) / 2:.2f} ms a task, starting them included"
        )

        _bare_commits(folder)


def _print(what: str, number: float, unit: str, *, promised: float) -> None:
    print(f"{what}: {number:.3f} {unit} (promised: under {promised:g}): {'ok' if number < promised else 'TOO SLOW'}")


def _timed_commits(store: Store) -> list[float]:
    """A list whose only number becomes the seconds spent in commits."""
    seconds, flush = [0.0], store._flush

    def timed() -> list[Record]:
        start = time.perf_counter()
        try:
            return flush()
        finally:
            seconds[0] += time.perf_counter() - start

    store._flush = timed  # type: ignore[method-assign]
    return seconds


def _bare_commits(folder: Path) -> None:
    """What one commit of SQLite costs on this disk, for comparison."""
    connection = sqlite3.connect(folder / "bare.db", isolation_level=None)
    connection.execute("PRAGMA journal_mode=WAL")
    connection.execute("PRAGMA synchronous=FULL")
    connection.execute("CREATE TABLE t (x)")
    start = time.perf_counter()
    for i in range(200):
        connection.execute("INSERT INTO t VALUES (?)", (i,))
    print(f"one commit of SQLite on this disk: {(time.perf_counter() - start) / 200 * 1e3:.2f} ms")
    connection.close()


if __name__ == "__main__":
    main()
