"""The large networks of the benchmarks: shapes that people have, with random weights or trained a little; domains for them."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

import plica
from plica._memory import resident_bytes
from plica.errors import PlicaError

STEPS = 300  # of training, with batches of 128


def images(name: str) -> tuple[Any, Any] | None:
    """A published set as tensors (images, channels, side, side) in [0, 1], and labels; None, saying so, where it is missing."""
    import torch

    from plica import data

    try:
        found = data.load(name)
    except PlicaError as error:
        print(f"  skipped: {error.message}")
        return None
    x, y = np.asarray(found.x), np.asarray(found.y)
    x = x.reshape(len(x), *((1, 28, 28) if name == "mnist" else (3, 32, 32))).astype(np.float32)
    return torch.from_numpy(x / (255.0 if x.max() > 1 else 1.0)), torch.from_numpy(y.astype(np.int64))


def trained(module: Any, x: Any, y: Any, steps: int = STEPS) -> Any:
    """The module after a few steps of Adam."""
    import torch

    optimizer, rng = torch.optim.Adam(module.parameters(), 1e-3), np.random.default_rng(0)
    module.train()
    for _ in range(steps):
        batch = torch.from_numpy(rng.integers(0, len(x), 128))
        optimizer.zero_grad()
        torch.nn.functional.cross_entropy(module(x[batch]), y[batch]).backward()
        optimizer.step()
    return module.eval()


def lenet_module(pool: str) -> Any:
    import torch
    from torch import nn

    torch.set_num_threads(1)
    torch.manual_seed(0)
    window = nn.AvgPool2d if pool == "average" else nn.MaxPool2d
    features = [nn.Conv2d(1, 6, 5, padding=2), nn.ReLU(), window(2), nn.Conv2d(6, 16, 5), nn.ReLU(), window(2), nn.Flatten()]
    return nn.Sequential(*features, nn.Linear(400, 120), nn.ReLU(), nn.Linear(120, 84), nn.ReLU(), nn.Linear(84, 10))


def trained_lenet(pool: str) -> tuple[plica.Network, plica.Plane] | None:
    """LeNet-5, trained a little on MNIST, and the plane through three of its digits; None without the digits."""
    given = images("mnist")
    if given is None:
        return None
    x, y = given
    module = trained(lenet_module(pool), x, y)
    three = [x[int(np.flatnonzero(y.numpy() == k)[0])].numpy().reshape(-1).astype(float) for k in (3, 5, 8)]
    return plica.from_torch(module, example_input=x[:1]), plica.Plane.through(*three)


def lenet(pool: str) -> plica.Network:
    """LeNet-5 as torch draws it."""
    import torch

    return plica.from_torch(lenet_module(pool).eval(), example_input=torch.zeros(1, 1, 28, 28))


def vgg11() -> plica.Network:
    """The shape of VGG-11 for images of 32 pixels, with He weights."""
    import torch

    return plica.from_torch(vgg11_module(), example_input=torch.zeros(1, 3, 32, 32))


def patterned_images(n: int) -> tuple[Any, Any]:
    """Images of three colors and 32 pixels in ten kinds: a pattern of large squares for each kind, another one, and noise."""
    import torch

    rng = np.random.default_rng(0)
    kinds, labels = rng.uniform(size=(10, 3, 4, 4)), rng.integers(0, 10, n)
    squares = 0.6 * kinds[labels] + 0.3 * rng.uniform(size=(n, 3, 4, 4))
    x = squares.repeat(8, axis=2).repeat(8, axis=3) + 0.1 * rng.uniform(size=(n, 3, 32, 32))
    return torch.from_numpy(x.astype(np.float32)), torch.from_numpy(labels)


def vgg11_with_head() -> tuple[plica.Network, np.ndarray]:
    """VGG-11 whose last layer is fitted to a thousand images, so that classes meet between images, and three of them."""
    import torch

    x, y = patterned_images(1000)
    module = vgg11_module()
    with torch.no_grad():
        features = torch.cat([module[:-1](part) for part in x.split(50)]).double()
        scale = features.std()
        known = torch.cat([features / scale, torch.ones(len(x), 1).double()], 1)
        weights = torch.linalg.lstsq(known, torch.eye(10).double()[y]).solution
        module[-1].weight.copy_((weights[:-1] / scale).T)
        module[-1].bias.copy_(weights[-1])
    three = [int(torch.nonzero(y == k)[0]) for k in (0, 1, 2)]
    return plica.from_torch(module, example_input=x[:1]), x[three].numpy().reshape(3, -1).astype(float)


def vgg11_module() -> Any:
    """182,784 rectifiers, five max poolings."""
    import torch
    from torch import nn

    torch.set_num_threads(1)
    torch.manual_seed(0)
    layers: list[Any] = []
    channels = 3
    for out in (64, 0, 128, 0, 256, 256, 0, 512, 512, 0, 512, 512, 0):
        if not out:
            layers.append(nn.MaxPool2d(2))
            continue
        conv = nn.Conv2d(channels, out, 3, padding=1)
        nn.init.kaiming_normal_(conv.weight, nonlinearity="relu")
        layers += [conv, nn.ReLU()]
        channels = out
    return nn.Sequential(*layers, nn.Flatten(), nn.Linear(512, 10)).eval()


def resnet20(*, is_trained: bool = False) -> tuple[plica.Network, np.ndarray] | None:
    """ResNet-20 for images of 32 pixels, 188,416 rectifiers, and three images (random ones without training)."""
    import torch

    from plica.models.vision import ResNet

    torch.set_num_threads(1)
    torch.manual_seed(0)
    module = ResNet.from_preset("resnet-20", seed=0)
    if not is_trained:
        points = np.random.default_rng(0).uniform(size=(3, 3072))
        with torch.no_grad():
            module.train()
            module(torch.from_numpy(np.random.default_rng(1).uniform(size=(64, 3, 32, 32)).astype(np.float32)))
        return plica.from_torch(module.eval(), example_input=torch.zeros(1, 3, 32, 32)), points
    given = images("cifar10")
    if given is None:
        return None
    x, y = given
    module = trained(module, x, y, 60)
    return plica.from_torch(module, example_input=x[:1]), x[:3].numpy().reshape(3, -1).astype(float)


def published(name: str) -> plica.Network | None:
    """A network of the verification competition below the folder of data sets; None where it is not at hand."""
    path = Path(os.environ.get("PLICA_DATA", "."), "vnncomp", name)
    return plica.load(path) if path.exists() else None


def window_of(points: np.ndarray, width: float) -> plica.Plane:
    """A square window of this width in the plane through three points."""
    a, b, c = points
    low, high = 0.3, 0.3 + width
    return plica.Plane(a, [b - a, c - a], window=((low, low), (high, low), (high, high), (low, high)))


def peak_bytes() -> int:
    """The most memory that this process has had since :func:`forget_peak`, or ever where the system cannot forget."""
    for line in Path("/proc/self/status").read_text(encoding="ascii").splitlines():
        if line.startswith("VmHWM:"):
            return int(line.split()[1]) * 1024
    return 0


def forget_peak() -> None:
    """Let the peak of memory begin now (Linux: proc(5), clear_refs)."""
    try:
        Path("/proc/self/clear_refs").write_text("5", encoding="ascii")
    except OSError:
        print("  the peak of memory includes what was before")


def with_costs(work: Callable[[], dict[str, Any]]) -> dict[str, Any]:
    """What the work answers, and its processor seconds, seconds, and peak of memory."""
    plica.decompose(plica.random_network([2, 6, 6, 1], seed=0), plica.Box([-1, -1], [1, 1]))
    forget_peak()
    before, start, wall = resident_bytes(), time.process_time(), time.perf_counter()
    found = work()
    peak = max(0, peak_bytes() - before)
    return found | {"cpu": time.process_time() - start, "wall": time.perf_counter() - wall, "bytes": peak}


def in_own_process(script: str, name: str, *args: Any) -> dict[str, Any]:
    """Run a function of a script in a process of its own; the last line it prints is its answer."""
    done = subprocess.run([sys.executable, script, name, json.dumps(args)], capture_output=True, text=True, check=False)
    if done.returncode:
        return {"error": (done.stderr.strip().splitlines() or [f"ended with code {done.returncode}"])[-1]}
    *said, last = done.stdout.strip().splitlines()
    print("\n".join(said), end="\n" if said else "")
    found: dict[str, Any] = json.loads(last)
    return found
