"""Counts, and a remaining time that can be believed."""

import io
import random

import pytest
import sweep_tasks

from plica.sweeps import Progress, run
from plica.sweeps import _progress as module
from plica.sweeps._progress import Meter, duration
from plica.sweeps._record import Record


def record(seconds, status="done"):
    return Record("k", "c", "e", "0", '{"i":1}', 0, status, "{}", "", "ValueError: no", "", seconds, 0)


@pytest.fixture
def clock(monkeypatch):
    now = [0.0]
    monkeypatch.setattr(module.time, "monotonic", lambda: now[0])
    return now


def test_time_left_is_not_guessed_from_nothing(clock):
    meter = Meter(100, 0)
    assert meter.update([]).remaining_s is None
    clock[0] = 2.0
    now = meter.update([record(1.0)] * 2)
    assert now.remaining_s is None and "not known yet" in str(now)


def test_equal_tasks_give_an_exact_estimate_from_which_earlier_ones_are_left_out(clock):
    meter = Meter(110, 50)
    clock[0] = 10.0
    now = meter.update([record(1.0)] * 10)
    assert now.remaining_s == 50.0 and now.remaining_range_s == (50.0, 50.0)
    assert str(now) == "60/110 tasks, 50 from before, about 50 s left (50 s to 50 s)"


def test_two_workers_halve_the_estimate(clock):
    meter = Meter(30, 0)
    clock[0] = 5.0
    assert meter.update([record(1.0)] * 10).remaining_s == 10.0


def test_stated_range_holds_the_truth_about_as_often_as_two_standard_errors_should(clock):
    generator, n_held = random.Random(0), 0
    for _ in range(300):
        times = [generator.uniform(0.5, 3.0) for _ in range(120)]
        clock[0] = 0.0
        meter = Meter(120, 0)
        clock[0] = sum(times[:40])
        low, high = meter.update(map(record, times[:40])).remaining_range_s
        n_held += low <= sum(times[40:]) <= high
    assert 0.90 < n_held / 300 < 0.99  # 95 % for a normal sum


def test_nothing_left_takes_no_time(clock):
    meter = Meter(3, 0)
    now = meter.update([record(1.0)] * 2 + [record(1.0, "failed")])
    assert now.remaining_s == 0.0 and now.n_finished == 3 and now.n_failed == 1
    assert len(now.failures) == 1


@pytest.mark.parametrize(
    ("seconds", "text"), [(0, "0.0 s"), (9.94, "9.9 s"), (9.96, "10 s"), (59.7, "1 min 0 s"), (3600, "1 h 0 min")]
)
def test_durations_for_people(seconds, text):
    assert duration(seconds) == text


def test_progress_goes_to_stderr_only(tmp_path, capsys):
    run(sweep_tasks.failing_sweep, store=tmp_path / "s.db", progress=True)
    out, err = capsys.readouterr()
    assert out == ""
    assert 'failed: {"i":1} seed 0: ValueError: no 1' in err
    assert err.count("8/8 tasks, 2 failed") == 1


def test_silence_unless_asked(tmp_path, capsys):
    run(sweep_tasks.failing_sweep, store=tmp_path / "s.db")
    assert capsys.readouterr() == ("", "")


def test_bar_on_a_terminal_shows_counts_and_failures():
    from rich.console import Console

    text = io.StringIO()
    console = Console(file=text, force_terminal=True, width=120)
    with module._bar(console, 10) as report:
        report(Progress(10, 0, 4, 1, 2.0, 2.0, (1.0, 3.0), failures=(record(1.0, "failed"),)))
    assert "5/10 tasks, 1 failed, about 2.0 s left (1.0 s to 3.0 s)" in text.getvalue()
    assert "ValueError: no" in text.getvalue()


def test_lines_come_every_few_seconds_where_there_is_no_terminal(clock):
    from rich.console import Console

    text = io.StringIO()
    with module._lines(Console(file=text, width=120)) as report:
        for second in range(0, 31, 3):
            clock[0] = float(second)
            report(Progress(100, 0, second, 0, float(second), None, None))
    assert text.getvalue().count("\n") == 2
