"""Decompositions from many threads, in forks and new processes, interrupted at any moment, ten thousand times: the same bytes.

Small samples run always; ``make test-all`` runs the whole numbers.
"""

import hashlib
import multiprocessing
import os
import random
import shutil
import signal
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest
from patience import patient
from tally import tally

import plica
from plica import _parallel
from plica._memory import resident_bytes

SOURCE = Path(plica.__file__).parent


def samples(small, full):
    """A number for every run, and the one of make test-all."""
    return pytest.mark.parametrize("n", [small, pytest.param(full, marks=pytest.mark.endurance)])


def bytes_of(seed, width=24):
    """A digest of everything that a decomposition in the plane, on a line and in space says."""
    net = plica.random_network([2, width, width, 2], seed=seed, weights="he-normal", bias_std=0.5)
    plane = plica.decompose(net, plica.Box([-1.0, -1.0], [1.0, 1.0]))
    line = plica.decompose(net, plica.Segment([-1.0, -0.5], [1.0, 0.25]))
    cube = plica.random_network([3, 5, 5, 1], seed=seed, weights="he-normal", bias_std=0.5)
    space = plica.decompose(cube, plica.Box([-1.0] * 3, [1.0] * 3))
    digest = hashlib.sha256()
    for complex_ in (plane, line, space):
        for array in (complex_.vertices, complex_.regions, *complex_.patterns()):
            digest.update(np.ascontiguousarray(array).tobytes())
    return digest.hexdigest()


def in_child(seed, answers):
    answers.put(bytes_of(seed))


@samples(16, 400)
def test_eight_threads_find_what_one_finds(n):
    expected = [bytes_of(seed) for seed in range(4)]
    with ThreadPoolExecutor(8) as pool:
        assert list(pool.map(bytes_of, [i % 4 for i in range(n)])) == [expected[i % 4] for i in range(n)]


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
@pytest.mark.parametrize("method", ["fork", pytest.param("spawn", marks=pytest.mark.endurance)])
def test_children_find_what_their_parent_finds_even_while_it_computes(method):
    expected = bytes_of(1)
    context = multiprocessing.get_context(method)
    answers = context.SimpleQueue()
    with ThreadPoolExecutor(2) as pool:
        busy = [pool.submit(bytes_of, 1) for _ in range(6)]  # a fork may come while locks are held
        children = [context.Process(target=in_child, args=(1, answers)) for _ in range(3)]
        for child in children:
            child.start()
        for child in children:
            child.join(patient(60))
        assert [child.exitcode for child in children] == [0, 0, 0]
        assert {task.result() for task in busy} == {expected}
    assert {answers.get() for _ in children} == {expected}


@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")  # a file that an interrupt left to the collector
@pytest.mark.filterwarnings("ignore::ResourceWarning")
@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="needs interval timers")
@samples(40, 1000)
def test_after_an_interrupt_at_any_moment_the_next_answer_is_the_same(n):
    is_computing = False

    def interrupt(*_):
        if is_computing:  # one that comes when the answer is there would end the tests
            raise KeyboardInterrupt

    expected = bytes_of(2)
    started = time.perf_counter()
    bytes_of(2)
    one = time.perf_counter() - started
    rng, before, n_interrupted = random.Random(0), signal.signal(signal.SIGALRM, interrupt), 0
    try:
        for i in range(n):
            try:
                is_computing = True
                signal.setitimer(signal.ITIMER_REAL, rng.uniform(0.02, 0.7) * one)
                bytes_of(2)
                is_computing = False
            except KeyboardInterrupt:
                n_interrupted += 1
            finally:
                signal.setitimer(signal.ITIMER_REAL, 0.0)
            if i % 10 == 9:
                assert bytes_of(2) == expected
    finally:
        signal.signal(signal.SIGALRM, before)
    assert n_interrupted > n / 10
    assert bytes_of(2) == expected
    assert _parallel._held["by"] == 0
    assert not _parallel._pool.lock.locked()
    tally("interrupts", n_interrupted)


@samples(300, 10_000)
def test_many_decompositions_take_no_more_memory_than_some(n):
    net = plica.random_network([2, 16, 16, 1], seed=0, weights="he-normal", bias_std=0.5)
    box = plica.Box([-1.0, -1.0], [1.0, 1.0])

    def work(count):
        for _ in range(count):
            assert plica.decompose(net, box).n_regions > 0
        return resident_bytes()

    work(n // 3)
    first = work(n // 3)
    assert work(n // 3) - first < 8 * 2**20
    tally("decompositions without growth of memory", n // 3 * 3)


# -- compiled kernels ------------------------------------------------------------------------------------------------------

ONE_LINE = """
import plica
net = plica.random_network([1, 4, 1], seed=0)
print(plica.decompose(net, plica.Segment([-1.0], [1.0])).n_cells)
"""


def start(cache, **options):
    environment = os.environ | {"NUMBA_CACHE_DIR": str(cache), "PYTHONPATH": str(SOURCE.parent), "OMP_NUM_THREADS": "1"}
    return subprocess.Popen(
        [sys.executable, "-c", ONE_LINE], env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, **options
    )


def answer(process):
    out, err = process.communicate(timeout=patient(300))
    assert process.returncode == 0, err
    return int(out)


@pytest.fixture(scope="module")
def compiled(tmp_path_factory):
    """A cache that two processes filled at once, and what they found."""
    cache = tmp_path_factory.mktemp("kernels")
    found = {answer(process) for process in [start(cache), start(cache)]}
    assert len(found) == 1
    return cache, found.pop()


@pytest.mark.endurance
def test_two_first_calls_compile_at_once(compiled):
    cache, expected = compiled
    assert expected > 1
    assert any(cache.rglob("*.nbi"))


@pytest.mark.endurance
@pytest.mark.parametrize("damage", ["cut", "emptied", "overwritten", "removed"])
@pytest.mark.parametrize("suffix", ["nbi", "nbc"])
def test_a_damaged_cache_of_kernels_is_not_believed(compiled, tmp_path, damage, suffix):
    cache, expected = tmp_path / "kernels", compiled[1]
    shutil.copytree(compiled[0], cache)
    for path in cache.rglob(f"*.{suffix}"):
        content = path.read_bytes()
        if damage == "removed":
            path.unlink()
        else:
            path.write_bytes({"cut": content[: len(content) // 2], "emptied": b"", "overwritten": bytes(len(content))}[damage])
    assert answer(start(cache)) == expected


@pytest.mark.endurance
def test_a_cache_that_cannot_be_written_is_done_without(tmp_path, compiled):
    (tmp_path / "file").write_text("not a folder")
    assert answer(start(tmp_path / "file" / "kernels")) == compiled[1]
