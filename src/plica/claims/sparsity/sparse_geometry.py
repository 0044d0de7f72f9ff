r"""What goes with the weights? The exact geometry of pruned networks.

Claim
    A network with a quarter of its weights has fewer cells than the dense one, whichever method took the others; its functional
    dimension is at most the number of kept weights and biases less its units with a bias, and its cells are at most as many as
    its living units allow.
Source
    Asked here; the bounds are those of J. E. Grigsby et al., Functional dimension of feedforward ReLU neural networks (2022)
    [grigsby2022c], for kept parameters, and of T. Serra, C. Tjandraatmadja, S. Ramalingam, ICML 2018 [serra2018], for units that
    have kept weights.
Prediction
    plica.theory.regions.serra_2018_upper_bound of living units; kept parameters less units with a bias; fewer cells than with all
Measurement
    2-10-10-2 networks on two circles, trained alike with plica.sparse masks: cells of the square (plica.decompose), distances of
    data to folds, growth of lengths and ranks over kept parameters (plica.measure.functional_dimension); at full scale also
    exact distances to the other class (plica.robust.class_distances)
Remark
    In a first run at full scale all rows held but a control, since gone, that asked for closed distances to the other class;
    some were open when their time was over, or there may have been no other class. Means are over closed ones. No run since is
    on record.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

import plica.data
from plica._palette import SERIES
from plica._types import Array
from plica.claims import Evidence, row
from plica.geometry import Box, decompose
from plica.measure import fold_distance, functional_dimension, path_through, trajectory_length
from plica.theory.regions import serra_2018_upper_bound

if TYPE_CHECKING:
    from matplotlib.axes import Axes

STATEMENT = "question"
EXPECTED = "answered"
KIND = "exact"
SEE = ("tickets-fold-data", "serra-2018-lower", "grigsby-2022-functional-dimension")
SEED = 20
WIDTHS = (2, 10, 10, 2)
METHODS = ("trained-magnitude", "snip", "random")
SQUARE = Box([-1.5, -1.5], [1.5, 1.5])


def check(scale: str) -> Evidence:
    shares, n_seeds, n_points = ((0.5, 0.25, 0.12), 2, 3) if scale == "full" else ((0.25,), 1, 0)
    rows, table = [], dict[str, list[dict[str, float]]]()
    for seed in range(SEED, SEED + n_seeds):
        dense = facts("dense", 1.0, seed, n_points)
        table.setdefault("dense", []).append(dense)
        for method in METHODS:
            for share in shares:
                found = facts(method, share, seed, n_points)
                table.setdefault(method, []).append(found)
                about: dict[str, Any] = {"method": method, "density": share, "seed": seed}
                rows.append(row(found["n_cells"], "<=", found["most_cells"], **about, what="cells, and Serra's bound"))
                what = "functional dimension, and its bound"
                rows.append(row(found["dimension"], "<=", found["most_dimension"], **about, what=what))
                if share <= 0.25:
                    rows.append(row(found["n_cells"], "<", dense["n_cells"], **about, what="cells, and those of all weights"))
    return Evidence(rows, draw=partial(draw, table), seed=SEED)


def facts(method: str, share: float, seed: int, n_points: int) -> dict[str, Any]:
    """The exact geometry of one trained network."""
    import torch

    from plica.learn import fit, mlp
    from plica.network import from_torch
    from plica.robust import class_distances
    from plica.sparse import densities, full_masks, kept, prune

    data = plica.data.load("circles", n=120, noise=0.05, seed=seed)
    points = np.asarray(data.x[:10], dtype=np.float64)
    model = mlp(WIDTHS, seed=seed)
    how: dict[str, Any] = {"epochs": 8, "batch": 30, "rate": 0.02, "seed": seed}
    masks = full_masks(model)
    if method == "trained-magnitude":
        fit(model, data, **how)
        masks = prune(model, "magnitude", share)
    elif method != "dense":
        masks = prune(model, method, share, data=(torch.as_tensor(data.x).float(), torch.as_tensor(data.y)), seed=seed)
    with kept(model, masks):
        fit(model, data, **how)
    network = from_torch(model)
    cx = decompose(network, SQUARE)
    kept_ones = [masks[name].numpy() if p.dim() > 1 else np.ones(len(p), bool) for name, p in model.named_parameters()]
    rank = functional_dimension(cx, among=np.concatenate([part.reshape(-1) for part in kept_ones]))
    alive = [int((np.abs(w).sum(axis=1) > 0).sum()) for w in _matrices(model)[:-1]]
    distances = [d.upper for d in class_distances(network, points[:n_points], timeout_s=5.0) if d.is_closed]
    length = trajectory_length(network, path_through(points))
    return {
        "density": float(np.mean(list(densities(masks).values()))) if method == "dense" else share,
        "n_cells": cx.n_cells,
        "n_regions": cx.n_regions,
        "most_cells": serra_2018_upper_bound([2, *[max(1, a) for a in alive], 2]),
        "dimension": rank.value,
        "most_dimension": rank.bound,
        "fold_distance": float(fold_distance(network, points).distance.mean()),
        "length_gain": length.output / length.input,
        "radius": float(np.mean(distances)) if distances else float("nan"),
    }


def _matrices(model: Any) -> list[Array]:
    return [p.detach().numpy() for p in model.parameters() if p.dim() > 1]


def draw(table: dict[str, list[dict[str, float]]], ax: Axes) -> None:
    """Cells against functional dimension."""
    for color, (method, found) in zip(SERIES, table.items(), strict=False):
        ax.plot([f["dimension"] for f in found], [f["n_cells"] for f in found], "o", color=color, label=method)
    ax.set(xlabel="functional dimension", ylabel="cells in the square", yscale="log")
    ax.legend(frameon=False)
