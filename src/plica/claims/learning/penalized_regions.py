r"""Does a penalty that makes folds cross lead to as many cells as folding does?

Claim
    No: from a random start, training with the penalty that makes folds cross multiplies the cells of a network with N neurons and
    two inputs, but their number stays of the order of N^2 / 2 at every depth; it does not reach the exponential regime of the
    folding networks.
Source
    Plica's experiment with the penalty of Summer@ICERM 2020, final presentation [icerm-2020], against the lower bound of G.
    Montufar, R. Pascanu, K. Cho, Y. Bengio, On the Number of Linear Regions of Deep Neural Networks, NeurIPS 2014
    [montufar2014].
Prediction
    more cells than without the penalty; between 1 / 4 of and 4 times
    plica.theory.regions.hanin_rolnick_2019_regions_estimate(N, 2); at three and more layers less than a tenth of
    plica.theory.regions.montufar_2014_lower_bound
Measurement
    cells on the unit square, exactly (plica.count_regions), after learning sin(2 pi x) sin(2 pi y) with and without
    plica.learn.crossing_penalty, averaged over seeds
Stand-in
    The same for two and three layers and 12 instead of 100 epochs.
Remark
    The share of N^2 / 2 grows slowly with depth: two networks each gave 1.1, 1.2, 1.6 and 2.0 times at 2, 3, 4 and 5 layers of
    8 units, where the folding networks have 592, 9,472, 151,552 and 2,424,832 cells.
"""

from __future__ import annotations

from math import sqrt
from statistics import mean, stdev

from plica.claims import Evidence, row
from plica.claims.learning._regimes import WIDTH, cells_while_learning, random_start, regimes_figure, widths
from plica.theory.regions import hanin_rolnick_2019_regions_estimate, montufar_2014_lower_bound

STATEMENT = "question"
EXPECTED = "answered"
KIND = "estimated"
SEE = ("anti-regularization", "folding-start", "montufar-2014", "hanin-rolnick-2019-plane")
SEED = 2014


def check(scale: str) -> Evidence:
    depths, n_seeds, epochs = ((2, 3, 4, 5), 8, 100) if scale == "full" else ((2, 3), 2, 12)
    rows = []
    curves: dict[str, dict[int, float]] = {"without penalty": {}, "with penalty": {}, "folding network": {}}
    for depth in depths:
        found = {
            name: [
                cells_while_learning(
                    random_start(depth, SEED + s), seed=SEED + s, epochs=epochs, looks=1, penalty=name.startswith("with ")
                )[1][-1]
                for s in range(n_seeds)
            ]
            for name in ("without penalty", "with penalty")
        }
        estimate = float(hanin_rolnick_2019_regions_estimate(WIDTH * depth, 2))
        bound = int(montufar_2014_lower_bound(widths(depth)))
        cells, error = mean(found["with penalty"]), stdev(found["with penalty"]) / sqrt(n_seeds)
        limits = [(">", mean(found["without penalty"])), ("<=", 4 * estimate), (">=", estimate / 4)]
        for relation, limit in limits + ([("<", bound / 10)] if depth >= 3 else []):
            rows.append(row(cells, relation, limit, kind="estimated", standard_error=error, depth=depth, folding=bound))
        for name, counts in found.items():
            curves[name][depth] = mean(counts)
        curves["folding network"][depth] = bound
    return Evidence(rows, draw=regimes_figure(curves, depths), seed=SEED)
