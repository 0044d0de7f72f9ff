"""Functions for the tests of sweeps. They live in a module of their own, as workers import them by name."""

import json
import os
import pathlib
import time

import numpy as np

from plica.sweeps import Sweep


def measure(n, kind, rng):
    """Numbers, a small array, and for one kind an array large enough for its own file."""
    matrix = rng.normal(size=(n, n))
    return {
        "mean": float(matrix.mean()),
        "largest": np.linalg.svd(matrix, compute_uv=False)[:2],
        "sample": rng.normal(size=1500) if kind == "long" else rng.normal(size=3),
        "ratio": float("inf") if n == 2 else 1.0 / n,
    }


sweep = Sweep(measure, grid={"n": [2, 40], "kind": ["short", "long"]}, seeds=range(5))


def slowly(i, rng):
    """A few milliseconds of work with an array in a file."""
    time.sleep(0.004)
    return {"i": i, "x": rng.normal(), "a": rng.normal(size=700 if i % 3 == 0 else 5)}


long_sweep = Sweep(slowly, grid={"i": range(40)}, seeds=range(3))


def sleepy(i, rng):
    """Quick for the first few that are run; the others take longer than anybody wants to wait."""
    if i not in QUICK:
        time.sleep(3600)
    return {"x": rng.normal()}


sleepy_sweep = Sweep(sleepy, grid={"i": range(8)})
QUICK = {json.loads(task.parameters)["i"] for task in sorted(sleepy_sweep.tasks(), key=lambda task: task.key)[:4]}


def fails(i, seed):
    """One in four raises."""
    if i % 4 == 1:
        raise ValueError(f"no {i}")
    return {"i": i, "seed": seed}


failing_sweep = Sweep(fails, grid={"i": range(8)})


def deadly(i, seed):
    """One of them kills its worker, every time."""
    if i == 2:
        os.kill(os.getpid(), 9)
    return {"i": i, "seed": seed}


deadly_sweep = Sweep(deadly, grid={"i": range(6)})


def deadly_once(i, folder, rng):
    """One of them kills its worker the first time only."""
    mark = pathlib.Path(folder, str(i))
    if i == 2 and not mark.exists():
        mark.touch()
        os.kill(os.getpid(), 9)
    return {"x": rng.normal()}


def told(i, folder, rng):
    """Says which process ran it; takes long enough that a worker can be killed while it runs."""
    with open(pathlib.Path(folder, f"{i}-{os.getpid()}"), "x"):
        time.sleep(0.05)
    return {"x": rng.normal()}


def loud(seed):
    """Prints, which must not mix with results."""
    print("noise on stdout")
    return {"seed": seed}


loud_sweep = Sweep(loud)
