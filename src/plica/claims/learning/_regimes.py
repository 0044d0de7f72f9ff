"""Networks of width 8 and growing depth on the unit square: their cells before, while and after they learn waves."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

import numpy as np

from plica._palette import PREDICTION, SERIES
from plica._types import Array
from plica.construct import folding
from plica.geometry import Box

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from torch import nn

WIDTH = 8
SQUARE = Box([0.0, 0.0], [1.0, 1.0])


def widths(depth: int) -> list[int]:
    return [2, *[WIDTH] * depth, 1]


def waves(seed: int, n: int = 300) -> tuple[Array, Array]:
    """Points of the square and the values of sin(2 pi x) sin(2 pi y)."""
    x = np.random.default_rng(seed).uniform(0, 1, (n, 2))
    return x, (np.sin(2 * np.pi * x[:, 0]) * np.sin(2 * np.pi * x[:, 1]))[:, None]


def random_start(depth: int, seed: int) -> nn.Module:
    """Normal weights of variance 2 / fan-in."""
    import torch

    from plica.learn import mlp

    return mlp(widths(depth), seed=seed, weights="he-normal", bias_std=0.3, dtype=torch.float64)


def folding_start(depth: int) -> nn.Module:
    """The network of Montufar's lower bound, its output scaled to at most 1 on the square."""
    import torch
    from torch import nn

    from plica.learn import mlp

    net = folding(widths(depth)).network
    ops = net.dense_layers
    model = mlp(widths(depth), dtype=torch.float64)
    scale = max(1.0, float(np.abs(net(waves(0)[0])).max()))
    with torch.no_grad():
        for layer, op in zip((part for part in model if isinstance(part, nn.Linear)), ops, strict=True):
            divisor = scale if op is ops[-1] else 1.0
            layer.weight.copy_(torch.from_numpy(op.weight / divisor))
            layer.bias.copy_(torch.from_numpy((np.zeros(len(op.weight)) if op.bias is None else op.bias) / divisor))
    return model


def cells_while_learning(
    model: nn.Module, *, seed: int, epochs: int, looks: int, penalty: bool
) -> tuple[list[int], list[int], float]:
    """Epochs, exact cells on the square at these epochs, and the loss at the end."""
    from plica.learn import Regions, crossing_penalty, fit

    probe = Regions(domain=SQUARE, cells_only=True, every=epochs // looks)
    term = crossing_penalty(SQUARE, seed=seed) if penalty else None
    history = fit(model, waves(seed), epochs=epochs, batch=30, rate=3e-3, seed=seed, penalty=term, probes=[probe]).history
    seen = [(row["epoch"], row["regions_n_cells"]) for row in history if row.get("regions_n_cells") is not None]
    return [epoch for epoch, _ in seen], [cells for _, cells in seen], history["loss"][-1]


def regimes_figure(found: dict[str, dict[int, float]], depths: Sequence[int]) -> Callable[[Axes], None]:
    """Cells against depth on a logarithmic axis, a line for each kind of network."""

    def draw(ax: Axes) -> None:
        for (name, values), color in zip(found.items(), SERIES[:5], strict=False):
            ax.plot(depths, [values[d] for d in depths], "o-", color=color, label=name)
        ax.plot(depths, [(WIDTH * d) ** 2 / 2 for d in depths], ":", color=PREDICTION, label="N² / 2")
        ax.set_yscale("log")
        ax.set_xticks(list(depths))
        ax.set_xlabel("hidden layers of 8 units")
        ax.set_ylabel("cells on the square")
        ax.legend(frameon=False)
        ax.spines[["top", "right"]].set_visible(False)

    return draw
