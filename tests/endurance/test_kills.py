"""Five hundred kills: trainings, claims at full scale, reports, distances, decompositions in parts, and sweeps in test_sweeps.py.

A work is killed at random moments, again and again, then left to end: its result must be the one of a work that nobody disturbed,
byte for byte, and those that can be resumed must have gone on from what they had.
"""

import os
import random
import shutil
import subprocess
import sys
import time
from pathlib import Path

import pytest
from tally import tally

import plica

pytestmark = pytest.mark.endurance

HERE = Path(__file__).parent
KILLS = {"training": 120, "tasks": 40, "claims": 90, "report": 90, "distances": 60, "tiles": 40}  # and a hundred sweeps
SHARE = float(os.environ.get("PLICA_KILLS_SHARE", "1"))


class Victim:
    """The process that forks children, and what it says of them."""

    def __init__(self, work, folder):
        environment = os.environ | {"PYTHONPATH": str(Path(plica.__file__).parent.parent), "OMP_NUM_THREADS": "1"}
        self.process = subprocess.Popen(
            [sys.executable, str(HERE / "victims.py"), work, str(folder)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env=environment | {"TMPDIR": str(folder)},
        )
        assert self.process.stdout.readline() == "ready\n"

    def attempt(self, seconds):
        self.process.stdin.write(f"{seconds}\n")
        self.process.stdin.flush()
        return self.process.stdout.readline().strip()

    def close(self):
        self.process.stdin.close()
        self.process.wait()
        self.process.stdout.close()


@pytest.mark.parametrize("work", KILLS)
def test_killed_works_end_as_if_nobody_had_disturbed_them(tmp_path, work):
    victim, place, rng = Victim(work, tmp_path), tmp_path / "work", random.Random(7)
    expected = (tmp_path / "first" / "result.bin").read_bytes()
    began = time.monotonic()
    assert victim.attempt(-1) == "ended 0"
    longest = 0.9 * (time.monotonic() - began)
    n_kills = n_ended = 0
    try:
        while n_kills < max(1, round(SHARE * KILLS[work])):
            if (place / "result.bin").exists():  # it came to its end: begin anew, to have something to kill
                assert (place / "result.bin").read_bytes() == expected
                shutil.rmtree(place)
                place.mkdir()
                n_ended += 1
            said = victim.attempt(rng.uniform(0, longest))
            assert said in ("killed", "ended 0"), said
            n_kills += said == "killed"
        assert victim.attempt(-1) == "ended 0"
    finally:
        victim.close()
    assert (place / "result.bin").read_bytes() == expected
    assert not list(place.rglob(".*.part"))
    print(f"\n{work}: {n_kills} kills, {n_ended + 1} ends, the same bytes")
    tally(f"kills: {work}", n_kills)
