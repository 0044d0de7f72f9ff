r"""Learning digits does not make more cells, at any depth.

Claim
    While a ReLU network with N neurons learns MNIST, the number of its cells on a plane through three training images stays
    below N^2 / 2, the order that any depth has at initialization, and changes by less than a factor of 3.
Source
    B. Hanin, D. Rolnick, Deep ReLU Networks Have Surprisingly Few Activation Patterns, NeurIPS 2019, arXiv 1906.00904
    [hanin2019b]; Summer@ICERM 2020, final presentation, on cells over N^2 while training [icerm-2020].
Prediction
    at every stage and depth fewer than plica.theory.regions.hanin_rolnick_2019_regions_estimate(N, 2) cells, and between 1 / 3
    of and 3 times those before training
Measurement
    cells on a square of the plane, exactly for each network (plica.count_regions), averaged over seeds
Stand-in
    The same for the 8 x 8 digits, 48 neurons and 4 epochs.
Remark
    A plane that is 2-dimensional is essential: with n_in inputs the order is N^n_in. The factor was 4 with four seeds; it was set
    to 3, and the seeds to twelve, after the stand-in, where cells fell to 0.74 to 0.84 of those at the start.
"""

from __future__ import annotations

from typing import Any

from plica.claims import Evidence, row
from plica.claims.learning._watch import curves, plane_through, watch
from plica.learn import Regions
from plica.theory.regions import hanin_rolnick_2019_regions_estimate

STATEMENT = "published result"
EXPECTED = "reproduced"
KIND = "estimated"
SEE = ("hanin-rolnick-2019-training", "hanin-rolnick-2019-plane", "fold-distance-training")
SEED = 1906


def check(scale: str) -> Evidence:
    is_full = scale == "full"
    n, n_seeds, epochs, every = (192, 12, 10, 1) if is_full else (48, 12, 4, 4)
    bound = float(hanin_rolnick_2019_regions_estimate(n, 2))
    rows, found = [], {}
    for depth in (1, 2, 3, 4) if is_full else (1, 2, 4):
        found[depth] = watch(
            scale,
            [n // depth] * depth,
            probe=lambda data, seed: Regions(domain=plane_through(data, seed), cells_only=True, every=every),
            column="regions_n_cells",
            seeds=range(SEED, SEED + n_seeds),
            epochs=epochs,
        )
        for i, epoch in enumerate(found[depth].epochs):
            cells, error = found[depth].mean(i)
            about: dict[str, Any] = {"kind": "estimated", "depth": depth, "epoch": epoch, "neurons": n}
            rows.append(row(cells, "<", bound, standard_error=error, accuracy=found[depth].accuracy, what="cells", **about))
            if i:
                change, error = found[depth].change(i)
                for relation, limit in (("<", 3.0), (">", 1 / 3)):
                    rows.append(row(change, relation, limit, standard_error=error, what="against the start", **about))
    return Evidence(rows, draw=curves(found, lambda depth: 1 / n**2, "cells / N²"), seed=SEED)
