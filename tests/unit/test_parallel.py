"""The worker pool: results in order, errors where they belong, one caller at a time, and none of it lost in a fork."""

import os
import signal
import threading
import time
from typing import Any

import numpy as np
import pytest

from plica import _parallel
from plica._compiled import compiled
from plica._parallel import at_most, looking, parallel_ranges
from plica.geometry import tick
from plica.network.operations import spectral_norm_bound


@pytest.fixture(autouse=True)
def _three_threads(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_parallel, "_n_threads", lambda: 3)


def piece(a: int, b: int) -> tuple[int, int]:
    time.sleep(0.001)
    return a, b


def test_pieces_are_large_enough_and_in_order_and_leave_nothing_out() -> None:
    for n in (0, 1, 7, 8, 16, 17, 100, 1000):
        pieces = parallel_ranges(piece, n, least=8)
        assert [a for a, _ in pieces] == [0, *(b for _, b in pieces[:-1])] and pieces[-1][1] == n
        assert len(pieces) == 1 or min(b - a for a, b in pieces) >= 8


def test_other_threads_work_unless_told_not_to() -> None:
    def who(a: int, b: int) -> str:
        time.sleep(0.01)
        return threading.current_thread().name

    assert len(set(parallel_ranges(who, 120, least=1))) > 1
    with at_most(1):
        assert parallel_ranges(who, 120, least=1) == [threading.current_thread().name]


@pytest.mark.parametrize("bad", [0, 119])
def test_an_error_is_raised_once_all_have_stopped(bad: int) -> None:
    running: list[int] = []

    def work(a: int, b: int) -> None:
        running.append(a)
        try:
            time.sleep(0.002)
            if a <= bad < b:
                raise ValueError(f"no {bad}")
        finally:
            running.remove(a)

    for _ in range(3):
        with pytest.raises(ValueError, match=f"no {bad}"):
            parallel_ranges(work, 120, least=10)
        assert not running
    assert parallel_ranges(piece, 120, least=60) == [(0, 60), (60, 120)]  # and the pool is there for the next


def test_work_inside_work_is_done_where_it_is() -> None:
    found = parallel_ranges(lambda a, b: parallel_ranges(piece, b - a, least=1), 12, least=1)
    assert all(inner == [(0, 2)] for inner in found) and len(found) == 6  # two pieces for each of three threads


def test_two_callers_at_once_both_get_everything() -> None:
    results: list[Any] = []

    def call() -> None:
        for _ in range(20):
            results.append(sum(b - a for a, b in parallel_ranges(piece, 30, least=5)))

    callers = [threading.Thread(target=call) for _ in range(4)]
    for caller in callers:
        caller.start()
    for caller in callers:
        caller.join()
    assert results == [30] * 80


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork on this system")
@pytest.mark.filterwarnings("ignore:.*fork:DeprecationWarning")
def test_a_forked_process_has_a_pool_of_its_own() -> None:
    parallel_ranges(piece, 30, least=5)
    child = os.fork()
    if child == 0:
        total = sum(b - a for a, b in parallel_ranges(piece, 30, least=5))
        os._exit(0 if total == 30 else 1)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0


def test_norms_of_large_matrices_look_between_their_products() -> None:
    """A wide network has many of them before its first layer is computed: a budget of seconds would be passed."""

    class Late(Exception):
        pass

    looks: list[float] = []

    def look() -> None:
        looks.append(time.perf_counter())
        if len(looks) > 2:
            raise Late

    with looking(look), pytest.raises(Late):
        spectral_norm_bound(np.random.default_rng(0).normal(size=(300, 400)))
    assert len(looks) == 3


def test_after_an_error_the_other_threads_leave_their_pieces_where_they_look_next() -> None:
    left: list[int] = []
    entered = threading.Barrier(3)

    def work(a: int, b: int) -> None:
        entered.wait(60)
        if threading.current_thread() is threading.main_thread():
            raise KeyboardInterrupt
        while True:  # for ever, unless it is told to leave
            time.sleep(0.001)
            try:
                tick()
            except BaseException:
                left.append(a)
                raise

    with pytest.raises(KeyboardInterrupt):
        parallel_ranges(work, 120, least=40)
    assert len(left) == 2
    assert parallel_ranges(piece, 120, least=60) == [(0, 60), (60, 120)]  # and the pool is there for the next


def test_an_error_in_another_thread_ends_the_work_of_all() -> None:
    begun: list[int] = []

    def work(a: int, b: int) -> None:
        begun.append(a)
        time.sleep(0.01)
        if threading.current_thread() is not threading.main_thread():
            raise ValueError("no")

    with pytest.raises(ValueError, match="no"):
        parallel_ranges(work, 10_000, least=1, most=10)
    assert len(begun) < 20


def test_a_kernel_is_compiled_after_a_look() -> None:
    @compiled
    def plus_one(x: float) -> float:
        return x + 1

    def stop() -> None:
        raise KeyboardInterrupt

    with looking(stop), pytest.raises(KeyboardInterrupt):
        plus_one(1.0)
    assert not plus_one.overloads and plus_one(1.0) == 2.0


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="needs interval timers")
def test_an_interrupt_at_any_moment_leaves_a_pool_that_works() -> None:
    """Also between two statements of the pool itself, and whatever the handler raises."""

    class Torn(Exception):
        pass

    def tear(*_: object) -> None:
        raise Torn

    before = signal.signal(signal.SIGALRM, tear)
    try:
        torn = 0
        for i in range(600):
            try:
                try:
                    signal.setitimer(signal.ITIMER_REAL, 1e-6 * (1 + i))
                    parallel_ranges(lambda a, b: sum(range(2000)), 60, least=5)
                finally:
                    signal.setitimer(signal.ITIMER_REAL, 0)
            except Torn:
                torn += 1
            if _parallel._pool.lock.locked():  # torn away from the very release: the next callers would work alone
                _parallel._pool.lock.release()
            assert parallel_ranges(lambda a, b: b - a, 60, least=5) == [10] * 6
        assert torn > 0
    finally:
        signal.signal(signal.SIGALRM, before)
