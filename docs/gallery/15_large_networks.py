"""What a run will cost, and what can be had without it.

How many cells a network has on a plane is hard to guess, and a complex of millions of them takes gigabytes. A few small parts of
the domain estimate the cost beforehand; counts, class shares and decision boundaries are found tile by tile, in memory that
does not grow with the number of cells.
"""

import matplotlib.pyplot as plt
import numpy as np

import plica
from plica.measure import class_volumes

net = plica.random_network([2, 80, 80, 80, 3], seed=4, weights="he-normal", bias_std=0.3)
square = plica.Box([-4, -4], [4, 4])

# The estimate says how it was made and how far off it may be; `plica regions model.onnx --estimate` prints the same.

cost = plica.estimate_cost(net, square, n_samples=12)
print(f"about {cost.n_cells:,.0f} cells, standard error {cost.n_cells_error:,.0f}")
print("counted:", plica.count_regions(net, square, cells_only=True).n_cells)

# A budget is kept: what was finished comes with the exception.

try:
    plica.decompose(net, square, budget=plica.Budget(max_cells=20_000))
except plica.BudgetExceeded as stop:
    print("stopped after", stop.partial["layers_done"], "layers with", stop.partial["n_cells"], "cells")

# The decision boundary needs no complex: where bounds prove that one output is the largest, nothing is computed.

curves = plica.decision_boundary(net, square)
shares = class_volumes(net, square, in_parts=True).shares
some = plica.decision_boundary(net, square, samples=12)  # follows what passes between samples, and proves nothing about the rest
print(f"{some.length:.3f} of {curves.length:.3f}, {len(some.open_tiles)} tiles not looked at")
print(f"{len(curves.polylines)} curves; classes hold", np.round(shares, 4))

figure, ax = plt.subplots(figsize=(4, 4))
for line in curves.polylines:
    ax.plot(*line.T, color="black", linewidth=0.8)
ax.set(xlim=(-4, 4), ylim=(-4, 4), aspect="equal", xlabel="x", ylabel="y", title="where the largest output changes")
alt = "The curves on which two of three outputs of a random network are equal and largest, in a square."
