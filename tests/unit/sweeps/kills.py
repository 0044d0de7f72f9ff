"""Sweeps in other processes, and killing them: shared by the short tests and the endurance tests."""

import os
import random
import subprocess
import sys
import time
from contextlib import contextmanager
from pathlib import Path

from patience import patient

import plica
from plica.sweeps import Store, StoreError, check_store

HERE = str(Path(__file__).parent)

DRIVER = """
import sys
import sweep_tasks
from plica.sweeps import run

def report(now):
    print(now.n_earlier + now.n_done, flush=True)

if __name__ == "__main__":
    print("go", flush=True)
    run(sweep_tasks.long_sweep, store=sys.argv[1], executor=sys.argv[2], n_workers=2, progress=report)
    print("finished", flush=True)
"""


@contextmanager
def other_pythons():
    """Starts other Pythons, with this one's Plica and the module sweep_tasks; none outlives the test."""
    started = []

    def start(code, *arguments, hash_seed="random", **options):
        paths = [str(Path(plica.__file__).parent.parent), HERE]
        environment = {**os.environ, "PYTHONPATH": os.pathsep.join(paths), "PYTHONHASHSEED": hash_seed}
        options = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True, "env": environment, **options}
        started.append(subprocess.Popen([sys.executable, "-c", code, *map(str, arguments)], **options))
        return started[-1]

    try:
        yield start
    finally:
        for process in started:
            process.kill()
            process.communicate()


def kill_until_finished(start, path, executor, *, n_kills, seed, longest_s):
    """Run the driver again and again, killing it at random moments; returns how often it was killed while at work.

    After each kill the store must be whole, and hold at least what had been reported. After ``n_kills`` the driver is left
    to finish.
    """
    generator = random.Random(seed)
    n_at_work = 0
    for _ in range(n_kills):
        process = start(DRIVER, path, executor)
        assert process.stdout.readline() == "go\n"
        time.sleep(generator.uniform(0, longest_s))
        process.kill()
        said, _ = process.communicate(timeout=patient(30))
        n_reported = max([int(word) for word in said.split() if word.isdigit()], default=0)
        if "finished" not in said:
            n_at_work += 1
        if path.exists() and path.stat().st_size:
            try:
                assert n_stored(path) >= n_reported
                assert check_store(path).is_intact
            except StoreError as error:  # killed while it made the store
                assert n_reported == 0 and "holds no sweep yet" in error.message
        if "finished" in said:  # begin anew, to have something to kill
            remove(path)
    process = start(DRIVER, path, executor)
    said, errors = process.communicate(timeout=patient(120))
    assert "finished" in said, errors
    return n_at_work


def n_stored(path):
    """Tasks done in a store."""
    with Store(path, read_only=True) as store:
        return sum(about["n_done"] for _, about in store.experiments())


def remove(path):
    """Forget a store."""
    for file in path.parent.glob(path.name + "*"):
        if file.is_file():
            file.unlink()
