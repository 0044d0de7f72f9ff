"""Images to classify, the networks of the presentation, and their accuracy while they train."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import sqrt
from typing import TYPE_CHECKING, Any

import numpy as np

import plica.data
from plica._palette import PREDICTION, SERIES
from plica._types import Array
from plica.claims import Row, row
from plica.data import Dataset

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from torch import nn


def images(scale: str, *, channel: bool = False) -> Dataset:
    """MNIST at full scale; otherwise the 8 x 8 digits, four fifths of them to train.

    For convolutions the images get an axis for channels, and small ones are doubled in size.
    """
    from dataclasses import replace

    data = plica.data.load("mnist") if scale == "full" else plica.data.load("digits").split(0.8, seed=0)
    if not channel:
        return data
    assert data.x_test is not None
    times = 1 if data.x.shape[-1] >= 28 else 2
    x, x_test = (part.repeat(times, axis=1).repeat(times, axis=2)[:, None] for part in (data.x, data.x_test))
    return replace(data, x=x, x_test=x_test)


def feed_forward(data: Dataset, seed: int) -> nn.Module:
    """One hidden layer of 128 units."""
    from plica.learn import mlp

    return mlp([data.flat.shape[1], 128, 10], seed=seed, flatten=True)


def two_convolutions(data: Dataset, seed: int) -> nn.Module:
    """Two convolutions with max-pooling, then three fully connected layers; smaller filters for smaller images."""
    return _convolutional(data.x.shape[-1], seed, pad=data.x.shape[-1] < 28, average=False)


def lenet_5(data: Dataset, seed: int) -> nn.Module:
    """LeNet-5 with ReLU: images padded to 32 x 32, average pooling, every map of the second convolution sees all of the first."""
    return _convolutional(data.x.shape[-1], seed, pad=True, average=True)


def _convolutional(size: int, seed: int, *, pad: bool, average: bool) -> nn.Module:
    import torch
    from torch import nn

    width = 5 if size >= 28 else 3
    pool = nn.AvgPool2d if average else nn.MaxPool2d
    first = size if pad else size - width + 1
    second = (first // 2 - width + 1) // 2
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        return nn.Sequential(
            nn.Conv2d(1, 6, width, padding=width // 2 if pad else 0),
            nn.ReLU(),
            pool(2),
            nn.Conv2d(6, 16, width),
            nn.ReLU(),
            pool(2),
            nn.Flatten(),
            nn.Linear(16 * second * second, 120),
            nn.ReLU(),
            nn.Linear(120, 84),
            nn.ReLU(),
            nn.Linear(84, 10),
        )


def accuracies(
    make: Callable[[Dataset, int], nn.Module], data: Dataset, *, epochs: int, seeds: Sequence[int], batch: int, rate: float = 1e-3
) -> Array:
    """(seeds, epochs + 1): the share of test images classified right, before training and after every epoch, with Adam."""
    from plica.learn import fit

    fits = [fit(make(data, s), data, epochs=epochs, batch=batch, rate=rate, seed=s) for s in seeds]
    return np.array([found.history["test_accuracy"] for found in fits])


def standard_error(values: Array, n_test: int) -> float:
    """Of the mean accuracy: which test images there are, and which seed it was."""
    p = float(values.mean())
    of_seeds = float(values.std(ddof=1)) / sqrt(len(values)) if len(values) > 1 else 0.0
    return sqrt(p * (1 - p) / n_test + of_seeds**2)


def accuracy_row(values: Array, relation: str, predicted: float, *, n_test: int, **parameters: Any) -> Row:
    """The mean accuracy over seeds against a printed one."""
    return row(
        float(values.mean()), relation, predicted, kind="estimated", standard_error=standard_error(values, n_test), **parameters
    )


def curve_figure(curves: dict[str, Array], printed: Sequence[tuple[int, float]] = ()) -> Callable[[Axes], None]:
    """Error against epochs, one line for each seed, with printed values as crosses."""

    def draw(ax: Axes) -> None:
        for (name, values), color in zip(curves.items(), SERIES, strict=False):
            for i, one in enumerate(values):
                ax.plot(np.arange(1, len(one)), 1 - one[1:], color=color, linewidth=1.0, label=name if i == 0 else None)
        for epoch, accuracy in printed:
            ax.plot([epoch], [1 - accuracy], "x", color=PREDICTION, label="printed" if epoch == printed[0][0] else None)
        ax.set_yscale("log")
        ax.set_xlabel("epochs")
        ax.set_ylabel("error on test images")
        ax.legend(frameon=False)
        ax.spines[["top", "right"]].set_visible(False)

    return draw
