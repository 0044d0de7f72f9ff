"""The space engine: cells in three and four dimensions, all of R^2, and tiles on one and on two workers.

Peers are the figures published for the same networks on two cores: edge subdivision in float64 (vertices and edges, CPU
seconds), and for R^2 the two tools that enumerate by linear programs. Both wall and processor time are printed: on a busy
machine compare the second.
"""

from __future__ import annotations

import logging
import os
import platform
import time
from collections.abc import Callable
from typing import Any

import plica

NETS = [  # dimension, kind, width, cells, peer's CPU seconds, goal in seconds
    (3, "def", 16, 756, 0.027, None),
    (3, "he", 16, 1526, 0.035, None),
    (3, "def", 32, 6752, 0.142, None),
    (3, "he", 32, 15705, 0.274, 0.1),
    (4, "def", 16, 7387, 0.085, None),
    (4, "he", 16, 10211, 0.164, None),
    (4, "def", 32, 85991, 1.74, None),
    (4, "he", 32, 230736, 5.27, 2.0),
]


def network(dimension: int, kind: str, width: int, depth: int = 2) -> plica.Network:
    scheme: dict[str, Any] = {"weights": "he-normal", "bias_std": 0.5} if kind == "he" else {}
    return plica.random_network([dimension, *[width] * depth, 1], seed=0, **scheme)


def box(dimension: int) -> plica.Box:
    return plica.Box([-1.0] * dimension, [1.0] * dimension)


def best(work: Callable[[], Any], repeat: int = 3) -> tuple[Any, float, float]:
    """The result, and the least wall and processor seconds."""
    wall, cpu = [], []
    for _ in range(repeat):
        start, used = time.perf_counter(), time.process_time()
        result = work()
        wall.append(time.perf_counter() - start)
        cpu.append(time.process_time() - used)
    return result, min(wall), min(cpu)


def tiles() -> None:
    try:
        import distributed
    except ImportError:
        print("tiles: Dask is not installed (pip install 'plica[cluster]')")
        return
    net, domain = network(4, "he", 36), box(4)
    warm = network(4, "he", 8)
    print("\ncells of he 36x2 in four dimensions counted in tiles, one thread in each worker:")
    walls, spans = {}, {}
    for n_workers in (1, 2):
        cluster = distributed.LocalCluster(
            n_workers=n_workers, threads_per_worker=1, host="127.0.0.1", dashboard_address=None, silence_logs=logging.CRITICAL
        )
        with cluster, distributed.Client(cluster, set_as_default=False) as client:
            for _ in range(3):
                plica.count_regions(warm, domain, cluster=client, cells_only=True)
            used = client.run(time.process_time)
            count, wall, cpu = best(lambda c=client: plica.count_regions(net, domain, cluster=c, cells_only=True), repeat=1)
            busy = {w: t - used[w] for w, t in client.run(time.process_time).items()}
        walls[n_workers], spans[n_workers] = wall, cpu + sum(busy.values()) / n_workers
        shares = " + ".join(f"{b:.2f}" for b in busy.values())
        print(f"  {n_workers} worker(s): {count.n_cells:,} cells, {wall:.2f} s; CPU {cpu:.2f} s here, {shares} s in the workers")
    clock, cpu_ratio = walls[1] / walls[2], spans[1] / spans[2]
    print(f"  two workers against one: {clock:.2f} x by the clock, {cpu_ratio:.2f} x if every process had a core (goal 1.6 x)")


def main() -> None:
    load = os.getloadavg()[0]
    machine = f"{platform.processor() or platform.machine()}, {os.cpu_count()} cores"
    print(f"{machine}, load {load:.1f}, Python {platform.python_version()}")
    plica.decompose(network(3, "he", 8), box(3))  # compiles, or loads what was compiled
    print(f"{'network':<14}{'cells':>9}{'wall s':>9}{'CPU s':>9}{'peer CPU s':>12}{'ratio':>8}   goal")
    for dimension, kind, width, n_cells, peer, goal in NETS:
        net = network(dimension, kind, width)
        cx, wall, cpu = best(lambda n=net, d=dimension: plica.decompose(n, box(d)))
        assert cx.n_cells == n_cells, (cx.n_cells, n_cells)
        reached = "" if goal is None else f"{goal} s {'reached' if wall <= goal else 'missed'}"
        print(
            f"{dimension}-D {kind} {width}x2   {n_cells:>9,}{wall:>9.3f}{cpu:>9.3f}{peer:>12.3f}{peer / cpu:>7.1f}x   {reached}"
        )
    net = network(2, "def", 16)
    cx, wall, cpu = best(lambda: plica.decompose(net, plica.Space(2)), repeat=7)
    assert cx.n_cells == 561
    verdict = f"0.1 s {'reached' if wall <= 0.1 else 'missed'}; {cx.n_bounded} are bounded"
    print(f"R^2 def 16x2   {cx.n_cells:>9,}{wall:>9.3f}{cpu:>9.3f}{7.9:>12.3f}{7.9 / cpu:>7.0f}x   {verdict}")
    tiles()


if __name__ == "__main__":
    main()
