r"""Vinyals, Fortunato, Jaitly: a pointer network finds convex hulls.

Claim
    A pointer network, trained on a million sets of 5 random points, points at the corners of the convex hull in order: on new
    sets one with 128 units finds at least 85 percent of the hulls corner for corner, and covers at least 98 percent of their
    area.
Source
    After O. Vinyals, M. Fortunato, N. Jaitly, Pointer Networks, NeurIPS 2015, Table 1 [vinyals2015]: 92 and 99.6 percent, with
    four times as many units.
Prediction
    at least 0.85 of the hulls and at least 0.98 of the area: what is asked of the smaller network
Measurement
    plica.models.recurrent.PointerNetwork with 128 units on new points, greedy search; the hulls by Andrew's chains
Stand-in
    After a few hundred steps on sets of 4 points, a small pointer network finds more than twice as many hulls as pointing at
    all points in the order given.
Remark
    At full scale 90.5 percent were found, with a standard error of 0.8, and 99.5 percent of the area: less than the printed
    numbers.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from plica._palette import MEASUREMENT, REFERENCE
from plica.claims import Evidence, row

if TYPE_CHECKING:
    from matplotlib.axes import Axes

STATEMENT = "published result"
EXPECTED = "reproduced"
KIND = "estimated"
SEED = 1506


def trained(n_points: int, *, d: int, n_steps: int, n_batch: int, rate: float, name: str = "") -> Any:
    """A pointer network after some steps, each with new points."""
    from plica.claims.architectures._hulls import batch, pointer_loss
    from plica.learn.tasks import Recipe, train
    from plica.models import build
    from plica.models.recurrent import PointerConfig, PointerNetwork

    model = build(PointerNetwork, PointerConfig(2, d_hidden=d), seed=SEED)

    def draw(step: int) -> Any:
        return batch(n_batch, n_points, np.random.default_rng([SEED, step]))[:2]

    def objective(model: Any, drawn: Any) -> Any:
        points, target = drawn
        return pointer_loss(model(points, target[:, :-1]), target)

    recipe = Recipe(n_steps, rate=rate, n_warmup=50, seed=SEED, n_between_checkpoints=1000)
    train(model, draw, objective, recipe, name=name)
    return model


def check(scale: str) -> Evidence:
    from plica.claims.architectures._hulls import batch, score
    from plica.models.decoding import greedy

    is_full = scale == "full"
    n_points, n_test = (5, 4000) if is_full else (4, 500)
    if is_full:
        model = trained(5, d=128, n_steps=8000, n_batch=128, rate=3e-3, name="vinyals-2015-hull")
    else:
        model = trained(4, d=48, n_steps=240, n_batch=48, rate=7e-3)
    points, _, hulls = batch(n_test, n_points, np.random.default_rng(SEED))
    answers = greedy(model, points, max_length=n_points + 1).tokens
    right, covered = score(answers, points, hulls)
    plain, plain_area = score(tuple(tuple(range(1, n_points + 1)) for _ in hulls), points, hulls)
    least, least_area = (0.85, 0.98) if is_full else (2 * plain, plain_area)
    error, n = 0.5 / n_test**0.5, n_points
    rows = [
        row(right, ">=", least, kind="estimated", standard_error=error, points=n, what="hulls right"),
        row(covered, ">=", least_area, kind="estimated", standard_error=error / 10, points=n, what="area covered"),
        row(
            plain, "<", right, kind="estimated", standard_error=error, points=n, what="hulls right, all points in the order given"
        ),
    ]
    return Evidence(rows, draw=figure(points[:9].numpy(), answers[:9]), seed=SEED)


def figure(points: Any, answers: Any) -> Callable[[Axes], None]:
    """Nine sets of points side by side, with the polygons that the network drew."""

    def draw(ax: Axes) -> None:
        for k, (one, answer) in enumerate(zip(points, answers, strict=True)):
            shifted = one + 4.8 * np.array([k % 3, k // 3])
            ax.plot(*shifted.T, "o", color=REFERENCE, markersize=3)
            ring = [i - 1 for i in (*answer, *answer[:1])]
            ax.plot(*shifted[ring].T, color=MEASUREMENT, linewidth=1.2)
        ax.set_aspect("equal")
        ax.set_axis_off()

    return draw
