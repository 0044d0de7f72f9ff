"""Ctrl-C in every engine, on large networks: how long after the signal the interrupt comes, and what it leaves behind.

Each network has a process of its own, which is asked one question after the other and gets SIGINT from outside after a while.
*late* is how long after the signal KeyboardInterrupt reaches the caller, by the clock and in processor seconds of the process.
Then nothing may be held (BLAS, threads, children), and a small plane, a line and a box must have the same bytes as before. Goal:
one second. Without arguments all cases; ``bench_interrupts.py resnet20/line 0.5 3`` those of the name, with these delays.
"""

from __future__ import annotations

import hashlib
import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
from large_networks import lenet, published, resnet20, vgg11, window_of

import plica
from plica import _parallel, landscape, measure, robust
from plica.geometry import _aside, cells_along, cells_near

DELAYS = (0.3, 1.0, 3.0)
GOAL_S = 1.0
LONGEST_S = 60.0  # for one answer; a process that takes longer is ended
Work = Callable[[], Any]
Question = Callable[[], Work]  # prepares what is not interrupted, and gives what is


def _dense(*widths: int) -> plica.Network:
    return plica.random_network(list(widths), seed=0, weights="he-normal", bias_std=0.5)


def _box(n: int, half: float = 1.0) -> plica.Box:
    return plica.Box([-half] * n, [half] * n)


def _on_images(network: plica.Network, points: np.ndarray) -> Iterator[tuple[str, Question]]:
    """What is asked of a network on images."""
    segment, path, triangle = plica.Segment(*points[:2]), plica.Path(points), plica.Plane.through(*points)
    window, short = window_of(points, 0.01), plica.Segment(points[0], points[0] + 0.01 * (points[1] - points[0]))
    both = [segment, plica.Segment(*points[1:])]
    yield "line", lambda: lambda: plica.decompose(network, segment)
    yield "path", lambda: lambda: cells_along(network, points)
    yield "many", lambda: lambda: list(plica.decompose_many(network, both))
    yield "line-maps", lambda: _reading(plica.decompose(network, short))
    yield "length", lambda: lambda: measure.trajectory_length(network, path)
    yield "plane", lambda: lambda: plica.decompose(network, triangle)
    yield "window", lambda: lambda: plica.decompose(network, window)
    yield "count", lambda: lambda: plica.count_regions(network, triangle, cells_only=True)
    yield "boundary", lambda: lambda: plica.decision_boundary(network, triangle)
    yield "level", lambda: lambda: plica.level_set(network, triangle)
    yield "shares", lambda: lambda: measure.class_volumes(network, triangle, in_parts=True)
    yield "stream", lambda: lambda: measure.stream_values(network, triangle, levels=[0.0])
    yield "estimate", lambda: lambda: plica.estimate_cost(network, triangle)
    yield "radius", lambda: lambda: robust.certified_radius(network, points[0])
    yield "distance", lambda: lambda: robust.class_distance(network, points[0])


def _on_boxes(network: plica.Network, half: float = 1.0) -> Iterator[tuple[str, Question]]:
    """What is asked of a network with few inputs."""
    n = network.n_inputs
    box = _box(n, half)
    yield "box", lambda: lambda: plica.decompose(network, box)
    yield "count", lambda: lambda: plica.count_regions(network, box, cells_only=True)
    yield "near", lambda: lambda: cells_near(network, [0.1] * n, 0.9 * half)
    yield "space", lambda: lambda: plica.decompose(network, plica.Space(n))
    yield "stream", lambda: lambda: measure.stream_values(network, box, levels=[0.0])
    yield "estimate", lambda: lambda: plica.estimate_cost(network, box)
    yield "class-topology", lambda: lambda: measure.level_topology(network, box, 0.0)


def _reading(cx: Any) -> Work:
    def read() -> None:
        _ = cx.outputs, cx.n_regions, cx.vertices
        _ = cx.patterns(), cx.affine_maps()
        for i in range(cx.n_cells):
            cx.exact_map(i)

    return read


