"""Works that are killed: one process imports everything, and forks a child for each attempt at a work.

    python victims.py WORK FOLDER

It reads numbers from its input: a child begins, and is killed after so many seconds unless it has ended; -1 lets it end. It says
``killed`` or ``ended`` and a status.
"""

import json
import os
import signal
import sys
import time
from pathlib import Path

import numpy as np
import torch

import plica
import plica.data
from plica.cli import app

CLAIMS = ("binomial-sum", "slide-simply-connected", "unit-rows-attend-uniformly", "slide-block", "zaslavsky-bounded")


def training(folder):
    """Epochs with a checkpoint after each; what remains is the model at the end."""
    from plica.learn import fit

    torch.manual_seed(0)
    relu = torch.nn.ReLU()
    model = torch.nn.Sequential(torch.nn.Linear(2, 16), relu, torch.nn.Linear(16, 16), relu, torch.nn.Linear(16, 1))
    fit(model, plica.data.load("moons"), epochs=40, batch=50, checkpoint=folder / "run.safetensors", resume=True)
    weights = b"".join(t.detach().numpy().tobytes() for t in model.state_dict().values())
    (folder / "result.bin").write_bytes(weights)


def tasks(folder):
    """Two commands that train, with a checkpoint every five steps; what remains is what they wrote, but for times."""
    from dataclasses import replace

    from plica.learn.tasks import _work

    _work.replace = lambda recipe, **changes: replace(recipe, n_between_checkpoints=5, **changes)
    kept = b""
    for task in ("chars", "translate"):
        command("train", task, "--out", folder / task, "--steps", 25, "--quiet")
        for name in ("settings.json", "model/config.json", "model/model.safetensors", "history.csv", "history.svg"):
            kept += (folder / task / name).read_bytes()
    (folder / "result.bin").write_bytes(kept)


def claims(folder):
    """Checks at full scale, one after the other; what remains are their rows."""
    command("check", *CLAIMS, "--scale", "full", "--resume", "--store", folder / "checks.db", "--record", folder / "records")
    rows = {path.stem: json.loads(path.read_text())["rows"] for path in sorted((folder / "records").glob("*.json"))}
    assert set(rows) == set(CLAIMS)
    (folder / "result.bin").write_text(json.dumps(rows))


def report(folder):
    """A page of sections that are kept as they are finished; what remains are their facts."""
    model, page = folder / "model.safetensors", folder / "page.html"
    if not model.exists():
        plica.save(plica.random_network([2, 6, 6, 2], seed=0, weights="he-normal", bias_std=0.5), model)
    command("report", model, "--out", page, "--max-seconds", 100_000, "--json")
    assert not page.with_suffix(".parts").exists()
    (folder / "result.bin").write_bytes(without_seconds(page.read_text()).encode())


def without_seconds(text):
    """A page without the times that it took."""
    import re

    return re.sub(r"[\d.,]+ ?s\b|\"seconds\": ?[\d.]+", "", text)


def distances(folder):
    """Distances of points to another class, each written down when it is known."""
    from plica.robust import class_distances

    net = plica.random_network([2, 6, 3], seed=1)
    points = np.random.default_rng(0).normal(size=(10, 2)) * 0.2
    found = class_distances(net, points, store=folder / "distances.jsonl", timeout_s=1e6)
    assert all(d.is_closed for d in found)
    (folder / "result.bin").write_text(json.dumps([(d.label, d.other, d.lower.hex(), d.upper.hex()) for d in found]))


def tiles(folder):
    """A plane counted in parts; not resumed, but nothing of an attempt that was killed may show."""
    from plica.geometry import Budget, count_regions

    net = plica.random_network([2, 40, 40, 40, 2], seed=0, weights="he-normal", bias_std=0.5)
    found = count_regions(net, plica.Box([-3.0, -3.0], [3.0, 3.0]), budget=Budget(max_bytes=300_000_000))
    cx = plica.decompose(plica.random_network([2, 16, 16, 2], seed=1), plica.Box([-1.0, -1.0], [1.0, 1.0]))
    cx.save(folder / "complex.npz")
    again = plica.Complex.load(folder / "complex.npz")
    (folder / "result.bin").write_text(f"{found.n_cells} {found.n_regions} {again.n_cells}")


def command(*arguments):
    """A command of Plica, in this process."""
    from typer.testing import CliRunner

    done = CliRunner().invoke(app, [str(a) for a in arguments])
    if done.exit_code:
        sys.stderr.write(done.output)
        os._exit(3)


WORKS = {work.__name__: work for work in (training, tasks, claims, report, distances, tiles)}


def attempt(work, folder, seconds):
    """One child: killed after so many seconds, or ended by itself."""
    child = os.fork()
    if child == 0:
        os.dup2(2, 1)
        work(folder)
        os._exit(0)
    end = float("inf") if seconds < 0 else time.monotonic() + seconds
    while time.monotonic() < end:
        pid, status = os.waitpid(child, os.WNOHANG)
        if pid:
            return f"ended {os.waitstatus_to_exitcode(status)}"
        time.sleep(0.002)
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    return "killed"


def main():
    work, folder = WORKS[sys.argv[1]], Path(sys.argv[2])
    torch.set_num_threads(1)
    (folder / "first").mkdir()
    work(folder / "first")  # compiles, imports
    (folder / "work").mkdir()
    print("ready", flush=True)
    for line in sys.stdin:
        print(attempt(work, folder / "work", float(line)), flush=True)


if __name__ == "__main__":
    main()
