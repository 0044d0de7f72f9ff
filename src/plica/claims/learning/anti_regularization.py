r"""A penalty that makes folds cross makes more regions.

Claim
    Added to the loss, a penalty that vanishes when every bent fold crosses every earlier fold gives a trained network more
    regions than training alone, with little change of its accuracy.
Source
    Summer@ICERM 2020, final presentation, on anti-regularization [icerm-2020], for two inputs and two hidden layers, with the
    formula of claim activation-pattern-form; the form for any depth is Plica's.
Prediction
    at least 1.2 times as many regions on the square as without the penalty, by the mean of the logarithm, and an accuracy on
    test points that is not lower by more than 0.1
Measurement
    regions on a square around two moons, exactly (plica.decompose), after training with plica.learn.pattern_penalty,
    plica.learn.crossing_penalty and without, averaged over seeds
Remark
    Three runs at full scale were inconclusive. One of the three ratios had a mean of 1.53 with a standard error of 0.11 from ten
    seeds, then 1.58 with 0.10 from twenty-four, four of which reach below 1.2. Of forty-eight others one network without the
    penalty died, so that a third ratio was 11.6 with 8.7, beside 1.54 with 0.06 and 1.86 with 0.07. What is averaged since then,
    over forty-eight more, are logarithms of ratios, on which a dead network does not weigh more than all others.
"""

from __future__ import annotations

from collections.abc import Callable
from math import log, sqrt
from typing import TYPE_CHECKING, Any

import numpy as np

import plica.data
from plica._palette import INK, SERIES
from plica._types import Array
from plica.claims import Evidence, Row, row
from plica.geometry import Box

if TYPE_CHECKING:
    from matplotlib.axes import Axes

STATEMENT = "published result"
EXPECTED = "reproduced"
KIND = "estimated"
SEE = ("activation-pattern-form", "penalized-regions", "folding-start")
SEED = 114
SQUARE = Box([-2.0, -1.5], [3.0, 2.0])


def train(widths: tuple[int, ...], kind: str, seed: int, epochs: int) -> tuple[int, int, float]:
    """Regions before and after, and the accuracy on test points."""
    from plica.learn import Regions, crossing_penalty, fit, mlp, pattern_penalty

    data = plica.data.load("moons", n=300, noise=0.15, seed=seed).split(1 / 3, seed=seed)
    penalties = {
        "none": None,
        "patterns": pattern_penalty(weight=0.1),
        "crossings": crossing_penalty(SQUARE, weight=0.1, seed=seed),
    }
    probe = Regions(domain=SQUARE, every=epochs)
    model = mlp(widths, seed=seed)
    found = fit(model, data, epochs=epochs, batch=20, rate=1e-2, penalty=penalties[kind], seed=seed, probes=[probe]).history
    before, *_, after = [n for n in found["regions_n_regions"] if n is not None]
    return before, after, found["test_accuracy"][-1]


def check(scale: str) -> Evidence:
    seeds, epochs = (range(SEED + 72, SEED + 120), 200) if scale == "full" else (range(SEED, SEED + 2), 15)
    shapes = ((2, 12, 12, 1), (2, 8, 8, 8, 1)) if scale == "full" else ((2, 12, 12, 1),)
    rows: list[Row] = []
    regions: dict[str, Array] = {}
    for widths in shapes:
        kinds = ("none", "patterns", "crossings") if len(widths) == 4 else ("none", "crossings")
        runs = {k: np.array([train(widths, k, seed, epochs) for seed in seeds], dtype=float) for k in kinds}
        regions |= {f"{'-'.join(map(str, widths[1:-1]))}: {k}": found[:, 1] for k, found in runs.items()}
        for kind in kinds[1:]:
            ratio = np.log(runs[kind][:, 1] / runs["none"][:, 1])
            lost = runs["none"][:, 2] - runs[kind][:, 2]
            before, after = (float(values.mean()) for values in runs[kind].T[:2])
            shape = {"widths": widths, "penalty": kind, "before": before}
            rows.append(_estimated(ratio, ">=", log(1.2), what="log of regions, with over without", after=after, **shape))
            rows.append(_estimated(lost, "<=", 0.1, what="accuracy lost", **shape))
    return Evidence(rows, draw=figure(regions), seed=SEED)


def _estimated(values: Array, relation: str, predicted: float, **parameters: Any) -> Row:
    error = float(values.std(ddof=1) / sqrt(len(values)))
    return row(float(values.mean()), relation, predicted, kind="estimated", standard_error=error, **parameters)


def figure(regions: dict[str, Array]) -> Callable[[Axes], None]:
    """Regions after training, a dot for each seed."""

    def draw(ax: Axes) -> None:
        for i, (name, values) in enumerate(regions.items()):
            color = dict(zip(("none", "patterns", "crossings"), SERIES, strict=False))[name.split(": ")[1]]
            ax.bar([i], [values.mean()], color=color, width=0.6, alpha=0.6)
            ax.plot(np.full(len(values), i), values, "o", color=INK, markersize=4)
        ax.set_xticks(range(len(regions)), [name.replace(": ", "\n") for name in regions])
        ax.set_ylabel("regions after training")
        ax.spines[["top", "right"]].set_visible(False)

    return draw
