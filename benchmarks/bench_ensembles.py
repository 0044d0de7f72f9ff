"""The speed of ensembles of random networks, beside the same networks one at a time in torch, and of exact trajectory lengths."""

from __future__ import annotations

import os
import platform
import time
from collections.abc import Callable

import numpy as np

import plica
from plica.measure import Ensemble, circle, trajectory_length

WIDTH, DEPTH, N_NETWORKS, N_POINTS = 64, 16, 1000, 200


def seconds(work: Callable[[], object], *, repeat: int = 3) -> float:
    best = float("inf")
    for _ in range(repeat):
        start = time.perf_counter()
        work()
        best = min(best, time.perf_counter() - start)
    return best


def one_at_a_time(points: np.ndarray, n_networks: int) -> None:
    """What a script does: a torch module for each network, lengths of chords after each layer."""
    import torch
    from torch import nn

    torch.set_num_threads(1)
    x = torch.tensor(points)
    with torch.no_grad():
        for seed in range(n_networks):
            torch.manual_seed(seed)
            z = x
            for _ in range(DEPTH):
                layer = nn.Linear(WIDTH, WIDTH, bias=False, dtype=torch.float64)
                nn.init.normal_(layer.weight, std=(2 / WIDTH) ** 0.5)
                z = torch.relu(layer(z))
                z.diff(dim=0).norm(dim=1).sum()


def main() -> None:
    print(f"{platform.processor() or platform.machine()}, {os.cpu_count()} cores, Python {platform.python_version()}")
    u, v = np.random.default_rng(0).standard_normal((2, WIDTH))
    path = circle(u, v, n_points=N_POINTS)
    torch_s = seconds(lambda: one_at_a_time(path.points, 100), repeat=2) * N_NETWORKS / 100
    print(f"\n{N_NETWORKS} networks {WIDTH} wide, depth {DEPTH}, along {N_POINTS} points")
    print(f"{'torch, one network at a time (from 100)':<48} {torch_s:7.2f} s")
    for activation in ("relu", "hard-tanh", "tanh"):
        ensemble = Ensemble((WIDTH,) * (DEPTH + 1), n_networks=N_NETWORKS, seed=0, weight_std=2**0.5, activation=activation)
        for method in ("chords", "tangents"):
            ours = seconds(lambda e=ensemble, m=method: e.estimate_lengths(path, n_points=N_POINTS, method=m), repeat=2)
            print(f"{f'plica, {activation}, {method}':<48} {ours:7.2f} s   {torch_s / ours:4.1f} x")

    print("\nexact trajectory lengths, every layer before and after its activation")
    rng = np.random.default_rng(0)
    for widths in ([784, 256, 256, 256, 256, 10], [64, 64, 64, 64, 64, 64, 64]):
        net = plica.random_network(widths, seed=0, weights="he-normal", bias_std=0.1)
        a, b = rng.uniform(size=(2, widths[0]))
        length = trajectory_length(net, plica.Segment(a, b))
        ours = seconds(lambda n=net, a=a, b=b: trajectory_length(n, plica.Segment(a, b)))
        name = "-".join(map(str, widths))
        print(f"{name:<48} {1000 * ours:7.1f} ms  {length.n_points - 1} pieces, rounding {length.error:.0e}")


if __name__ == "__main__":
    main()