def _measures(network: plica.Network, half: float) -> Iterator[tuple[str, Question]]:
    """What is read of a finished complex, again and again."""
    made: dict[str, Any] = {}

    def cx() -> Any:
        if "cx" not in made:
            made["cx"] = plica.decompose(network, _box(network.n_inputs, half))
        return made["cx"]

    def again(read: Callable[[Any], Any]) -> Question:
        def question() -> Work:
            found = cx()

            def work() -> None:
                for _ in range(1000):
                    read(found)

            return work

        return question

    yield "maps", lambda: _reading(plica.decompose(network, _box(network.n_inputs, half)))
    yield "extremes", again(measure.extremes)
    yield "moments", again(lambda c: measure.moments(c, order=4))
    yield "distribution", again(measure.distribution)
    yield "lipschitz", again(measure.lipschitz)
    yield "topology", again(lambda c: measure.union_topology(c, np.asarray(c.outputs).mean() < np.arange(c.n_cells)))
    yield "persistence", again(measure.persistence)
    yield "critical", again(measure.critical_points)
    yield "dual", again(measure.dual_graph)
    yield "definitions", again(measure.region_definitions)
    yield "sizes", again(measure.cell_sizes)
    yield "functional", again(measure.functional_dimension)


def _weights() -> Iterator[tuple[str, Question]]:
    """Lines and planes of losses."""
    from plica.learn import mlp

    a, b = (mlp([16, 96, 96, 4], seed=s) for s in (0, 1))
    rng = np.random.default_rng(0)
    x, y = rng.normal(size=(4000, 16)), rng.normal(size=(4000, 4))
    directions = tuple(landscape.random_direction(a, seed=s) for s in (0, 1))
    one_layer = tuple(landscape.one_layer(d, "0") for d in directions)
    yield "loss-line", lambda: lambda: landscape.loss_line(a, b, x, y)
    yield "loss-plane", lambda: lambda: landscape.loss_plane(a, x, y, one_layer)
    yield "loss-surface", lambda: lambda: landscape.loss_surface(a, x, y, directions, coarse=64, levels=4)


def _acas() -> Iterator[tuple[str, Question]]:
    found = published("acasxu_2023/onnx/ACASXU_run2a_1_1_batch_2000.onnx.gz")
    if found is None:
        return
    network = found
    text = "".join(f"(declare-const X_{i} Real)" for i in range(5)) + "".join(f"(declare-const Y_{i} Real)" for i in range(5))
    text += "".join(f"(assert (>= X_{i} -0.3)) (assert (<= X_{i} 0.3))" for i in range(5))
    hard = robust.parse_vnnlib(text + "".join(f"(assert (<= Y_0 Y_{i}))" for i in range(1, 5)))
    small = plica.Box([0.25, -0.05, -0.05, 0.3, 0.3], [0.35, 0.05, 0.05, 0.4, 0.4])
    yield "verify", lambda: lambda: robust.verify(network, hard)
    yield "volume", lambda: lambda: robust.violating_volume(network, hard)
    yield "distance", lambda: lambda: robust.class_distance(network, [0.1] * 5)
    yield "radius", lambda: lambda: [robust.certified_radius(network, [0.1] * 5, method="program") for _ in range(1000)]
    yield "maximum", lambda: lambda: robust.maximizing_input(network, small)
    yield "box", lambda: lambda: plica.decompose(network, small)
    yield "estimate", lambda: lambda: plica.estimate_cost(network, small)


def _three(network: plica.Network) -> np.ndarray:
    return np.random.default_rng(0).uniform(size=(3, network.n_inputs))


def _of(network: plica.Network | None) -> Iterator[tuple[str, Question]]:
    return iter(()) if network is None else _on_images(network, _three(network))


