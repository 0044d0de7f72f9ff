"""Large networks and what they cost: LeNet-5 on planes through digits, ResNet-20, VGG-11's shape, and curves with slopes.

LeNet-5 is trained a little on MNIST (skipped, saying so, where the digits are not at hand). Seconds are processor seconds, limits
too; memory is what the process grew by at its peak, in a process of its own, training left out. Slopes are those of straight
lines through logarithms: time ~ cells^slope. Limits of time keep the whole within half an hour on an idle machine.

    python benchmarks/bench_scale.py [images] [estimates] [curves] [--record docs/scale.json]

Without names of parts all of them; what is recorded is drawn on a page of the documentation.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from large_networks import (
    in_own_process,
    lenet,
    published,
    resnet20,
    trained_lenet,
    vgg11,
    vgg11_with_head,
    window_of,
    with_costs,
)

import plica
from plica.geometry import _budget

_budget.clock = time.process_time  # so that a busy machine does not matter
GIGABYTES = 4


def limited(seconds: float, work: Callable[[plica.Budget], dict[str, Any]]) -> dict[str, Any]:
    """The answer and its cost, or how far it came within the budget."""

    def within() -> dict[str, Any]:
        try:
            return work(plica.Budget(max_seconds=seconds, max_bytes=GIGABYTES * 2**30))
        except plica.BudgetExceeded as stop:
            curves = stop.partial.get("curves")
            found = {} if curves is None else {"segments": len(curves.segments), "length": curves.length, "tiles": curves.n_tiles}
            return {"cells": stop.partial["n_cells"], "stopped": stop.message} | found

    return with_costs(within)


def counted(network: plica.Network, domain: Any, seconds: float) -> dict[str, Any]:
    return limited(seconds, lambda b: {"cells": plica.count_regions(network, domain, cells_only=True, budget=b).n_cells})


def decomposed(network: plica.Network, domain: Any, seconds: float) -> dict[str, Any]:
    return limited(seconds, lambda b: {"cells": plica.decompose(network, domain, budget=b).n_cells})


def bounded(network: plica.Network, domain: Any, seconds: float) -> dict[str, Any]:
    def work(budget: plica.Budget) -> dict[str, Any]:
        curves = plica.decision_boundary(network, domain, budget=budget)
        return {"cells": len(curves.segments), "free": curves.skipped}

    return limited(seconds, work)


def run_lenet_count(pool: str, seconds: float) -> dict[str, Any]:
    given = trained_lenet(pool)
    return {} if given is None else counted(*given, seconds)


def run_lenet_boundary(pool: str, seconds: float) -> dict[str, Any]:
    given = trained_lenet(pool)
    return {} if given is None else bounded(*given, seconds)


def run_vgg(width: float, seconds: float) -> dict[str, Any]:
    return decomposed(vgg11(), window_of(np.random.default_rng(0).uniform(size=(3, 3072)), width), seconds)


def run_vgg_count(width: float, seconds: float) -> dict[str, Any]:
    return counted(vgg11(), window_of(np.random.default_rng(0).uniform(size=(3, 3072)), width), seconds)


def run_vgg_boundary(width: float, seconds: float) -> dict[str, Any]:
    return bounded(vgg11(), window_of(np.random.default_rng(0).uniform(size=(3, 3072)), width), seconds)


def run_vgg_images(samples: int | None, seconds: float) -> dict[str, Any]:
    """The boundary between three images: all of it, with its proof, or the curves that pass between samples."""
    network, images = vgg11_with_head()

    def work(budget: plica.Budget) -> dict[str, Any]:
        curves = plica.decision_boundary(network, plica.Plane.through(*images), samples=samples, budget=budget)
        return {"cells": len(curves.segments), "length": curves.length, "tiles": curves.n_tiles, "free": curves.skipped}

    return limited(seconds, work)


def run_vgg_line(share: float, seconds: float) -> dict[str, Any]:
    a, b = np.random.default_rng(0).uniform(size=(3, 3072))[:2]
    return decomposed(vgg11(), plica.Segment(a, a + share * (b - a)), seconds)


def run_resnet20_line(is_trained: bool, seconds: float, share: float = 1.0) -> dict[str, Any]:
    given = resnet20(is_trained=is_trained)
    if given is None:
        return {}
    a, b = given[1][:2]
    return decomposed(given[0], plica.Segment(a, a + share * (b - a)), seconds)


def run_published_line(name: str, seconds: float) -> dict[str, Any]:
    network = published(name)
    ends = np.random.default_rng(0).uniform(size=(2, 3072))
    return {} if network is None else decomposed(network, plica.Segment(*ends), seconds)


def run_estimate(case: int) -> dict[str, Any]:
    """What a decomposition was said to cost."""
    network, domain = estimated_cases()[case]
    cost = plica.estimate_cost(network, domain)
    return {"cells": cost.n_cells, "cpu": cost.seconds, "bytes": cost.bytes}


def run_estimated(case: int) -> dict[str, Any]:
    """What it did cost."""
    return twice(*estimated_cases()[case])


def twice(network: plica.Network, domain: Any) -> dict[str, Any]:
    """What a decomposition costs: memory the first time, processor time the second, when all kernels are loaded."""
    first = decomposed(network, domain, 120.0)
    return first if "stopped" in first else decomposed(network, domain, 120.0) | {"bytes": first["bytes"]}


def estimated_cases() -> list[tuple[plica.Network, Any]]:
    shapes = [(2, [64] * 4), (2, [128] * 4), (2, [256] * 2), (2, [32] * 12), (3, [64] * 2), (4, [32] * 2), (5, [20] * 2)]
    boxes: list[tuple[plica.Network, Any]] = [(he([n, *widths, 1]), plica.Box([-1] * n, [1] * n)) for n, widths in shapes]
    rng = np.random.default_rng(0)
    lines = [he([784, *[256] * 4, 10]), he([2, *[400] * 3, 1])]
    image = (lenet("average"), window_of(rng.uniform(size=(3, 784)), 0.02))
    return [*boxes, *((net, plica.Segment(*rng.uniform(size=(2, net.n_inputs)))) for net in lines), image]


def he(widths: list[int]) -> plica.Network:
    return plica.random_network(widths, seed=0, weights="he-normal", bias_std=0.5)


def measured(name: str, *args: Any) -> dict[str, Any]:
    return in_own_process(__file__, name, *args)


record: dict[str, Any] = {}  # what was measured, by part and title


def show(title: str, name: str, *args: Any, what: str = "cells", goal: str = "") -> None:
    """One line about one run."""
    row = measured(name, *args)
    if "error" in row or not row:
        print(f"{title}: {row.get('error', 'skipped')}", flush=True)
        return
    record.setdefault("images", {})[title.strip()] = row
    free = f", {row['free']:.1%} of the window proved free" if "free" in row else ""
    found = f"stopped: {row['stopped']}" if "stopped" in row else f"{row['cells']:,} {what}{free}"
    found += f"; {row['segments']:,} segments of length {row['length']:.3g} so far" if "segments" in row else ""
    print(f"{title}: {found}; {row['cpu']:.1f} s{goal}, {row['bytes'] / 1e6:.0f} MB", flush=True)


def run_plane(width: int, depth: int, scale: float) -> dict[str, Any]:
    network = he([2, *[width] * depth, 1])
    return twice(network, plica.Box([-scale] * 2, [scale] * 2))


def run_line(inputs: int, width: int) -> dict[str, Any]:
    network = he([inputs, *[width] * 3, 1])
    return twice(network, plica.Segment(*np.random.default_rng(0).normal(size=(2, inputs))))


def slope(x: list[float], y: list[float]) -> float:
    return float(np.polyfit(np.log(x), np.log(np.maximum(y, 1e-9)), 1)[0])


def curve(title: str, name: str, cases: list[tuple[Any, ...]], against: str, axis: Any) -> None:
    rows = [measured(name, *case) for case in cases]
    if any("error" in row for row in rows):
        print(f"\n{title}: {next(row['error'] for row in rows if 'error' in row)}")
        return
    print(f"\n{title}\n  {against:>10} {'cells':>10} {'cpu s':>9} {'MB':>8}")
    xs = []
    for case, row in zip(cases, rows, strict=True):
        xs.append(float(axis(case, row)))
        print(f"  {xs[-1]:>10,.0f} {row['cells']:>10,} {row['cpu']:>9.3f} {row['bytes'] / 1e6:>8.1f}")
    slopes = [slope(xs, [row[key] + least for row in rows]) for key, least in (("cpu", 0), ("bytes", 1))]
    print(f"  slopes: time {slopes[0]:.2f}, memory {slopes[1]:.2f}")
    record.setdefault("curves", {})[title] = {"against": against, "x": xs, "rows": rows, "slopes": slopes}


def estimates() -> None:
    print("\nsaid beforehand by plica.estimate_cost, and measured")
    print(f"  {'domain':<22} {'cells':>9} {'said':>9} {'cpu s':>8} {'ratio':>6} {'MB':>7} {'ratio':>6}")
    for i, (network, domain) in enumerate(estimated_cases()):
        said, true = measured("run_estimate", i), measured("run_estimated", i)
        if "error" in said or "error" in true or "stopped" in true:
            print(f"  {i}: {said.get('error') or true.get('error') or true['stopped']}")
            continue
        title = f"{type(domain).__name__} {network.n_inputs}-{'-'.join(str(network.nodes[k].size) for k in network.layers)}"
        ratios = [said[k] / max(true[k], 1e-9) for k in ("cpu", "bytes")]
        record.setdefault("estimates", {})[title] = {"said": said, "measured": true}
        print(
            f"  {title[:22]:<22} {true['cells']:>9,} {said['cells']:>9,.0f} {true['cpu']:>8.2f} {ratios[0]:>6.2f} "
            f"{true['bytes'] / 1e6:>7.1f} {ratios[1]:>6.2f}",
            flush=True,
        )


def images() -> None:
    for pool in ("average", "max"):
        show(f"LeNet-5, {pool} pooling, triangle of three digits", "run_lenet_count", pool, 120.0, goal=" (goal 60)")
        show(f"LeNet-5, {pool} pooling, decision boundary", "run_lenet_boundary", pool, 60.0, what="segments", goal=" (goal 10)")
    show("resnet_4b, a segment", "run_published_line", "cifar10_resnet/resnet_4b.onnx", 60.0, goal=" (goal 3)")
    for is_trained in (False, True):
        kind = "trained a little" if is_trained else "random"
        show(f"ResNet-20, {kind}, 1/50 of a segment", "run_resnet20_line", is_trained, 60.0, 1 / 50)
        show(f"ResNet-20, {kind}, a segment", "run_resnet20_line", is_trained, 180.0, goal=" (goal 30)")
    show("VGG-11's shape, window of 1e-4", "run_vgg", 1e-4, 60.0)
    show("VGG-11's shape, window of 1e-3", "run_vgg", 1e-3, 60.0)
    show("VGG-11's shape, window of 1e-2, in tiles", "run_vgg_count", 1e-2, 400.0)
    show("VGG-11's shape, window of 1e-2, decision boundary", "run_vgg_boundary", 1e-2, 400.0, what="segments")
    show("VGG-11, triangle of three images, curves between 12 x 12 samples", "run_vgg_images", 12, 2000.0, what="segments")
    show("the same with a proof for the whole triangle", "run_vgg_images", None, 300.0, what="segments")
    show("VGG-11's shape, 1/100 of a segment", "run_vgg_line", 0.01, 60.0, what="pieces")


def curves() -> None:
    curve(
        "planes against cells (2-128-128-128-1, larger and larger boxes)", "run_plane",
        [(128, 3, s) for s in (0.25, 0.5, 1.0, 2.0, 4.0)], "cells", lambda case, row: row["cells"],
    )  # fmt: skip
    curve(
        "planes against units (three layers)",
        "run_plane",
        [(w, 3, 1.0) for w in (32, 64, 128, 256)],
        "units",
        lambda c, r: 3 * c[0],
    )
    curve("lines against inputs (256 wide)", "run_line", [(n, 256) for n in (16, 128, 1024)], "inputs", lambda c, r: c[0])
    curve("lines against units (three layers)", "run_line", [(64, w) for w in (64, 256, 1024)], "units", lambda c, r: 3 * c[1])


PARTS = {"images": images, "estimates": estimates, "curves": curves}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("parts", nargs="*", choices=[[], *PARTS], default=[])
    parser.add_argument("--record", type=Path, help="a file that keeps what was measured, part by part")
    options = parser.parse_args()
    machine = f"{platform.machine()}, {os.cpu_count()} cores, Python {platform.python_version()}"
    print(f"{machine}, load {os.getloadavg()[0]:.1f}\n")
    for name in options.parts or PARTS:
        PARTS[name]()
    if options.record is not None:
        known = json.loads(options.record.read_text(encoding="utf-8")) if options.record.exists() else {}
        options.record.write_text(json.dumps(known | record | {"machine": machine}, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    if len(sys.argv) == 3 and sys.argv[1].startswith("run_"):
        print(json.dumps(globals()[sys.argv[1]](*json.loads(sys.argv[2]))))
    else:
        main()
