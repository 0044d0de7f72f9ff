r"""Batch norm moves folds to the data.

Claim
    Whatever the weights of a unit are, batch norm (before its learned shift) puts its fold through the mean of the batch, which
    is the place where the sum of squared distances from the data to the fold is least: elsewhere it is larger by n times the
    squared distance of the mean from the fold. So training mode does not see where the data lie. Testing mode is another
    network: its running mean starts at 0, and after k passes over one batch its folds are (1 - r)^k times as far from the mean
    as without batch norm, with the rate r of the running average.
Source
    R. Balestriero, R. Baraniuk, Batch Normalization Explained (2022), Theorem 1 [balestriero2022], for the least squares; the
    distances of the two networks are derived here.
Prediction
    n times the squared distance, in fractions; distance 0 in training mode; (1 - r)^k |w . mean| / |w| in testing mode; equal
    distances from the data to the nearest fold wherever the data are moved
Measurement
    sums of squares in fractions; certified distances to folds (plica.measure.fold_distance) of torch's batch norm in either mode,
    as networks with the batch's or the running averages
"""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np

from plica._palette import MEASUREMENT, REFERENCE
from plica._types import Array
from plica.claims import Evidence, control, row
from plica.measure import fold_distance

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from plica.network import Network

STATEMENT = "theorem"
EXPECTED = "holds"
KIND = "certified"
SEE = ("ioffe-2015-scale", "fold-distance-training")
SEED = 2022
N, D = 64, 3
RATE = 0.1  # torch's momentum: the weight of the newest batch


def data(offset: float) -> Array:
    """Gaussian points, moved along a direction."""
    rng = np.random.default_rng(SEED)
    return np.asarray(rng.standard_normal((N, D)) + offset * np.array([2.0, -1.0, 2.0]) / 3)


def squares(points: list[tuple[int, ...]], w: tuple[int, ...], b: Fraction) -> Fraction:
    """The sum of squared distances from points to the hyperplane w . x + b = 0."""
    length = sum(v * v for v in w)
    return sum(((sum(a * v for a, v in zip(p, w, strict=True)) + b) ** 2 / length for p in points), Fraction(0))


def network(x: Array | None, *, passes: int, mode: str) -> Network:
    """A 3-6-6-1 network with batch norm before its ReLUs, or none for mode "without", as an exact network.

    "training" normalizes by the batch x itself; "testing" by the running averages after some passes over x.
    """
    import torch

    import plica
    from plica.learn import mlp

    model = mlp([D, 6, 6, 1], seed=SEED, weights="he-normal", bias_std=0.0, batch_norm=mode != "without", dtype=torch.float64)
    for part in model:
        if isinstance(part, torch.nn.BatchNorm1d):
            part.momentum = 1.0 if mode == "training" else RATE
    if mode != "without":
        model.train()
        with torch.no_grad():
            for _ in range(1 if mode == "training" else passes):
                model(torch.from_numpy(x))
    return plica.from_torch(model.eval())


def check(scale: str) -> Evidence:
    rows = []
    rng = np.random.default_rng(SEED)
    for _ in range(20 if scale == "full" else 3):
        points = [tuple(int(v) for v in p) for p in rng.integers(-9, 10, (8, 3))]
        w = tuple(int(v) for v in rng.integers(1, 6, 3))
        best = -Fraction(sum(sum(a * v for a, v in zip(p, w, strict=True)) for p in points), len(points))
        for b in (Fraction(0), best + Fraction(2, 3)):
            more = squares(points, w, b) - squares(points, w, best)
            predicted = len(points) * (b - best) ** 2 / sum(v * v for v in w)
            rows.append(row(str(more), "=", str(predicted), what="sum of squared distances, above the least", offset=str(b)))
    for offset in (0.0, 4.0, 40.0):
        x = data(offset)
        mean = x.mean(0)
        trained = network(x, passes=0, mode="training")
        gap = float(fold_distance(trained, mean[None]).by_layer[0, 0])
        rows.append(row(gap, "<=", 1e-12, kind="certified", what="training mode: mean to the nearest fold", moved=offset))
        near = fold_distance(trained, x).mean
        home = fold_distance(network(data(0.0), passes=0, mode="training"), data(0.0)).mean
        about: dict[str, Any] = {"kind": "certified", "moved": offset}
        rows.append(row(near, "=", home, tolerance=1e-9, what="training mode: data to the nearest fold", **about))
    x = data(4.0)
    plain = network(None, passes=0, mode="without")
    start = float(fold_distance(plain, x.mean(0)[None]).by_layer[0, 0])
    for passes in (1, 5, 30):
        tested = network(x, passes=passes, mode="testing")
        found = float(fold_distance(tested, x.mean(0)[None]).by_layer[0, 0])
        left = (1 - RATE) ** passes * start
        rows.append(
            row(
                found,
                "=",
                left,
                kind="certified",
                tolerance=1e-9,
                what="testing mode: mean to the nearest fold",
                passes=passes,
            )
        )
    far = fold_distance(network(None, passes=0, mode="without"), data(40.0)).mean
    rows.append(control(far, ">", 4 * home, kind="certified", what="without batch norm: data to the nearest fold", moved=40.0))
    return Evidence(rows, draw=draw, seed=SEED)


def draw(ax: Axes) -> None:
    """The mean distance from the data to the nearest fold, against where the data are."""
    offsets = np.linspace(0, 20, 9)
    for name, mode, color in (("without batch norm", "without", REFERENCE), ("with, training mode", "training", MEASUREMENT)):
        far = [fold_distance(network(data(t), passes=0, mode=mode), data(t)).mean for t in offsets]
        ax.plot(offsets, far, "o-", color=color, markersize=3, label=name)
    ax.set(xlabel="distance by which the data are moved", ylabel="mean distance to the nearest fold", ylim=(0, None))
    ax.legend(frameon=False)
