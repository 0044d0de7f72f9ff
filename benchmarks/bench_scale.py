"""Large networks and what they cost: LeNet-5 on planes through digits, VGG-11's shape, and curves of time and memory with slopes.

LeNet-5 is trained a little on MNIST (a minute; skipped, saying so, where the digits are not at hand). Seconds are processor
seconds; memory is what the process grew by at its peak, in a process of its own. Slopes are those of straight lines through
logarithms: time ~ cells^slope.
"""

from __future__ import annotations

import json
import os
import platform
import subprocess
import sys
import time
from typing import Any

import numpy as np

import plica
from plica.errors import PlicaError

STEPS = 300


def lenet(pool: str) -> Any:
    """LeNet-5, trained a little on MNIST, and three of its digits; None without the digits."""
    import torch
    from torch import nn

    from plica import data

    try:
        digits = data.load("mnist")
    except PlicaError as error:
        print(f"  skipped: {error.message}")
        return None
    torch.set_num_threads(1)
    torch.manual_seed(0)
    window = nn.AvgPool2d if pool == "average" else nn.MaxPool2d
    features = [nn.Conv2d(1, 6, 5, padding=2), nn.ReLU(), window(2), nn.Conv2d(6, 16, 5), nn.ReLU(), window(2), nn.Flatten()]
    module = nn.Sequential(*features, nn.Linear(400, 120), nn.ReLU(), nn.Linear(120, 84), nn.ReLU(), nn.Linear(84, 10))
    x, y = (np.asarray(a) for a in (digits.x, digits.y))
    images = torch.from_numpy(x.reshape(-1, 1, 28, 28).astype(np.float32) / (255.0 if x.max() > 1 else 1.0))
    labels, optimizer = torch.from_numpy(y.astype(np.int64)), torch.optim.Adam(module.parameters(), 1e-3)
    rng = np.random.default_rng(0)
    for _ in range(STEPS):
        batch = torch.from_numpy(rng.integers(0, len(images), 128))
        optimizer.zero_grad()
        nn.functional.cross_entropy(module(images[batch]), labels[batch]).backward()
        optimizer.step()
    network = plica.from_torch(module.eval(), example_input=images[:1])
    three = [images[int(np.flatnonzero(y == k)[0])].numpy().reshape(-1).astype(float) for k in (3, 5, 8)]
    return network, plica.Plane.through(*three)


def measured(name: str, *args: Any) -> dict[str, Any]:
    """Run one of the ``run_...`` functions in a process of its own."""
    done = subprocess.run([sys.executable, __file__, name, json.dumps(args)], capture_output=True, text=True, check=False)
    if done.returncode:
        return {"error": done.stderr.strip().splitlines()[-1]}
    *said, last = done.stdout.strip().splitlines()
    print("\n".join(said), end="\n" if said else "")
    found: dict[str, Any] = json.loads(last)
    return found


def with_costs(work: Any) -> dict[str, Any]:
    from resource import RUSAGE_SELF, getrusage

    from plica._memory import resident_bytes

    plica.decompose(plica.random_network([2, 6, 6, 1], seed=0), plica.Box([-1, -1], [1, 1]))
    before, start, wall = resident_bytes(), time.process_time(), time.perf_counter()
    found = work()
    peak = getrusage(RUSAGE_SELF).ru_maxrss * 1024 - before
    return found | {"cpu": time.process_time() - start, "wall": time.perf_counter() - wall, "bytes": max(0, peak)}


def run_lenet_count(pool: str, seconds: float) -> dict[str, Any]:
    given = lenet(pool)
    if given is None:
        return {}

    def work() -> dict[str, Any]:
        try:
            return {"cells": plica.count_regions(*given, cells_only=True, budget=plica.Budget(max_seconds=seconds)).n_cells}
        except plica.BudgetExceeded as stop:
            return {"cells": stop.partial["n_cells"], "stopped": True}

    return with_costs(work)


def run_lenet_boundary(pool: str) -> dict[str, Any]:
    given = lenet(pool)
    if given is None:
        return {}

    def work() -> dict[str, Any]:
        curves = plica.decision_boundary(*given)
        return {"segments": len(curves.segments), "length": curves.length, "free": curves.skipped}

    return with_costs(work)


