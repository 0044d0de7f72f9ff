"""When workers on other machines pay: what a cluster costs before it helps, measured with a real one of this machine.

    python benchmarks/bench_cluster.py [--record docs/cluster.json]

With m workers and n parts a work of W seconds takes about

    start + W / m + n (task + bytes / rate),

start: until workers run and have loaded their kernels, and their end; task: the scheduler, for a part of any size; bytes / rate:
until its result is here. So m workers pay when W > m / (m - 1) (start + n (task + bytes / rate)). Constants come from tasks
that do nothing and tasks that return bytes; counts and complexes are then run on 0, 1 and 2 workers. A network between two
machines is slower than this one's memory: put its rate in the place of ours.
"""

from __future__ import annotations

import argparse
import json
import os
import pickle
import time
from pathlib import Path
from typing import Any

import plica
from plica._cluster import connected, run_tasks

N_TASKS, N_LARGE, LARGE, N_PARTS, PART_S = 200, 24, 2_000_000, 32, 0.25


def nothing(i: int) -> int:
    return i


def busy(i: int) -> float:
    """A part of a quarter of a second."""
    end = time.process_time() + PART_S
    while time.process_time() < end:
        pass
    return end


def large(i: int) -> bytes:
    return bytes([i % 251]) * LARGE


def seconds_of(client: Any, function: Any, n: int) -> float:
    began = time.perf_counter()
    assert len(list(run_tasks(client, function, [(i,) for i in range(n)]))) == n
    return time.perf_counter() - began


def constants(n_workers: int) -> dict[str, float]:
    """Start (and end) of a cluster for one call, overhead of a task, bytes for each second; a work of 8 s in 32 parts."""
    tiny, square = plica.random_network([2, 4, 4, 1], seed=0), plica.Box([-1, -1], [1, 1])
    began = time.perf_counter()
    plica.count_regions(tiny, square, cells_only=True, cluster=f"local:{n_workers}")
    start = time.perf_counter() - began
    with connected(f"local:{n_workers}") as client:
        seconds_of(client, nothing, 2 * n_workers)
        task = seconds_of(client, nothing, N_TASKS) / N_TASKS
        transfer = seconds_of(client, large, N_LARGE) / N_LARGE
        parts = seconds_of(client, busy, N_PARTS)
    return {"start_s": start, "task_s": task, "bytes_per_s": LARGE / max(transfer - task, 1e-9), "parts_s": parts}


def part_bytes(network: plica.Network, square: plica.Box, n_tiles: int) -> tuple[float, int]:
    """Bytes of a part's result when the complex is asked for, on average, and all cells."""
    from plica.geometry import Budget
    from plica.geometry.tiles._tiles import Tiling

    tiling = Tiling(network, square, None, Budget(), None)
    tiling.n_tiles = n_tiles
    results = [tile for _, tile in tiling.results(count=False) if tile is not None]
    return sum(len(pickle.dumps(tile)) for tile in results) / n_tiles, sum(tile.n_cells for tile in results)


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--record", type=Path)
    parser.add_argument("--widths", type=int, nargs="*", default=[64, 256])
    options = parser.parse_args()
    found: dict[str, Any] = {"cores": os.cpu_count(), "parts": [N_PARTS, PART_S], "workers": {}, "examples": []}
    for m in (1, 2):
        found["workers"][str(m)] = constants(m)
        print(f"{m} workers: " + ", ".join(f"{k} {v:.4g}" for k, v in found["workers"][str(m)].items()), flush=True)
    square = plica.Box([-1, -1], [1, 1])
    for width in options.widths:
        network = plica.random_network([2, width, width, 1], seed=0, weights="he-normal", bias_std=0.5)
        plica.count_regions(network, plica.Box([0, 0], [0.1, 0.1]), cells_only=True)  # kernels are loaded
        size, n_cells = part_bytes(network, square, 16)
        for what in ("count", "complex"):
            times: dict[str, float] = {}
            for m in (0, 1, 2):
                began = time.perf_counter()
                where = f"local:{m}" if m else None
                if what == "count":
                    assert plica.count_regions(network, square, cells_only=True, cluster=where).n_cells == n_cells
                else:
                    assert plica.decompose(network, square, cluster=where).n_cells == n_cells
                times[str(m)] = time.perf_counter() - began
            found["examples"].append({"what": what, "width": width, "cells": n_cells, "part_bytes": size, "seconds": times})
            print(
                f"{what} of {n_cells:,} cells, {size / 1e3:,.0f} kB a part: "
                + ", ".join(f"{m} workers {s:.2f} s" for m, s in times.items()),
                flush=True,
            )
    if options.record:
        options.record.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
