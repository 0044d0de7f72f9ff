r"""Memorized labels cost folds between the points.

Claim
    A network that can learn the labels of images can also memorize random ones. It then has more breakpoints between two
    training images than the network that learned the true labels, and its nearest folds are closer, but the order stays: on a
    plane both have fewer than N^2 / 2 cells.
Source
    C. Zhang, S. Bengio, M. Hardt, B. Recht, O. Vinyals, Understanding Deep Learning Requires Rethinking Generalization, ICLR
    2017, arXiv 1611.03530 [zhang2017], that random labels are memorized; B. Hanin, D. Rolnick, Deep ReLU Networks Have
    Surprisingly Few Activation Patterns, NeurIPS 2019, arXiv 1906.00904 [hanin2019b], that the order of the cells stays.
Prediction
    accuracy on training images of at least 0.95 with either labels, on test images above 0.8 and below 0.3; more breakpoints
    and smaller distances with random labels; fewer than plica.theory.regions.hanin_rolnick_2019_regions_estimate(N, 2) cells
Measurement
    two networks for each seed, trained with Adam (plica.learn.fit); breakpoints on segments and cells on planes through
    training images, exactly (plica.count_regions), distances certified (plica.measure.fold_distance)
Stand-in
    The same for 100 of the 8 x 8 digits, with more than 90 percent of the training images right.
Remark
    How many more depends on the data: 1.5 times as many breakpoints for 100 of the 8 x 8 digits and 128 neurons, 1.1 times for
    3,000 images of MNIST and 256 neurons. Five seeds said 1.10 with a standard error of 0.05, and 0.64 with one of 0.12 for the
    distances: too few for a verdict, so there are 24 now.
"""

from __future__ import annotations

from collections.abc import Callable
from math import sqrt
from typing import TYPE_CHECKING, Any

import numpy as np

from plica._palette import INK, SERIES
from plica._types import Array
from plica.claims import Evidence, row
from plica.claims.learning._images import images
from plica.geometry import Plane, Segment, count_regions
from plica.measure import fold_distance
from plica.theory.regions import hanin_rolnick_2019_regions_estimate

if TYPE_CHECKING:
    from matplotlib.axes import Axes

STATEMENT = "published result"
EXPECTED = "reproduced"
KIND = "estimated"
SEE = ("mnist-cells-training", "fold-distance-training")
SEED = 1611
LABELS = ("true", "random")


def measure(scale: str, labels: str, seed: int) -> dict[str, float]:
    """Train one network and look at it around its training images."""
    from plica.learn import fit, mlp

    n_images, width, epochs, batch = (3000, 128, 80, 64) if scale == "full" else (100, 64, 80, 20)
    data = images(scale).subset(n_images, seed=SEED)
    assert data.y is not None
    x = data.flat.astype(np.float64)
    y = data.y if labels == "true" else np.random.default_rng(seed).integers(0, 10, len(data.y))
    model = mlp([x.shape[1], width, width, 10], seed=seed)
    found = fit(model, (x, y), epochs=epochs, batch=batch, rate=4e-3, schedule="cosine", seed=seed)
    net = found.network
    pairs = range(0, 60 if scale == "full" else 30, 3)
    return {
        "accuracy": found.history.last["accuracy"],
        "test": float((net(data.flat_test.astype(np.float64)).argmax(axis=1) == data.y_test).mean()),
        "breakpoints": float(np.mean([count_regions(net, Segment(x[k], x[k + 1]), cells_only=True).n_cells - 1 for k in pairs])),
        "cells": float(np.mean([count_regions(net, Plane.through(*x[k : k + 3]), cells_only=True).n_cells for k in pairs])),
        "distance": fold_distance(net, x[: len(pairs)]).mean,
        "neurons": 2.0 * width,
    }


def check(scale: str) -> Evidence:
    seeds = range(SEED, SEED + (24 if scale == "full" else 2))
    found = {labels: [measure(scale, labels, seed) for seed in seeds] for labels in LABELS}

    def column(labels: str, name: str) -> Array:
        return np.array([one[name] for one in found[labels]])

    def estimated(values: Array, relation: str, predicted: float, **parameters: Any) -> Any:
        error = float(values.std(ddof=1) / sqrt(len(values)))
        return row(float(values.mean()), relation, predicted, kind="estimated", standard_error=error, **parameters)

    least = 0.95 if scale == "full" else 0.9
    rows = [
        estimated(column("true", "accuracy"), ">=", least, labels="true", what="accuracy on training images"),
        estimated(column("random", "accuracy"), ">=", least, labels="random", what="accuracy on training images"),
        estimated(column("true", "test"), ">", 0.8, labels="true", what="accuracy on test images"),
        estimated(column("random", "test"), "<", 0.3, labels="random", what="accuracy on test images"),
        estimated(
            column("random", "breakpoints") / column("true", "breakpoints"), ">", 1.0, what="breakpoints, random over true"
        ),
        estimated(column("random", "distance") / column("true", "distance"), "<", 1.0, what="distance, random over true"),
    ]
    bound = float(hanin_rolnick_2019_regions_estimate(int(column("true", "neurons")[0]), 2))
    rows += [estimated(column(labels, "cells"), "<", bound, labels=labels, what="cells on a plane") for labels in LABELS]
    return Evidence(rows, draw=figure({labels: column(labels, "breakpoints") for labels in LABELS}), seed=SEED)


def figure(found: dict[str, Array]) -> Callable[[Axes], None]:
    """Breakpoints between training images for either labels, a dot for each seed."""

    def draw(ax: Axes) -> None:
        for i, (labels, color) in enumerate(zip(LABELS, SERIES[:2], strict=True)):
            ax.bar([i], [found[labels].mean()], color=color, width=0.6, alpha=0.6)
            ax.plot(np.full(len(found[labels]), i), found[labels], "o", color=INK, markersize=4)
        ax.set_xticks([0, 1], [f"{labels} labels" for labels in LABELS])
        ax.set_ylabel("breakpoints between two training images")
        ax.spines[["top", "right"]].set_visible(False)

    return draw