def run_vgg(width: float, seconds: float) -> dict[str, Any]:
    """A small window of a plane through a network with the shape of VGG-11 and He weights."""
    import torch
    from torch import nn

    torch.manual_seed(0)
    layers: list[nn.Module] = []
    channels = 3
    for out in (64, 0, 128, 0, 256, 256, 0, 512, 512, 0, 512, 512, 0):
        if not out:
            layers.append(nn.MaxPool2d(2))
            continue
        conv = nn.Conv2d(channels, out, 3, padding=1)
        nn.init.kaiming_normal_(conv.weight, nonlinearity="relu")
        layers += [conv, nn.ReLU()]
        channels = out
    module = nn.Sequential(*layers, nn.Flatten(), nn.Linear(512, 10)).eval()
    network = plica.from_torch(module, example_input=torch.zeros(1, 3, 32, 32))
    a, b, c = np.random.default_rng(0).uniform(size=(3, 3072))
    low, high = 0.3, 0.3 + width
    plane = plica.Plane(a, [b - a, c - a], window=((low, low), (high, low), (high, high), (low, high)))

    def work() -> dict[str, Any]:
        budget = plica.Budget(max_seconds=seconds, max_bytes=4 * 2**30)
        try:
            return {"cells": plica.count_regions(network, plane, cells_only=True, budget=budget).n_cells}
        except plica.BudgetExceeded as stop:
            return {"cells": stop.partial["n_cells"], "stopped": True}

    return with_costs(work)


def run_plane(width: int, depth: int, scale: float) -> dict[str, Any]:
    network = plica.random_network([2, *[width] * depth, 1], seed=0, weights="he-normal", bias_std=0.5)
    box = plica.Box([-scale] * 2, [scale] * 2)
    return with_costs(lambda: {"cells": plica.decompose(network, box).n_cells})


def run_line(inputs: int, width: int) -> dict[str, Any]:
    network = plica.random_network([inputs, *[width] * 3, 1], seed=0, weights="he-normal", bias_std=0.5)
    ends = np.random.default_rng(0).normal(size=(2, inputs))
    return with_costs(lambda: {"cells": plica.decompose(network, plica.Segment(*ends)).n_cells})


def slope(x: list[float], y: list[float]) -> float:
    return float(np.polyfit(np.log(x), np.log(np.maximum(y, 1e-9)), 1)[0])


def curve(title: str, name: str, cases: list[tuple[Any, ...]], against: str, axis: Any) -> None:
    rows = [measured(name, *case) for case in cases]
    print(f"\n{title}\n  {against:>10} {'cells':>10} {'cpu s':>9} {'MB':>8}")
    xs = []
    for case, row in zip(cases, rows, strict=True):
        xs.append(float(axis(case, row)))
        print(f"  {xs[-1]:>10,.0f} {row['cells']:>10,} {row['cpu']:>9.3f} {row['bytes'] / 1e6:>8.1f}")
    print(f"  slopes: time {slope(xs, [r['cpu'] for r in rows]):.2f}, memory {slope(xs, [r['bytes'] + 1 for r in rows]):.2f}")


def main() -> None:
    print(f"{platform.machine()}, {os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}; Python {platform.python_version()}\n")
    for pool, seconds in (("average", 600.0), ("max", 120.0)):
        row = measured("run_lenet_count", pool, seconds)
        if "error" in row:
            print(f"LeNet-5, {pool} pooling: {row['error']}")
        if "cells" in row:
            note = " when its time was over" if "stopped" in row else " in the triangle of three digits"
            cost = f"{row['cpu']:.1f} s (goal 60), {row['bytes'] / 1e6:.0f} MB"
            print(f"LeNet-5, {pool} pooling: {row['cells']:,} cells{note}; {cost}")
        row = measured("run_lenet_boundary", pool)
        if "segments" in row:
            free = f"{row['free']:.1%} of the window proved free"
            print(f"  decision boundary: {row['segments']:,} segments, {free}; {row['cpu']:.1f} s (goal 10)")
    row = measured("run_vgg", 1e-4, 300.0)
    said = row.get("error") or f"{row['cells']:,} cells; {row['cpu']:.1f} s, {row['bytes'] / 1e6:.0f} MB"
    print(f"VGG-11's shape, window of 1e-4: {said}")
    curve(
        "planes against cells (2-128-128-128-1, larger and larger boxes)", "run_plane",
        [(128, 3, s) for s in (0.125, 0.25, 0.5, 1.0)], "cells", lambda case, row: row["cells"],
    )  # fmt: skip
    curve(
        "planes against units (three layers)", "run_plane", [(w, 3, 1.0) for w in (32, 64, 128)], "units", lambda c, r: 3 * c[0]
    )
    curve("lines against inputs (256 wide)", "run_line", [(n, 256) for n in (16, 128, 1024)], "inputs", lambda c, r: c[0])


if __name__ == "__main__":
    if len(sys.argv) > 1:
        print(json.dumps(globals()[sys.argv[1]](*json.loads(sys.argv[2]))))
    else:
        main()
