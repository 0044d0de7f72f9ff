"""Twelve networks of shapes that are seldom tried, with random weights: where budgets and estimates were made for others."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

import plica


def _from_torch(make: Callable[[], Any], *shape: int) -> plica.Network:
    import torch

    torch.set_num_threads(1)
    torch.manual_seed(0)
    module = make().eval()
    return plica.from_torch(module, example_input=torch.zeros(1, *shape))


def _unet() -> Any:
    import torch
    from torch import nn

    class Unet(nn.Module):
        """Two levels, nearest upsampling, one skip connection."""

        def __init__(self) -> None:
            super().__init__()
            self.down, self.deep = nn.Conv2d(3, 16, 3, padding=1), nn.Conv2d(16, 32, 3, padding=1)
            self.up, self.last = nn.Conv2d(48, 16, 3, padding=1), nn.Conv2d(16, 2, 1)
            self.grow, self.shrink = nn.Upsample(scale_factor=2), nn.MaxPool2d(2)

        def forward(self, x: Any) -> Any:
            a = torch.relu(self.down(x))
            b = torch.relu(self.deep(self.shrink(a)))
            return self.last(torch.relu(self.up(torch.cat([a, self.grow(b)], 1)))).mean((2, 3))

    return Unet()


def _pixel_shuffle() -> Any:
    from torch import nn

    return nn.Sequential(
        nn.Conv2d(3, 32, 3, padding=1), nn.ReLU(), nn.Conv2d(32, 32, 3, padding=1), nn.PixelShuffle(2), nn.ReLU(),
        nn.Conv2d(8, 4, 3), nn.ReLU(), nn.Flatten(), nn.Linear(3600, 3),
    )  # fmt: skip


def _pointwise() -> Any:
    from torch import nn

    return nn.Sequential(
        nn.Conv2d(3, 8, 1), nn.ReLU(), nn.Conv2d(8, 8, 1), nn.ReLU(), nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(8, 4)
    )


def _grouped() -> Any:
    from torch import nn

    return nn.Sequential(
        nn.Conv2d(4, 32, 3, groups=2), nn.ReLU(), nn.Conv2d(32, 64, 3, stride=2, groups=4), nn.ReLU(),
        nn.Conv2d(64, 64, 3, groups=8), nn.ReLU(), nn.Flatten(), nn.Linear(4096, 10),
    )  # fmt: skip


def _transposed() -> Any:
    from torch import nn

    return nn.Sequential(
        nn.Linear(16, 256), nn.ReLU(), nn.Unflatten(1, (16, 4, 4)), nn.ConvTranspose2d(16, 16, 4, 2, 1), nn.ReLU(),
        nn.ConvTranspose2d(16, 8, 4, 2, 1), nn.ReLU(), nn.ConvTranspose2d(8, 3, 4, 2, 1), nn.ReLU(), nn.Flatten(),
        nn.Linear(3072, 2),
    )  # fmt: skip


def _depthwise() -> Any:
    from torch import nn

    layers: list[Any] = [nn.Conv2d(3, 16, 3, stride=2, padding=1), nn.ReLU6()]
    for a, b, stride in ((16, 32, 1), (32, 64, 2), (64, 64, 1), (64, 128, 2)):
        layers += [nn.Conv2d(a, a, 3, stride, 1, groups=a), nn.BatchNorm2d(a), nn.ReLU6(), nn.Conv2d(a, b, 1), nn.ReLU6()]
    return nn.Sequential(*layers, nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(128, 10))


def _residual() -> Any:
    import torch
    from torch import nn

    class Residual(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.first, self.last = nn.Linear(64, 256), nn.Linear(256, 10)
            self.blocks = nn.ModuleList(nn.Linear(256, 256) for _ in range(8))

        def forward(self, x: Any) -> Any:
            x = self.first(x)
            for block in self.blocks:
                x = x + torch.relu(block(x))
            return self.last(x)

    return Residual()


def wide_maxout() -> plica.Network:
    """Sixteen maxima over 300 each, twice: more members than a byte numbers."""
    from plica.network import Linear, Max, Network

    rng, groups = np.random.default_rng(0), np.arange(4800).reshape(16, 300)
    ops: list[Any] = []
    for n in (8, 16):
        ops += [Linear(rng.normal(size=(4800, n)) / np.sqrt(n), rng.normal(size=4800)), Max(groups)]
    return Network.sequential(8, [*ops, Linear(rng.normal(size=(3, 16)), np.zeros(3))])


def unbatched() -> plica.Network:
    """An ONNX model that reads one image, without an axis for a batch."""
    import tempfile
    from pathlib import Path

    from onnx import TensorProto, checker, helper, numpy_helper, save

    rng = np.random.default_rng(0)
    arrays: dict[str, Any] = {
        "axes": np.array([0]), "flat": np.array([-1]), "kernel": rng.normal(size=(12, 3, 3, 3)) / 5,
        "first": rng.normal(size=(2352, 64)) / 48, "last": rng.normal(size=(64, 5)) / 8,
    }  # fmt: skip
    steps = [
        ("Unsqueeze", ["x", "axes"]), ("Conv", ["n0", "kernel"]), ("Relu", ["n1"]), ("Reshape", ["n2", "flat"]),
        ("MatMul", ["n3", "first"]), ("Relu", ["n4"]), ("MatMul", ["n5", "last"]),
    ]  # fmt: skip
    graph = helper.make_graph(
        [helper.make_node(kind, names, [f"n{i}"]) for i, (kind, names) in enumerate(steps)],
        "unbatched",
        [helper.make_tensor_value_info("x", TensorProto.FLOAT, [3, 16, 16])],
        [helper.make_tensor_value_info("n6", TensorProto.FLOAT, [5])],
        [numpy_helper.from_array(a.astype(np.int64 if a.dtype.kind == "i" else np.float32), k) for k, a in arrays.items()],
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)])
    checker.check_model(model)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "unbatched.onnx"
        save(model, path)
        return plica.load(path)


def deep_narrow() -> plica.Network:
    """Three hundred layers of two."""
    return plica.random_network([2, *[2] * 300, 2], seed=1, weights="he-normal", bias_std=0.1)


def many_classes() -> plica.Network:
    return plica.random_network([64, 128, 128, 1000], seed=0, weights="he-normal", bias_std=0.5)


ODD: dict[str, Callable[[], plica.Network]] = {
    "u-net": lambda: _from_torch(_unet, 3, 32, 32),
    "pixel-shuffle": lambda: _from_torch(_pixel_shuffle, 3, 16, 16),
    "wide-maxout": wide_maxout,
    "deep-narrow": deep_narrow,
    "pointwise-128": lambda: _from_torch(_pointwise, 3, 128, 128),
    "grouped": lambda: _from_torch(_grouped, 4, 24, 24),
    "transposed": lambda: _from_torch(_transposed, 16),
    "dense-8192": lambda: plica.random_network([32, 8192, 16, 3], seed=0, weights="he-normal", bias_std=0.5),
    "residual-dense": lambda: _from_torch(_residual, 64),
    "unbatched": unbatched,
    "depthwise": lambda: _from_torch(_depthwise, 3, 64, 64),
    "many-classes": many_classes,
}
