r"""Synaptic flow is conserved: what flows into a unit flows out of it.

Claim
    For every hidden unit the SynFlow scores of the weights that lead into it add up to those of the weights that it feeds; so all
    layers have one sum, the flow R. Iterative pruning by such scores keeps a path down to one weight in each layer.
Source
    H. Tanaka, D. Kunin, D. L. K. Yamins, S. Ganguli, NeurIPS 2020 [tanaka2020], Theorems 1, 2 and 3.
Prediction
    the number of paths through each layer, counted in integers; one weight in each layer at the compression
    plica.theory.sparsity.largest_compression
Measurement
    plica.sparse.synflow_scores of networks with integer weights, where no sum rounds; masks of plica.sparse.prune with as many
    weights as layers
"""

from __future__ import annotations

from functools import partial
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from plica._palette import MEASUREMENT, PREDICTION
from plica._types import Array
from plica.claims import Evidence, control, row
from plica.claims.sparsity._lenet import n_paths
from plica.theory.sparsity import largest_compression

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from torch import nn

STATEMENT = "theorem"
EXPECTED = "holds"
KIND = "exact"
SEE = ("tanaka-2020-synflow",)
SEED = 2020


def check(scale: str) -> Evidence:
    import torch

    from plica.sparse import prune, synflow_scores

    sizes = [(5, 8, 3), (6, 10, 8, 4), (4, 9, 9, 9, 2)] + ([(30, 60, 60, 60, 60, 10)] if scale == "full" else [])
    rows, sums = [], list[tuple[list[int], int]]()
    for widths in sizes:
        rng = np.random.default_rng([SEED, *widths])
        weights = [rng.integers(-7, 8, (m, n)) for n, m in pairwise(widths)]
        model = integer_network(weights)
        scores = [s.numpy() for s in synflow_scores(model, torch.ones(1, widths[0])).values()]
        flow = total_flow(weights)
        rows += [row(int(s.sum()), "=", flow, widths=widths, layer=k, what="sum of scores") for k, s in enumerate(scores)]
        for k, (a, b) in enumerate(pairwise(scores)):
            unequal = int((a.sum(axis=1) != b.sum(axis=0)).sum())
            rows.append(row(unequal, "=", 0, widths=widths, layer=k, what="units where in and out differ"))
        through = weight_flow(weights, 0, 0, 0)
        rows.append(row(int(scores[0][0, 0]), "=", through, widths=widths, what="score of one weight"))
        sums.append(([int(s.sum()) for s in scores], flow))
        n = [w.size for w in weights]
        masks = prune(model, "synflow", 1 / largest_compression(n), data=(torch.ones(1, widths[0]), torch.zeros(1)), steps=400)
        rows.append(row(n_paths(masks), "=", 1, widths=widths, what="paths with as many weights as layers"))
        magnitude = prune(model, "magnitude", 1 / largest_compression(n))
        rows.append(control(n_paths(magnitude), "=", 0, widths=widths, what="the same by magnitude"))
    return Evidence(rows, draw=partial(draw, sums), seed=SEED)


def integer_network(weights: list[Array]) -> nn.Module:
    """A ReLU network with the given weights and biases that must not matter."""
    import torch

    from plica.learn import mlp

    model = mlp([weights[0].shape[1], *(len(w) for w in weights)], seed=SEED, dtype=torch.float64)
    linear = [layer for layer in model if hasattr(layer, "weight")]
    with torch.no_grad():
        for layer, w in zip(linear, weights, strict=True):
            layer.weight.copy_(torch.as_tensor(w, dtype=torch.float64))  # type: ignore[operator]
    return model


def total_flow(weights: list[Array]) -> int:
    """The sum over all paths of the products of absolute weights, in Python's integers."""
    flow = [1] * weights[0].shape[1]
    for w in weights:
        flow = [sum(abs(int(w[i, j])) * f for j, f in enumerate(flow)) for i in range(len(w))]
    return sum(flow)


def weight_flow(weights: list[Array], layer: int, i: int, j: int) -> int:
    """What flows through one weight: the flow with it, minus the flow without it."""
    without = [w.copy() for w in weights]
    without[layer][i, j] = 0
    return total_flow(weights) - total_flow(without)


def draw(sums: list[tuple[list[int], int]], ax: Axes) -> None:
    """The sum of scores of every layer, beside the flow."""
    for layers, flow in sums:
        ax.plot(range(len(layers)), layers, "o", color=MEASUREMENT)
        ax.plot([0, len(layers) - 1], [flow, flow], color=PREDICTION, linewidth=0.8)
        ax.annotate(f"R = {flow:,}", (len(layers) - 1, flow), textcoords="offset points", xytext=(6, -3), fontsize=7)
    ax.set(yscale="log", xlabel="layer", ylabel="sum of scores")
    ax.set_xlim(-0.3, max(len(layers) for layers, _ in sums) + 0.6)
