"""The landscape beside other tools: a surface by points, a curvature by products, and how long exact lines take.

Surfaces: the same 51 x 51 points of one plane of weights (the size of Li et al. 2018), by loss-landscapes and by plica, both in
single precision on one thread; processor time per point, setting up included, and the largest difference from networks in double
precision. Goal: 10 times faster per point at equal accuracy. The first layer that moves costs nothing at a point, nor does the
second one of a dense network; what is left has to be multiplied at each point by anyone, so that not much more than all products
over those that are left can be reached (``bound``): 3.5 for 784-512-512-512-10. The peer loses half of its time for LeNet-5 in
maxima, so that there more would be possible; our point is half a convolution by torch. Networks with one hidden layer and few
outputs are multiplied at each point; a point of 64-32-10 goes into exponentials and, with 100 samples, into setting up.

Curvature: the largest eigenvalue of LeNet-300-100's Hessian by plica (16 products, residual 5e-14 in double precision, 1.4 s)
and by PyHessian (residual 2e-3 in single precision, 0.3 s). Lines: exact losses of LeNet-300-100 on MNIST, a thousand
images in about 8 processor seconds. ``pip install loss-landscapes pyhessian`` for the peers; without MNIST (``PLICA_DATA``)
images are noise.
"""

from __future__ import annotations

import os

os.environ.setdefault("OMP_NUM_THREADS", "1")

import copy
import time
from collections.abc import Callable
from importlib import import_module
from typing import Any

import numpy as np
import torch
from torch import nn

import plica.data
from plica.errors import PlicaError
from plica.landscape import Curvature, loss_line, loss_surface, moved, random_direction, top_eigenpairs
from plica.learn import fit, mlp

SIDE = 51
GOAL = 10.0
N_PEER = 120  # points that the peer evaluates: it needs the same time for each


def peer(name: str) -> Any:
    """Another tool, or None if it is not installed."""
    try:
        return import_module(name)
    except ImportError:
        print(f"{name} is not installed")
        return None


def images() -> tuple[np.ndarray, np.ndarray]:
    try:
        data = plica.data.load("mnist")
        return data.flat[:6000].astype(np.float32), np.asarray(data.y)[:6000]
    except PlicaError as error:
        print(f"noise instead of MNIST: {error}")
        rng = np.random.default_rng(0)
        return rng.uniform(size=(6000, 784)).astype(np.float32), rng.integers(0, 10, size=6000)


def timed(call: Callable[[], Any]) -> tuple[float, Any]:
    start = time.process_time()
    found = call()
    return time.process_time() - start, found


def plain(model: nn.Module, x: np.ndarray, y: np.ndarray) -> float:
    """Cross-entropy in double precision."""
    with torch.no_grad():
        return float(nn.functional.cross_entropy(model(torch.from_numpy(x).double()), torch.from_numpy(y)))


