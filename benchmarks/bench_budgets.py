"""Budgets where they are tight: every engine on large networks, stopped by the clock, by memory and by Ctrl-C.

Each case runs in a process of its own. *late* is how long after ``max_seconds`` the answer came, in processor seconds (so is
the limit: a busy machine does not matter), *over* how much more than ``max_bytes`` the process grew at its peak. Goals: one
second, five percent. What a complex computes when it is read has the budget anew, and is measured by itself. Without arguments
all cases; ``bench_budgets.py resnet20`` those whose name contains the word, ``bench_budgets.py odd`` those of the networks in
``odd_networks.py``.
"""

from __future__ import annotations

import _thread
import json
import os
import platform
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from types import GeneratorType
from typing import Any

import numpy as np
from large_networks import forget_peak, in_own_process, lenet, peak_bytes, published, resnet20, vgg11, window_of, with_costs
from odd_networks import ODD

import plica
import plica.measure
from plica._memory import resident_bytes
from plica.geometry import _budget

_budget.clock = time.process_time
SECONDS = 2.0
BYTES = 1_000_000_000
TIGHT = ((1.0, 300_000_000), (5.0, 1_000_000_000))  # seconds and bytes for odd networks
Question = Callable[[plica.Budget], Any]


def _dense(widths: list[int]) -> plica.Network:
    return plica.random_network(widths, seed=0, weights="he-normal", bias_std=0.5)


def _box(n: int, half: float = 1.0) -> plica.Box:
    return plica.Box([-half] * n, [half] * n)


READINGS: tuple[Callable[[Any], Any], ...] = (
    lambda cx: (cx.outputs, cx.vertices),
    lambda cx: cx.n_regions,
    lambda cx: cx.patterns(),
    lambda cx: cx.affine_maps(),
)


def _read(cx: Any, *readings: Callable[[Any], Any]) -> Iterator[None]:
    """What a complex computes when it is asked for: each reading has the budget of the complex, from its own beginning on."""
    for reading in readings or READINGS:
        yield
        reading(cx)


def _points(network: plica.Network, n: int) -> np.ndarray:
    return np.random.default_rng(0).uniform(size=(n, network.n_inputs))


def _image_questions(network: plica.Network, points: np.ndarray) -> Iterator[tuple[str, Question]]:
    """What is asked of a network on images."""
    segment, path = plica.Segment(*points[:2]), plica.Path(points)
    triangle, window = plica.Plane.through(*points), window_of(points, 0.01)
    yield "line", lambda b: _read(plica.decompose(network, segment, budget=b))
    yield "path", lambda b: plica.decompose(network, path, budget=b)
    yield "plane", lambda b: plica.decompose(network, triangle, budget=b)
    yield "window", lambda b: _read(plica.decompose(network, window, budget=b))
    yield "count", lambda b: plica.count_regions(network, triangle, cells_only=True, budget=b)
    yield "count-window", lambda b: plica.count_regions(network, window, budget=b)
    yield "boundary", lambda b: plica.decision_boundary(network, triangle, budget=b)
    yield "level", lambda b: plica.level_set(network, triangle, budget=b)
    yield "shares", lambda b: plica.measure.class_volumes(network, triangle, in_parts=True, budget=b)
    yield "many", lambda b: list(plica.decompose_many(network, [segment, plica.Segment(*points[1:])], budget=b))
    yield "estimate", lambda b: plica.estimate_cost(network, triangle, budget=b)


def _few_inputs(network: plica.Network, points: np.ndarray, n: int) -> plica.Box:
    """A box in which only the first n inputs vary."""
    low, high = points[0].copy(), points[0].copy()
    low[:n], high[:n] = low[:n] - 0.5, high[:n] + 0.5
    return plica.Box(low, high)


def _finished(network: plica.Network, points: np.ndarray, budget: plica.Budget) -> Any:
    """A complex that fits the budget, for questions about one."""
    return plica.decompose(network, window_of(points, 1e-3), budget=budget)


