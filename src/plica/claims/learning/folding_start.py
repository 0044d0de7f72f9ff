r"""Does a folding network stay folded while it learns?

Claim
    In part: a network that starts as the folding network of Montufar's lower bound loses more than half of its cells while it
    learns a smooth function, yet at three and more layers it keeps more than twice N^2 / 2 and its cells still multiply from
    layer to layer: the exponential regime is reached by initialization, with a smaller base, and not by training.
Source
    Plica's experiment; the start is that of G. Montufar, R. Pascanu, K. Cho, Y. Bengio, On the Number of Linear Regions of Deep
    Neural Networks, NeurIPS 2014 [montufar2014], the question that of Summer@ICERM 2020, final presentation [icerm-2020].
Prediction
    before training plica.theory.regions.montufar_2014_lower_bound cells, after it less than half; at three and more layers more
    than twice plica.theory.regions.hanin_rolnick_2019_regions_estimate(N, 2), and at least 2.5 times as many as with one layer
    less
Measurement
    cells on the unit square, exactly (plica.count_regions), before and after learning sin(2 pi x) sin(2 pi y) with Adam,
    averaged over seeds
Stand-in
    The same for two and three layers and 12 instead of 100 epochs.
"""

from __future__ import annotations

from math import sqrt
from statistics import mean, stdev
from typing import Any

from plica.claims import Evidence, row
from plica.claims.learning._regimes import WIDTH, cells_while_learning, folding_start, random_start, regimes_figure, widths
from plica.theory.regions import hanin_rolnick_2019_regions_estimate, montufar_2014_lower_bound

STATEMENT = "question"
EXPECTED = "answered"
KIND = "estimated"
SEE = ("penalized-regions", "montufar-2014", "sawtooth-relearned")
SEED = 141


def check(scale: str) -> Evidence:
    depths, n_seeds, epochs = ((2, 3, 4), 5, 100) if scale == "full" else ((2, 3), 5, 12)
    rows = []
    curves: dict[str, dict[int, float]] = {"folding, before": {}, "folding, after": {}, "random, after": {}}
    for depth in depths:
        bound = int(montufar_2014_lower_bound(widths(depth)))
        runs = [
            cells_while_learning(folding_start(depth), seed=SEED + s, epochs=epochs, looks=1, penalty=False)
            for s in range(n_seeds)
        ]
        after = [cells[-1] for _, cells, _ in runs]
        others = [
            cells_while_learning(random_start(depth, SEED + s), seed=SEED + s, epochs=epochs, looks=1, penalty=False)[1][-1]
            for s in range(n_seeds)
        ]
        cells, error = mean(after), stdev(after) / sqrt(n_seeds)
        shape: dict[str, Any] = {"depth": depth, "loss": mean(loss for _, _, loss in runs), "random_start": mean(others)}
        rows.append(row(runs[0][1][0], "=", bound, what="before training", depth=depth))
        rows.append(row(cells, "<", bound / 2, kind="estimated", standard_error=error, what="after", **shape))
        if depth >= 3:
            estimate = float(hanin_rolnick_2019_regions_estimate(WIDTH * depth, 2))
            rows.append(row(cells, ">", 2 * estimate, kind="estimated", standard_error=error, what="against N^2 / 2", **shape))
            before = curves["folding, after"][depth - 1]
            growth = row(cells, ">=", 2.5 * before, kind="estimated", standard_error=error, what="one layer less", **shape)
            rows.append(growth)
        for name, value in zip(curves, (bound, cells, mean(others)), strict=True):
            curves[name][depth] = value
    return Evidence(rows, draw=regimes_figure(curves, depths), seed=SEED)