def surfaces(x: np.ndarray, y: np.ndarray) -> None:
    tool = peer("loss_landscapes")
    conv = nn.Sequential(
        nn.Unflatten(1, (1, 28, 28)), nn.Conv2d(1, 6, 5), nn.ReLU(), nn.MaxPool2d(2), nn.Conv2d(6, 16, 5), nn.ReLU(),
        nn.MaxPool2d(2), nn.Flatten(), nn.Linear(256, 84), nn.ReLU(), nn.Linear(84, 10),
    )  # fmt: skip
    small = x.reshape(-1, 28, 28)[:, 2:26, 2:26].reshape(-1, 8, 3, 8, 3).mean(axis=(2, 4)).reshape(-1, 64)
    cases = [
        ("LeNet-300-100", mlp([784, 300, 100, 10], seed=0), x[:1000], 1000),
        ("LeNet-300-100", mlp([784, 300, 100, 10], seed=0), x[:100], 100),
        ("64-32-10", mlp([64, 32, 10], seed=0), small[:1000], 1000),
        ("64-32-10", mlp([64, 32, 10], seed=0), small[:100], 100),
        ("784-512-512-512-10", mlp([784, 512, 512, 512, 10], seed=0), x[:1000], 1000),
        ("LeNet-5", conv, x[:200], 200),
    ]
    print(
        f"\nsurfaces, {SIDE} x {SIDE} points, single precision: processor ms per point, largest difference from double precision"
    )
    print(f"{'model':<20} {'samples':>7} {'loss-landscapes':>22} {'plica':>22} {'ratio':>6} {'bound':>6}")
    for name, model, inputs, n in cases:
        inputs, labels = np.ascontiguousarray(inputs), y[:n]
        directions = tuple(random_direction(model, seed=s) for s in (0, 1))

        def ours(model=model, inputs=inputs, labels=labels, directions=directions) -> Any:
            how = {"loss": "cross-entropy", "coarse": SIDE - 1, "levels": 0, "dtype": np.float32}
            return loss_surface(model, inputs, labels, directions, **how)

        if n * sum(p.numel() for p in model.parameters()) < 1e9:
            ours()  # what the larger ones need is compiled by the others
        seconds, found = timed(ours)
        corners = [(i, j) for i in (0, SIDE // 3, SIDE - 1) for j in (0, SIDE // 2, SIDE - 1)]
        truth = {
            (i, j): plain(moved(model, (found.u[i], directions[0]), (found.v[j], directions[1])), inputs, labels)
            for i, j in corners
        }
        off = max(abs(found.values[i, j] - value) for (i, j), value in truth.items())
        mine = f"{1e3 * seconds / SIDE**2:.3f} ({off:.0e})"
        if tool is None:
            print(f"{name:<20} {n:>7} {'':>22} {mine:>22}")
            continue
        theirs, error = of_the_peer(tool, model, directions, inputs, labels)
        ratio = theirs / (1e3 * seconds / SIDE**2)
        print(f"{name:<20} {n:>7} {f'{theirs:.3f} ({error:.0e})':>22} {mine:>22} {ratio:>6.1f} {bound(model):>6.1f}", flush=True)


def bound(model: nn.Module) -> float:
    """Multiplications of a sample over those that are left when the first layer, or the first two dense ones, cost nothing."""
    sizes, is_dense = [], True
    shape = torch.zeros(1, 784 if model[0].__class__ is nn.Unflatten else model[0].in_features)
    for layer in model:
        shape = layer(shape)
        if isinstance(layer, (nn.Conv2d, nn.Linear)):
            is_dense = is_dense and isinstance(layer, nn.Linear)
            sizes.append(layer.weight[0].numel() * shape.numel())
    return sum(sizes) / max(1, sum(sizes[2 if is_dense else 1 :]))


def of_the_peer(tool: Any, model: nn.Module, directions: Any, x: np.ndarray, y: np.ndarray) -> tuple[float, float]:
    """Milliseconds for each point of loss-landscapes, and its largest difference from double precision where we look."""
    steps = int(N_PEER**0.5)
    metric = tool.metrics.Loss(nn.functional.cross_entropy, torch.from_numpy(x), torch.from_numpy(y))
    ends = [moved(model, (1.0, d)).float() for d in directions]
    with torch.no_grad():
        seconds, values = timed(lambda: tool.planar_interpolation(copy.deepcopy(model), *ends, metric, steps=steps))
    off = 0.0
    for i, j in ((0, 0), (2, steps - 1), (steps - 1, 3)):  # it begins one step along the second direction
        there = moved(model, (i / steps, directions[0]), ((j + (1 if i % 2 == 0 else 0)) / steps, directions[1]))
        off = max(off, abs(float(values[i, j]) - plain(there, x, y)))
    return 1e3 * seconds / steps**2, off


def curvatures(x: np.ndarray, y: np.ndarray) -> None:
    tool = peer("pyhessian")
    model = mlp([784, 300, 100, 10], seed=0)
    fit(model, (x, y), epochs=1, batch=100, rate=1e-3, seed=0)
    inputs, labels = np.ascontiguousarray(x[:500]), y[:500]
    print("\nlargest eigenvalue of the Hessian, LeNet-300-100 after an epoch, 500 samples")
    seconds, found = timed(lambda: top_eigenpairs(Curvature(model, inputs, labels, loss="cross-entropy"), 1, n_steps=16))
    residual = found.residuals[0] / found.values[0]
    print(f"plica       {found.values[0]:.6f}, residual {residual:.0e}, double precision, {seconds:.2f} s")
    if tool is not None:
        data = torch.from_numpy(inputs), torch.from_numpy(labels)
        seconds, pair = timed(
            lambda: tool.hessian(model, nn.CrossEntropyLoss(), data=data, cuda=False).eigenvalues(tol=1e-5, top_n=1)
        )
        vector = np.concatenate([p.detach().numpy().reshape(-1) for p in pair[1][0]]).astype(float)
        vector /= np.linalg.norm(vector)
        exact = Curvature(model, inputs, labels, loss="cross-entropy") @ vector
        residual = np.linalg.norm(exact - pair[0][0] * vector) / pair[0][0]
        print(f"PyHessian   {pair[0][0]:.6f}, residual {residual:.0e}, single precision, {seconds:.2f} s")


def lines(x: np.ndarray, y: np.ndarray, sizes: tuple[int, ...]) -> None:
    a, b = (mlp([784, 300, 100, 10], seed=s) for s in (0, 1))
    for seed, model in enumerate((a, b)):
        fit(model, (x, y), epochs=1, batch=100, rate=1e-3, seed=seed)
    print("\nexact loss on the line between two LeNet-300-100")
    for n in sizes:
        for loss in ("squared", "cross-entropy"):
            seconds, found = timed(lambda loss=loss, n=n: loss_line(a, b, x[:n], y[:n], loss=loss))
            more, barrier = timed(lambda found=found: found.barrier.value)
            width = barrier.high - barrier.low
            told = f"{found.n_breakpoints:>9,} breakpoints, {seconds:6.1f} s, barrier {barrier.middle:.6f} within {width:.1e}"
            print(f"{n:>5} samples, {loss:<14} {told}, {more:.1f} s", flush=True)


if __name__ == "__main__":
    torch.set_num_threads(1)
    x, y = images()
    surfaces(x, y)
    curvatures(x, y)
    lines(x, y, (20, 1000))
