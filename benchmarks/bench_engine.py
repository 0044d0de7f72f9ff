"""The speed of the exact engines on lines and planes, beside the figures of peers on the same kind of machine (2 cores)."""

from __future__ import annotations

import os
import platform
import resource
import statistics
import time
from collections.abc import Callable

import numpy as np

import plica

Box = plica.Box([-1, -1], [1, 1])


def median_ms(work: Callable[[], object], *, repeat: int = 15) -> float:
    work()
    times = []
    for _ in range(repeat):
        start = time.perf_counter()
        work()
        times.append(time.perf_counter() - start)
    return 1000 * statistics.median(times)


def he(width: int, depth: int) -> plica.Network:
    return plica.random_network([2, *[width] * depth, 1], seed=0, weights="he-normal", bias_std=0.5)


def show(what: str, ours: float, peer: str, peer_ms: float | None, goal: float) -> None:
    ratio = f"{peer_ms / ours:6.1f} x" if peer_ms else "       -"
    print(f"{what:<44} {ours:9.2f} ms   {peer:<34} {ratio}   {'reached' if ours <= goal else 'MISSED'} (goal {goal:g} ms)")


def lenet() -> plica.Network:
    import torch
    from torch import nn

    torch.manual_seed(0)
    torch.set_num_threads(1)
    layers = [
        nn.Conv2d(1, 6, 5, padding=2), nn.ReLU(), nn.AvgPool2d(2), nn.Conv2d(6, 16, 5), nn.ReLU(), nn.AvgPool2d(2), nn.Flatten(),
        nn.Linear(400, 120), nn.ReLU(), nn.Linear(120, 84), nn.ReLU(), nn.Linear(84, 10),
    ]  # fmt: skip
    return plica.from_torch(nn.Sequential(*layers).double().eval(), example_input=torch.zeros(1, 1, 28, 28, dtype=torch.float64))


def main() -> None:
    print(f"{platform.processor() or platform.machine()}, {os.cpu_count()} cores, Python {platform.python_version()}")
    start = time.perf_counter()
    plica.decompose(he(16, 2), Box)
    print(f"first call, with compilation or its cache: {time.perf_counter() - start:.2f} s\n")

    for width, peer_ms, goal, count_goal in ((64, 85.0, 17.0, 10.0), (128, 510.0, 100.0, 60.0)):
        net = he(width, 4)
        cells = plica.decompose(net, Box).n_cells
        ours = median_ms(lambda net=net: plica.decompose(net, Box))
        show(f"he {width}x4, {cells:,} cells with incidences", ours, f"SyReNN, 2 threads: {peer_ms:g} ms", peer_ms, goal)
        ours = median_ms(lambda net=net: plica.count_regions(net, Box, cells_only=True))
        show(f"he {width}x4, cells counted", ours, "count-only prototype in C++", 12.0 if width == 64 else 80.0, count_goal)
        cx = plica.decompose(net, Box)
        start = time.perf_counter()
        regions = cx.n_regions
        print(f"{'':<4}and its {regions:,} regions: {1000 * (time.perf_counter() - start):.1f} ms more")

    for width, depth, half in ((32, 20, 1.0), (256, 8, 0.3), (48, 24, 1.0)):
        net, window = he(width, depth), plica.Box([-half, -half], [half, half])
        cells = plica.decompose(net, window).n_cells
        ours = median_ms(lambda net=net, window=window: plica.decompose(net, window), repeat=3)
        what = f"he {width}x{depth} on [-{half:g}, {half:g}]^2, {cells:,} cells"
        print(f"{what:<44} {ours:9.2f} ms   deep: the first bounds are too wide")

    rng = np.random.default_rng(1)
    a, b = rng.random((2, 784))
    segment = plica.Segment(a, b)
    for scheme, peer_ms in (("torch-default", 2.4), ("he-normal", 1.2)):
        net = plica.random_network(
            [784, 256, 256, 256, 256, 10], seed=0, weights=scheme, bias_std=0.5 if scheme == "he-normal" else None
        )
        pieces = plica.decompose(net, segment).n_cells
        ours = median_ms(lambda net=net: plica.decompose(net, segment), repeat=101)
        show(f"line 784-256x4-10 {scheme}, {pieces} pieces", ours, f"SyReNN: {peer_ms:g} ms", peer_ms, 1.0)
    net = plica.random_network([784, *[256] * 16, 10], seed=0, weights="he-normal", bias_std=0.5)
    used = time.process_time()
    pieces = plica.decompose(net, segment).n_cells
    used = 1000 * (time.process_time() - used)
    ours = median_ms(lambda: plica.decompose(net, segment), repeat=3)
    show(f"line 784-256x16-10, {pieces} pieces ({used:.0f} ms of CPU)", ours, "deep", None, 200.0)
    net = lenet()
    pieces = plica.decompose(net, segment).n_cells
    ours = median_ms(lambda: plica.decompose(net, segment))
    show(f"line LeNet-5 average pool, {pieces:,} pieces", ours, "SyReNN: 24-28 ms", 26.0, 20.0)

    net = plica.random_network([2, 800, 800, 1], seed=0, weights="he-normal", bias_std=0.5)
    start = time.perf_counter()
    cx = plica.decompose(net, plica.Box([-3, -3], [3, 3]))
    ours = 1000 * (time.perf_counter() - start)
    show(f"he 800x2 on [-3, 3]^2, {cx.n_cells:,} cells", ours, "none can", None, 6000.0)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
    print(f"{'':<4}peak memory {peak:.2f} GiB, {cx.exact_fallbacks} exact fallbacks")


if __name__ == "__main__":
    main()
