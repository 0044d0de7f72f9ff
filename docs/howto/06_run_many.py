"""Run many tasks, resumably.

A sweep is a function, a grid of parameters and seeds, and a store that survives a crash. The same table comes out of any number
of workers, in any order, interrupted or not.
"""

import tempfile
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np

import plica
from plica.sweeps import Sweep, run


def cells(width: int, seed: int) -> dict[str, float]:
    """How many cells a random network of two layers has on a square."""
    rng = np.random.default_rng(seed)  # seeds of tasks have 63 bits
    net = plica.random_network([2, width, width, 1], seed=rng, weights="he-normal", bias_std=0.5)
    return {"n_cells": plica.count_regions(net, plica.Box([-1, -1], [1, 1]), cells_only=True).n_cells}


# All combinations, four seeds each, into a store. A run that was cut goes on where it stopped.

sweep = Sweep(cells, grid={"width": [8, 16, 32]}, seeds=range(4))
store = Path(tempfile.mkdtemp()) / "cells.db"
table = run(sweep, store=store)
print(len(table), "rows; run again:", run(sweep, store=store).n_earlier, "were in the store")

# On the command line: `plica sweep run package.module:sweep --store cells.db`, with `--cluster local:4` or a scheduler's
# address.

widths = np.array(sorted({row["width"] for row in table}))
means = np.array([np.mean([row["n_cells"] for row in table if row["width"] == w]) for w in widths])
for width, mean in zip(widths, means, strict=True):
    print(f"width {width}: {mean:.0f} cells on average")
print(f"grows like width to the power {np.polyfit(np.log(widths), np.log(means), 1)[0]:.2f}")

figure, ax = plt.subplots(figsize=(4.6, 3.4), layout="constrained")
ax.loglog(widths, means, "o-", color="#0072B2")
ax.set(xlabel="width of two layers", ylabel="cells, mean of four seeds", xticks=widths, xticklabels=widths)
alt = "Cells of random networks of two layers against their width on logarithmic axes, close to a straight line."
