"""LeNet-300-100 and its small twin on the 8 x 8 digits: trained with masks, asked image by image, drawn by density."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

import plica.data
from plica._palette import SERIES
from plica._types import Array
from plica.data import Dataset

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from torch import nn


def digits(scale: str) -> Dataset:
    """MNIST at full scale; otherwise the 8 x 8 digits, four fifths of them to train."""
    return plica.data.load("mnist") if scale == "full" else plica.data.load("digits").split(0.8, seed=0)


def lenet(scale: str, seed: int) -> nn.Module:
    """784-300-100-10, or 64-100-30-10 for small digits; Glorot's Gaussian weights, no biases at the start."""
    from plica.learn import mlp

    widths = [784, 300, 100, 10] if scale == "full" else [64, 100, 30, 10]
    return mlp(widths, seed=seed, flatten=True, weights="glorot-normal", bias_std=0.0)


def trained(
    model: nn.Module, data: Dataset, *, epochs: int, batch: int, rate: float, seed: int, **more: Any
) -> tuple[Array, list[float]]:
    """Train with Adam; which test images are wrong in the end, and the accuracy on them after every epoch."""
    from plica.learn import fit

    found = fit(model, data, epochs=epochs, batch=batch, rate=rate, schedule="cosine", seed=seed, **more)
    return wrong_images(model, data), [float(a) for a in found.history["test_accuracy"] if a is not None]


def wrong_images(model: nn.Module, data: Dataset) -> Array:
    """1 for each test image that the model gets wrong, 0 for the others."""
    import torch

    with torch.no_grad():
        chosen = model(torch.as_tensor(data.x_test)).argmax(dim=1).numpy()
    return (chosen != np.asarray(data.y_test)).astype(np.float64)


def n_paths(masks: Mapping[str, Any]) -> int:
    """How many paths of kept weights lead from an input to an output of a chain of dense layers; exact."""
    matrices = [np.asarray(mask.numpy(), dtype=object).astype(int).astype(object) for mask in masks.values()]
    reached = np.full(matrices[0].shape[1], 1, dtype=object)
    for matrix in matrices:
        reached = matrix @ reached
    return int(sum(reached))


def draw_errors(
    curves: Mapping[str, Sequence[tuple[float, float, float]]], printed: Mapping[str, tuple[float, float]], ax: Axes
) -> None:
    """Error against the share of weights, with standard errors; published numbers as crosses."""
    for color, (name, points) in zip(SERIES * 3, curves.items(), strict=False):
        x, y, error = (np.array(part) for part in zip(*points, strict=True))
        marker = "o" if list(curves).index(name) < len(SERIES) else "s"
        ax.errorbar(x, y, yerr=error, color=color, marker=marker, markersize=3, linewidth=1.0, capsize=2, label=name)
    for name, (x_at, y_at) in printed.items():
        ax.plot([x_at], [y_at], "x", color=SERIES[-1], markersize=6)
        ax.annotate(name, (x_at, y_at), textcoords="offset points", xytext=(4, 4), fontsize=7)
    ax.set(xscale="log", yscale="log", xlabel="share of the weights that is left", ylabel="error on test images")
    ax.invert_xaxis()
    ax.legend(frameon=False, fontsize=7)