NETWORKS: dict[str, Callable[[], Iterator[tuple[str, Question]]]] = {
    "resnet20": lambda: _on_images(*resnet20()),  # type: ignore[misc]
    "vgg11": lambda: _of(vgg11()),
    "lenet-max": lambda: _of(lenet("max")),
    "resnet_4b": lambda: _of(published("cifar10_resnet/resnet_4b.onnx")),
    "mnist-256x6": lambda: _of(published("mnist_fc/onnx/mnist-net_256x6.onnx.gz")),
    "acas": _acas,
    "he-800x2": lambda: _on_boxes(_dense(2, 800, 800, 1)),
    "he-48x24": lambda: _on_boxes(_dense(2, *[24] * 48, 1), 4.0),
    "he-24x48": lambda: _on_boxes(_dense(2, *[48] * 24, 1), 4.0),
    "he-3d": lambda: _on_boxes(_dense(3, 96, 96, 96, 1)),
    "he-4d": lambda: _on_boxes(_dense(4, 64, 64, 1)),
    "read-2d": lambda: _measures(_dense(2, 96, 96, 96, 2), 1.0),
    "read-3d": lambda: _measures(_dense(3, 24, 24, 2), 1.0),
    "weights": _weights,
}


# -- the process that is interrupted ---------------------------------------------------------------------------------------


def _digest() -> str:
    """Of all that a small plane, a line and a box say."""
    plane, space = _dense(2, 24, 24, 2), _dense(3, 6, 6, 1)
    domains = ((plane, _box(2)), (plane, plica.Segment([-1.0, -0.5], [1.0, 0.25])), (space, _box(3)))
    digest = hashlib.sha256()
    for network, domain in domains:
        cx = plica.decompose(network, domain)
        for array in (cx.vertices, cx.regions, *cx.patterns()):
            digest.update(np.ascontiguousarray(array).tobytes())
    return digest.hexdigest()


def left_behind() -> str:
    """What is still held or running that should not be."""
    found = [] if _parallel._held["by"] == 0 else ["BLAS is held"]
    found += ["the threads are lent"] if _parallel._pool.lock.locked() else []
    others = [t for t in threading.enumerate() if t is not threading.main_thread()]
    found += [f"thread {t.name}" for t in others if t.name != "plica"]
    found += [] if sum(t.name == "plica" for t in others) < (os.cpu_count() or 1) else ["too many threads"]
    place, compiling = Path(f"/proc/{os.getpid()}/task/{os.getpid()}/children"), _aside._compiler._process
    children = set(place.read_text(encoding="ascii").split()) if place.exists() else set()
    found += ["a child"] if children - {str(compiling.pid) if compiling is not None else ""} else []  # that one ends by itself
    return ", ".join(found)


def child(name: str, words: list[str]) -> None:
    """Answer for each question and delay that comes by a line; ready, interrupted and the state afterwards go out as lines."""
    is_computing = False

    def interrupt(*_: object) -> None:
        if is_computing:
            raise KeyboardInterrupt

    signal.signal(signal.SIGINT, interrupt)
    expected = _digest()
    questions = {q: work for q, work in NETWORKS[name]() if not words or q in words}
    print(json.dumps(sorted(questions, key=list(questions).index)), flush=True)
    for line in sys.stdin:
        try:
            work = questions[line.strip()]()
        except plica.PlicaError as error:
            print(json.dumps({"refused": error.message}), flush=True)
            continue
        outcome, cpu = "finished", time.process_time()
        print(json.dumps({"ready": True}), flush=True)
        try:
            is_computing = True
            work()
            is_computing = False
        except KeyboardInterrupt:
            outcome = "interrupted"
        except plica.PlicaError as error:
            outcome = f"{type(error).__name__}: {error.message}"
        except Exception as error:
            outcome = f"WRONG {type(error).__name__}: {error}"
        finally:
            is_computing = False
        at, used = time.monotonic(), time.process_time() - cpu
        state = left_behind() or ("" if _digest() == expected else "other numbers")
        print(json.dumps({"outcome": outcome, "at": at, "cpu": used, "left": state}), flush=True)


