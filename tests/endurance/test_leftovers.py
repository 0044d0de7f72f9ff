"""What a signal leaves of a server, a sweep or a cluster: no process after two seconds, no file after the next start."""

import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from patience import patient, wait_for
from tally import tally

import plica
from plica._passing import sweep

psutil = pytest.importorskip("psutil")
pytestmark = pytest.mark.endurance

EXPLORE = [sys.executable, "-m", "plica", "explore", "--no-browser", "--quiet", "--port", "0"]
SWEEP = """
import sys, sweep_tasks
from plica.sweeps import run
if __name__ == "__main__":
    run(sweep_tasks.sleepy_sweep, store=sys.argv[1], executor=sys.argv[2], n_workers=2)
"""
WORKS = {
    "explorer": lambda folder: EXPLORE,
    "sweep on processes": lambda folder: [sys.executable, "-c", SWEEP, str(folder / "s.db"), "processes"],
    "sweep on a cluster": lambda folder: [sys.executable, "-c", SWEEP, str(folder / "s.db"), "dask"],
}
PROMISED_S = 2.0
N = int(os.environ.get("PLICA_LEFTOVERS", "5"))


def segments():
    """Shared memory of this user."""
    place = Path("/dev/shm")  # noqa: S108
    return {path.name for path in place.iterdir() if path.owner() == Path("/proc/self").owner()} if place.exists() else set()


@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGTERM, signal.SIGHUP], ids=lambda how: how.name)
@pytest.mark.parametrize("work", WORKS)
def test_nothing_is_left_behind(tmp_path, work, how):
    if "cluster" in work:
        pytest.importorskip("distributed")
    rng, shared, slowest = random.Random(work + how.name), segments(), 0.0
    paths = os.pathsep.join([str(Path(plica.__file__).parent.parent), str(Path(__file__).parent.parent / "unit" / "sweeps")])
    for trial in range(N):
        folder, passing = tmp_path / str(trial), tmp_path / f"passing {trial}"
        folder.mkdir()
        passing.mkdir()
        environment = os.environ | {"PYTHONPATH": paths, "TMPDIR": str(passing)}
        process = subprocess.Popen(
            WORKS[work](folder), env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True
        )
        try:
            wait_for(lambda process=process: len(psutil.Process(process.pid).children(recursive=True)) >= 1, 60)
            time.sleep(rng.uniform(0, 3))
            family = psutil.Process(process.pid).children(recursive=True)
            process.send_signal(how)
            process.wait(patient(20))
            ended = time.monotonic()
            wait_for(lambda family=family: not any(is_running(p) for p in family), PROMISED_S)
            slowest = max(slowest, time.monotonic() - ended)
        finally:
            process.kill()
            process.wait()
        sweep(passing)  # what the next start does first
        assert [path.name for path in passing.iterdir()] == []
    assert segments() <= shared
    print(f"\n{work}, {how.name}: {N} times, the last worker was gone after {slowest:.2f} s")
    tally(f"kills: {work}", N)


def is_running(process):
    try:
        return process.is_running() and process.status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False
