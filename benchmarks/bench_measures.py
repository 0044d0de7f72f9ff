"""What the complex knows, and how long it takes: each quantity beside the decomposition itself and beside sampling.

    python benchmarks/bench_measures.py [--widths 2,64,64,64,64,2] [--seed 0]

Times are processor seconds of this process, the least of five runs (of one, where they are long) after one that compiles. Ratios
are to the decomposition of the network; of a comparison, to that of the size of the difference, whose cells it sums over.
The last column is what sampling gives for the same work, with its error against the exact number.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from typing import Any

import numpy as np

import plica
from plica.measure import (
    class_topology,
    class_volumes,
    compare,
    critical_points,
    distribution,
    dual_graph,
    extremes,
    integrated_gradients,
    lipschitz,
    moments,
    persistence,
    region_definitions,
)
from plica.network import Rectifier, difference, extended


def timed(work: Callable[[], Any]) -> tuple[float, Any]:
    """Processor seconds of the best run after the first, and its result."""
    result, best = work(), float("inf")
    for _ in range(5):
        start = time.process_time()
        result = work()
        best = min(best, time.process_time() - start)
        if best > 1.0:
            break
    return best, result


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--widths", default="2,64,64,64,64,2")
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    widths = [int(n) for n in options.widths.split(",")]
    net = plica.random_network(widths, seed=options.seed, weights="he-normal", bias_std=0.1)
    box = plica.Box([-1] * widths[0], [1] * widths[0])
    base, cx = timed(lambda: plica.decompose(net, box))
    print(f"{cx!r}\ndecomposition {base:.3f} s of processor time")
    x = np.random.default_rng(1).uniform(-1, 1, (100_000, widths[0]))
    start = time.process_time()
    y = net(x)
    sampling = time.process_time() - start
    print(f"sampling: {len(x):,} points in {sampling:.3f} s\n")

    def line(name: str, work: Callable[[], Any], sampled: Callable[[Any], str], base: float = base) -> None:
        seconds, found = timed(work)
        print(f"{name:24} {seconds:8.3f} s {seconds / base:6.2f} x   {found!r:70.70}   {sampled(found)}", flush=True)

    line("outputs, affine maps", lambda: cx.affine_maps().matrices.shape, lambda f: "")
    line("extremes", lambda: extremes(cx), lambda f: f"sampled maximum off by {float(f.maximum) - y[:, 0].max():.2e}")
    line("moments", lambda: moments(cx), lambda f: f"sampled mean off by {abs(y[:, 0].mean() - float(f.mean)):.2e}")
    line("distribution", lambda: distribution(cx), lambda f: "")
    found = distribution(cx)
    t = float(np.median(y[:, 0]))
    line("cdf at one t", lambda: found.cdf(t), lambda f: f"sampled 0.5 off by {abs(f[0] - 0.5):.2e}")
    shares = np.bincount(y.argmax(axis=1), minlength=widths[-1]) / len(y)
    line("class volumes", lambda: class_volumes(net, box), lambda f: f"sampled off by {np.abs(f.shares - shares).max():.2e}")
    for norm in ("l1", "l2", "linf"):
        line(
            f"Lipschitz, {norm}",
            lambda norm=norm: lipschitz(cx, norm=norm),
            lambda f: f"10,000 sampled gradients: {f.sampled(10_000, seed=0) / float(f):.4f} of it; product bound {f.gap:.1f} x",
        )
    line("Lipschitz, intervals", lambda: lipschitz(cx).interval_bound, lambda f: "an upper bound")
    a, b = x[:2]
    line(
        "integrated gradients",
        lambda: integrated_gradients(net, a, b),
        lambda f: " ".join(f"{n}: {np.abs(f.riemann(n) - f.values).max() / np.abs(f.values).max():.1e}" for n in (10, 50, 300)),
    )
    way = plica.Segment(a, b)
    other = plica.random_network(widths, seed=options.seed + 1, weights="he-normal", bias_std=0.1)
    line("compare on a line", lambda: compare(net, other, way), lambda f: f"{f.n_cells} pieces")
    half = in_half_precision(net)
    size = extended(difference(net, half), [Rectifier(np.array(-1.0))])
    gap, _ = timed(lambda: plica.decompose(size, box))
    line("compare with half", lambda: compare(net, half, box), lambda f: f"{f.n_cells:,} cells, decomposed in {gap:.3f} s", gap)
    line("dual graph", lambda: dual_graph(cx), lambda f: f"diameter {f.diameter}, radius {f.radius}")
    line("definitions of regions", lambda: region_definitions(cx), lambda f: "")
    line("topology of class 0", lambda: class_topology(net, box, 0), lambda f: f"{f.complex.n_cells:,} cells")
    line("persistence", lambda: persistence(cx), lambda f: "")
    line("critical points", lambda: critical_points(cx), lambda f: "")
    for d in (3, 4):
        space(d, options.seed)


def in_half_precision(net: plica.Network) -> plica.Network:
    """The weights of all dense layers rounded to float16."""
    ops = [node.op for node in net.nodes[1:]]
    half = [type(op)(op.weight.astype(np.float16).astype(float), op.bias) if hasattr(op, "weight") else op for op in ops]
    return plica.Network.sequential(net.n_inputs, half)


def space(d: int, seed: int) -> None:
    """Betti numbers of a decision region, persistence and critical points in three and four dimensions."""
    net = plica.random_network([d, 60, 60, 1] if d == 3 else [d, 28, 20, 1], seed=seed, weights="he-normal", bias_std=0.5)
    box = plica.Box([-1] * d, [1] * d)
    base, cx = timed(lambda: plica.decompose(net, box))
    print(f"\n{cx!r}\ndecomposition {base:.3f} s of processor time")
    quantities = {
        "topology of class 1": lambda: class_topology(net, box, 1),
        "persistence": lambda: persistence(cx),
        "critical points": lambda: critical_points(cx),
    }
    for name, work in quantities.items():
        seconds, found = timed(work)
        print(f"{name:24} {seconds:8.3f} s {seconds / base:6.2f} x   {found!r:.100}", flush=True)


if __name__ == "__main__":
    main()