def _odd_questions(network: plica.Network, points: np.ndarray) -> Iterator[tuple[str, Question]]:
    """All that can be asked of a network, on domains through random points."""
    yield from _image_questions(network, points)
    n = min(3, network.n_inputs)
    yield "box", lambda b: _read(plica.decompose(network, _few_inputs(network, points, n), budget=b))
    yield "count-box", lambda b: plica.count_regions(network, _few_inputs(network, points, n), cells_only=True, budget=b)
    yield "near", lambda b: plica.geometry.cells_near(network, points[0], 1e-3, budget=b)
    yield "along", lambda b: plica.geometry.cells_along(network, points, budget=b)
    yield "extremes", lambda b: _read(_finished(network, points, b), plica.measure.extremes)
    yield "lipschitz", lambda b: _read(_finished(network, points, b), plica.measure.lipschitz)
    yield "export", lambda b: _read(_finished(network, points, b), lambda cx: cx.to_geojson())


def _box_questions(network: plica.Network, box: plica.Box) -> Iterator[tuple[str, Question]]:
    """What is asked of a network on a box."""
    yield "box", lambda b: _read(plica.decompose(network, box, budget=b))
    yield "count", lambda b: plica.count_regions(network, box, cells_only=True, budget=b)
    yield "space", lambda b: plica.decompose(network, plica.Space(network.n_inputs), budget=b)
    yield "estimate", lambda b: plica.estimate_cost(network, box, budget=b)


def _on_images(network: plica.Network | None) -> Iterator[tuple[str, Question]]:
    return iter(()) if network is None else _image_questions(network, _points(network, 3))


NETWORKS: dict[str, Callable[[], Iterator[tuple[str, Question]]]] = {
    "resnet20": lambda: _image_questions(*resnet20()),  # type: ignore[misc]
    "vgg11": lambda: _on_images(vgg11()),
    "lenet-max": lambda: _on_images(lenet("max")),
    "resnet_4b": lambda: _on_images(published("cifar10_resnet/resnet_4b.onnx")),
    "mnist-256x6": lambda: _on_images(published("mnist_fc/onnx/mnist-net_256x6.onnx.gz")),
    "he-800x2": lambda: _box_questions(_dense([2, 800, 800, 1]), _box(2)),
    "he-64x12": lambda: _box_questions(_dense([2, *[64] * 12, 1]), _box(2)),
    "he-3d": lambda: _box_questions(_dense([3, 96, 96, 96, 1]), _box(3)),
    "he-4d": lambda: _box_questions(_dense([4, 64, 64, 1]), _box(4)),
    "he-5d": lambda: _box_questions(_dense([5, 50, 50, 50, 1]), _box(5)),
}
IMAGES = ("line", "path", "plane", "window", "count", "count-window", "boundary", "level", "shares", "many", "estimate")
ODD_ONES = (*IMAGES, "box", "count-box", "near", "along", "extremes", "lipschitz", "export")
BOXES = ("box", "count", "space", "estimate")


def cases() -> list[tuple[str, str]]:
    """Networks and questions."""
    found = [(name, q) for name in NETWORKS for q in (BOXES if name.startswith("he-") else IMAGES)]
    return [*found, *((name, q) for name in ODD for q in ODD_ONES)]


def _questions(name: str) -> Iterator[tuple[str, Question]]:
    if name in NETWORKS:
        return NETWORKS[name]()
    network = ODD[name]()
    return _odd_questions(network, _points(network, 3))


def _interrupt(at: float) -> None:
    """Press Ctrl-C when the process has had so much time."""
    while time.process_time() < at:
        time.sleep(0.01)
    _thread.interrupt_main()


def _one_by_one(asked: Question, budget: plica.Budget, worst: dict[str, Any]) -> None:
    """Ask, and read what comes back reading by reading; of each its own processor seconds and memory."""
    steps: Any = None
    while True:
        forget_peak()
        before, start = resident_bytes(), time.process_time()
        try:
            if steps is None:
                steps = asked(budget)
                if not isinstance(steps, GeneratorType):
                    return
            next(steps)
        except StopIteration:
            return
        finally:
            worst["cpu"] = max(worst["cpu"], time.process_time() - start)
            worst["bytes"] = max(worst["bytes"], peak_bytes() - before)


