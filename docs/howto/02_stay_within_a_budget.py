"""Stay within memory and time.

A plane through a large network may have millions of cells. Ask beforehand what it costs, give a budget that is kept, and where
you need a number and not a complex, ask for the number.
"""

import matplotlib.pyplot as plt

import plica

net = plica.random_network([2, 60, 60, 60, 60, 2], seed=0, weights="he-normal", bias_std=0.4)
square = plica.Box([-2, -2], [2, 2])

# An estimate looks at small parts of the domain and says how uncertain it is. Or: `plica regions MODEL --estimate`.

cost = plica.estimate_cost(net, square, n_samples=8)
print(f"about {cost.n_cells:,.0f} cells, give or take {cost.n_cells_error:,.0f}")

# A budget holds inside every loop; the exception knows what was finished. Without one, half of the machine's memory is the
# limit.

try:
    plica.decompose(net, square, budget=plica.Budget(max_cells=5_000, max_seconds=60, max_bytes=2**30))
except plica.BudgetExceeded as stop:
    print("stopped:", stop.partial["layers_done"], "of", stop.partial["n_layers"], "layers,", stop.partial["n_cells"], "cells")

# Only the number of cells: the last layer is counted and not built.

print("counted:", plica.count_regions(net, square, cells_only=True).n_cells)

# Only where the answer changes: bounds skip what they can prove, the rest is followed from cell to cell. Or:
# `plica boundary MODEL --plot boundary.svg`, with `--samples 12` for large networks of images.

curves = plica.decision_boundary(net, square)
print("curves of the decision boundary:", len(curves.polylines))

# Many segments in one call share what can be shared; each is made when it is asked for, and freed before the next.

segments = [plica.Segment([-2.0, y], [2.0, y]) for y in (-1.0, 0.0, 1.0)]
print("pieces:", [cx.n_cells for cx in plica.decompose_many(net, segments)])

figure, ax = plt.subplots(figsize=(5.2, 4), layout="constrained")
curves.plot(network=net, ax=ax)
ax.set_title("decision boundary, no complex made")
alt = "The decision boundary of a random network of four layers in a square, between the areas of its two outputs."
