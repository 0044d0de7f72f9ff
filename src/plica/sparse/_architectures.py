"""The networks that pruning is tried on: chains of dense layers, LeNet-5, and a small residual network."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from plica.data import Dataset
from plica.errors import InvalidInput
from plica.learn import mlp

if TYPE_CHECKING:
    from torch import nn


def dense_chain(data: Dataset, hidden: Sequence[int], seed: int) -> nn.Module:
    """Dense layers with ReLU; Glorot's Gaussian weights, no biases at the start. LeNet-300-100 unless told."""
    return mlp([data.flat.shape[1], *hidden, _n_classes(data)], seed=seed, flatten=True, weights="glorot-normal", bias_std=0.0)


def lenet_5(data: Dataset, hidden: Sequence[int], seed: int) -> nn.Module:
    """LeNet-5 with ReLU and max-pooling on gray images: 6 and 16 maps, 120 and 84 units, 61,706 parameters on MNIST."""
    import torch
    from torch import nn

    if data.x.ndim != 3 or data.x.shape[1] < 12:
        raise InvalidInput(f"LeNet-5 on inputs of shape {data.x.shape[1:]}.", hint="gray images of 12 x 12 pixels or more")
    side = (data.x.shape[1] // 2 - 4) // 2
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        return nn.Sequential(
            nn.Unflatten(1, (1, data.x.shape[1])),
            nn.Conv2d(1, 6, 5, padding=2),
            nn.ReLU(),
            nn.MaxPool2d(2),
            nn.Conv2d(6, 16, 5),
            nn.ReLU(),
            nn.MaxPool2d(2),
            nn.Flatten(),
            nn.Linear(16 * side * side, 120),
            nn.ReLU(),
            nn.Linear(120, 84),
            nn.ReLU(),
            nn.Linear(84, _n_classes(data)),
        )


def resnet_8(data: Dataset, hidden: Sequence[int], seed: int) -> nn.Module:
    """A residual network of three stages with one block each, 8, 16 and 32 maps wide: 19,218 parameters on CIFAR-10."""
    from plica.models import build
    from plica.models.vision import ResNet, ResNetConfig

    if data.x.ndim != 4:
        raise InvalidInput(f"a residual network on inputs of shape {data.x.shape[1:]}.", hint="images with channels: cifar10")
    config = ResNetConfig.preset("resnet-20", depths=(1, 1, 1), width=8, n_channels=data.x.shape[1], n_classes=_n_classes(data))
    return build(ResNet, config, seed=seed)


NETWORKS: dict[str, Callable[[Dataset, Sequence[int], int], nn.Module]] = {
    "dense": dense_chain,
    "lenet-5": lenet_5,
    "resnet-8": resnet_8,
}


def _n_classes(data: Dataset) -> int:
    if data.y is None:
        raise InvalidInput(f"{data.name!r} has no classes.")
    return int(data.y.max()) + 1