def run_limited(name: str, question: str, seconds: float | None, n_bytes: int | None) -> dict[str, Any]:
    """One question within a budget; without seconds, interrupted by Ctrl-C after two."""
    asked = dict(_questions(name)).get(question)
    if asked is None:
        return {"skipped": True}
    limits: dict[str, Any] = {} if n_bytes is None else {"max_bytes": n_bytes}
    budget = plica.Budget(**limits) if seconds is None else plica.Budget(max_seconds=seconds, **limits)

    worst: dict[str, Any] = {"cpu": 0.0, "bytes": 0}

    def work() -> dict[str, Any]:
        if seconds is None:
            threading.Thread(target=_interrupt, args=(time.process_time() + SECONDS,), daemon=True).start()
        try:
            _one_by_one(asked, budget, worst)
        except plica.BudgetExceeded as stop:
            return {"stopped": stop.message}
        except KeyboardInterrupt:
            return {"stopped": "interrupted"}
        except plica.PlicaError as error:
            return {"stopped": f"{type(error).__name__}: {error.message}"}
        return {"stopped": ""}

    found = with_costs(work) | worst
    late = found["cpu"] - (SECONDS if seconds is None else seconds)
    return found | {"late": late, "over": None if n_bytes is None else found["bytes"] / n_bytes - 1}


def _limits(name: str, kinds: tuple[str, ...]) -> Iterator[tuple[str, float | None, int | None]]:
    for kind in kinds:
        if kind == "Ctrl-C":
            yield kind, None, None
        else:
            yield from ((f"{s:g} s", s, b) for s, b in (TIGHT if name in ODD else ((SECONDS, BYTES),)))


def main(word: str = "", kinds: tuple[str, ...] = ("clock", "Ctrl-C")) -> None:
    print(f"{platform.machine()}, {os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}; Python {platform.python_version()}")
    tight = " and ".join(f"{s:g} s, {b / 1e9:g} GB" for s, b in TIGHT)
    print(f"budget: {SECONDS:g} s, {BYTES / 1e9:g} GB (odd networks: {tight}); then Ctrl-C after {SECONDS:g} s\n")
    print(f"{'network':<12} {'question':<13} {'kind':<7} {'late s':>7} {'cpu s':>7} {'MB':>7} {'over':>6}  stopped by")
    worst, start = 0.0, time.perf_counter()
    for name, question in cases():
        if word not in (f"{name}/{question}" if word != "odd" or name not in ODD else "odd"):
            continue
        for kind, seconds, n_bytes in _limits(name, kinds):
            row = in_own_process(str(Path(__file__)), "run_limited", name, question, seconds, n_bytes)
            if "error" in row or "skipped" in row:
                print(f"{name:<12} {question:<13} {kind:<7} {row.get('error', 'skipped')}", flush=True)
                continue
            over = "" if row["over"] is None else f"{max(row['over'], 0):.0%}"
            flag = "  <-- missed" if row["late"] > 1 or (row["over"] or 0) > 0.05 else ""
            worst = max(worst, row["late"])
            said = row["stopped"][:70] or "finished"
            numbers = f"{row['late']:>7.2f} {row['cpu']:>7.2f} {row['bytes'] / 1e6:>7.0f} {over:>6}"
            print(f"{name:<12} {question:<13} {kind:<7} {numbers}  {said}{flag}", flush=True)
    print(f"\nthe latest: {worst:.2f} s; {time.perf_counter() - start:.0f} s in all")


if __name__ == "__main__":
    if len(sys.argv) > 2:
        print(json.dumps(globals()[sys.argv[1]](*json.loads(sys.argv[2]))))
    else:
        main(*sys.argv[1:])
