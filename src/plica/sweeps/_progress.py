"""How far a sweep is, and how long it will still take.

Tasks run in the order of their digests, which is random with respect to their parameters. So the finished ones are a fair
sample of all, and the time they took per task says what the others will take, with an error that can be stated.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from plica.sweeps._canonical import printable
from plica.sweeps._record import Record

if TYPE_CHECKING:
    from rich.console import Console

LINE_EVERY_S = 10.0
MIN_SAMPLE = 3


@dataclass(frozen=True)
class Progress:
    """A moment of a sweep. Counts are of tasks whose results are stored."""

    n_tasks: int
    n_earlier: int
    """Stored before this run, or meanwhile by another process."""
    n_done: int
    n_failed: int
    elapsed_s: float
    remaining_s: float | None
    """None until three tasks are stored."""
    remaining_range_s: tuple[float, float] | None
    """About two standard errors around it."""
    failures: tuple[Record, ...] = ()
    """Tasks that have failed since the last report."""

    @property
    def n_finished(self) -> int:
        """All that need no more work in this run."""
        return self.n_earlier + self.n_done + self.n_failed

    def __str__(self) -> str:
        text = f"{self.n_finished}/{self.n_tasks} tasks"
        text += f", {self.n_earlier} from before" if self.n_earlier else ""
        text += f", {self.n_failed} failed" if self.n_failed else ""
        if self.n_finished == self.n_tasks:
            return f"{text}, {duration(self.elapsed_s)}"
        if self.remaining_s is None or self.remaining_range_s is None:
            return f"{text}, time left not known yet"
        low, high = self.remaining_range_s
        return f"{text}, about {duration(self.remaining_s)} left ({duration(low)} to {duration(high)})"


class Meter:
    """Counts, and estimates the time left.

    The wall clock per finished task gives the mean; the spread of the tasks' own times gives the error. With m tasks left
    after n, the relative standard error of the time left is cv * sqrt(1/n + 1/m), cv the coefficient of variation.
    """

    def __init__(self, n_tasks: int, n_earlier: int) -> None:
        self.n_tasks, self.n_earlier, self.n_done, self.n_failed = n_tasks, n_earlier, 0, 0
        self._start = time.monotonic()
        self._sum = self._squares = 0.0

    def update(self, stored: Iterable[Record]) -> Progress:
        """Count what has been stored."""
        failures = []
        for record in stored:
            if record.status == "done":
                self.n_done += 1
            else:
                self.n_failed += 1
                failures.append(record)
            self._sum += record.seconds
            self._squares += record.seconds**2
        elapsed = time.monotonic() - self._start
        remaining, around = self._remaining(elapsed)
        return Progress(
            self.n_tasks, self.n_earlier, self.n_done, self.n_failed, elapsed, remaining, around, failures=tuple(failures)
        )

    def _remaining(self, elapsed: float) -> tuple[float | None, tuple[float, float] | None]:
        n = self.n_done + self.n_failed
        m = self.n_tasks - self.n_earlier - n
        if n < MIN_SAMPLE or m <= 0:
            return (0.0, (0.0, 0.0)) if m <= 0 else (None, None)
        mean = self._sum / n
        variance = max(0.0, self._squares / n - mean**2) * n / (n - 1)
        relative = 2 * math.sqrt(variance) / mean * math.sqrt(1 / n + 1 / m) if mean > 0 else 0.0
        estimate = elapsed / n * m
        return estimate, (estimate * max(0.0, 1 - relative), estimate * (1 + relative))


def duration(seconds: float) -> str:
    """Seconds for people.

    Examples
    --------
    >>> duration(0.4), duration(75), duration(7300)
    ('0.4 s', '1 min 15 s', '2 h 1 min')
    """
    if seconds < 9.95:
        return f"{seconds:.1f} s"
    whole = round(seconds)
    if whole < 60:
        return f"{whole} s"
    if whole < 3600:
        return f"{whole // 60} min {whole % 60} s"
    return f"{whole // 3600} h {whole % 3600 // 60} min"


Report = Callable[[Progress], None]


@contextmanager
def reporting(progress: bool | Report | None, *, n_tasks: int) -> Iterator[Report]:
    """What to call with each Progress: the caller's function, a display on stderr, or nothing."""
    if callable(progress):
        yield progress
    elif not progress:
        yield lambda _: None
    else:
        from rich.console import Console

        console = Console(stderr=True)
        with _bar(console, n_tasks) if console.is_terminal else _lines(console) as report:
            yield report


@contextmanager
def _bar(console: Console, n_tasks: int) -> Iterator[Report]:
    from rich.progress import BarColumn, SpinnerColumn, TextColumn
    from rich.progress import Progress as Bar

    columns: list[Any] = [SpinnerColumn(), BarColumn(), TextColumn("{task.fields[words]}", markup=False)]
    with Bar(*columns, console=console) as bar:
        line = bar.add_task("", total=n_tasks, words="")

        def report(now: Progress) -> None:
            _show_failures(console, now)
            bar.update(line, completed=now.n_finished, words=str(now))

        yield report


@contextmanager
def _lines(console: Console) -> Iterator[Report]:
    last, n_shown = time.monotonic(), 0

    def report(now: Progress) -> None:
        nonlocal last, n_shown
        _show_failures(console, now)
        is_new = now.n_finished > n_shown
        if is_new and (now.n_finished == now.n_tasks or time.monotonic() - last > LINE_EVERY_S):
            last, n_shown = time.monotonic(), now.n_finished
            console.print(str(now), markup=False, highlight=False, soft_wrap=True)

    yield report


def _show_failures(console: Console, now: Progress) -> None:
    for record in now.failures:
        text = f"failed: {record.parameters} seed {record.seed}: {record.error}"
        console.print(printable(text), markup=False, highlight=False, soft_wrap=True)