# -- the process that interrupts -------------------------------------------------------------------------------------------


def _cpu_of(pid: int) -> float:
    fields = Path(f"/proc/{pid}/stat").read_text(encoding="ascii").rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def ask(process: subprocess.Popen[str], question: str, delay: float) -> dict[str, Any]:
    """One question, interrupted after a delay."""
    assert process.stdin is not None and process.stdout is not None
    process.stdin.write(question + "\n")
    process.stdin.flush()
    ready = json.loads(process.stdout.readline())
    if "refused" in ready:
        return {"outcome": ready["refused"], "late": 0.0, "late_cpu": 0.0, "left": ""}
    time.sleep(delay)
    sent, cpu = time.monotonic(), _cpu_of(process.pid)
    process.send_signal(signal.SIGINT)
    stop = threading.Timer(LONGEST_S, process.kill)
    stop.start()
    line = process.stdout.readline()
    used = _cpu_of(process.pid) - cpu if line else LONGEST_S
    stop.cancel()
    if not line:
        return {"outcome": f"killed after {LONGEST_S:g} s", "late": LONGEST_S, "late_cpu": used, "left": "killed"}
    found: dict[str, Any] = json.loads(line)
    late = found["at"] - sent if found["outcome"] == "interrupted" else 0.0
    return found | {"late": late, "late_cpu": min(used, late * (os.cpu_count() or 1))}


def start(name: str, questions: list[str]) -> tuple[subprocess.Popen[str], list[str]]:
    command = [sys.executable, __file__, "child", json.dumps([name, questions])]
    process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    line = process.stdout.readline()
    while line and not line.startswith("["):  # what is missing here
        line = process.stdout.readline()
    return process, json.loads(line) if line else []


def trials(name: str, questions: list[str], delays: tuple[float, ...]) -> Iterator[tuple[str, float, dict[str, Any]]]:
    """Every question with every delay; a process that had to be killed is replaced."""
    process, found = start(name, questions)
    try:
        for question in found:
            for delay in delays:
                row = ask(process, question, delay)
                yield question, delay, row
                if process.poll() is not None or row["left"] == "killed":
                    process.wait()
                    process, _ = start(name, questions)
                if row["outcome"] == "finished":
                    break
    finally:
        process.kill()
        process.wait()


def main(word: str = "", *given: str) -> None:
    delays = tuple(map(float, given)) or DELAYS
    print(f"{os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}; Ctrl-C after {', '.join(map(str, delays))} s\n")
    print(f"{'network':<12} {'question':<14} {'after':>6} {'late s':>7} {'cpu s':>7}  outcome")
    wanted, _, only = word.partition("/")
    worst, n, n_late = 0.0, 0, 0
    for name in NETWORKS:
        if wanted not in name:
            continue
        for question, delay, row in trials(name, [only] if only else [], delays):
            is_late = row["late_cpu"] > GOAL_S or bool(row["left"]) or row["outcome"].startswith("WRONG")
            n, n_late, worst = n + (row["outcome"] == "interrupted"), n_late + is_late, max(worst, row["late"])
            said = row["outcome"][:60] + (f"; left: {row['left']}" if row["left"] else "") + ("  <-- missed" if is_late else "")
            print(f"{name:<12} {question:<14} {delay:>6g} {row['late']:>7.2f} {row['late_cpu']:>7.2f}  {said}", flush=True)
    print(f"\n{n} interrupts, {n_late} missed, the latest {worst:.2f} s")


def answers(name: str, question: str, delays: list[float]) -> None:
    """For the tests: what happened, as one line."""
    print(json.dumps([row for _, _, row in trials(name, [question], tuple(delays))]))


if __name__ == "__main__":
    if len(sys.argv) > 2 and sys.argv[1] in ("child", "answers"):
        globals()[sys.argv[1]](*json.loads(sys.argv[2]))
    else:
        main(*sys.argv[1:])
