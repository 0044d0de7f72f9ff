"""Linear regions and their bounds.

A ReLU network is affine on each of finitely many convex cells. Upper bounds of their number hold for every network of a shape,
lower bounds are reached by some; random networks stay far below both.
"""

import matplotlib.pyplot as plt

import plica
from plica.plot import plot_complex
from plica.theory.regions import bounds, zaslavsky

# One hidden layer first: eight lines in general position cut the whole plane into 1 + 8 + 28 parts.

lines = plica.random_network([2, 8, 1], seed=3, weights="he-normal", bias_std=1.0)
plane = plica.count_regions(lines, plica.Space(2))
print("one layer:", plane.n_cells, "cells; Zaslavsky's formula:", zaslavsky(8, 2))

# Three layers of eight. The folds of later layers bend where they meet earlier ones.

widths = [2, 8, 8, 8, 1]
net = plica.random_network(widths, seed=0, weights="he-normal", bias_std=0.5)
cx = plica.decompose(net, plica.Box([-3, -3], [3, 3]))
print("three layers:", cx.n_cells, "cells,", cx.n_regions, "regions")

# Every bound that applies to this shape, and the network that reaches the largest lower bound.

print(bounds(widths))
folded = plica.construct.folding(widths, fold="zigzag")
count = plica.count_regions(folded.network, plica.Box([0, 0], [1, 1]))
print(f"folding network: {count.n_regions} regions in the unit square, {folded.theorem['regions']} promised")

figure, axes = plt.subplots(1, 2, figsize=(9, 4), layout="constrained")
plot_complex(cx, ax=axes[0], color="layer")
plot_complex(cx, ax=axes[1], color="region")
axes[0].set_title("folds, by layer")
axes[1].set_title(f"{cx.n_regions} regions")
alt = "Left: the folds of a network with three layers, straight in the first layer and bent in the others. Right: its regions."
