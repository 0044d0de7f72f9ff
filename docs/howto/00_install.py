"""Install Plica, and see that it works.

One command, and a first picture. Plica runs on the processor alone, with Python 3.11 or later: it needs no GPU, no CUDA and no
compiler of yours.
"""

import matplotlib.pyplot as plt
import numpy as np

import plica

# In a checkout of the repository: `pip install -c constraints.txt .`, where the constraints choose a torch without CUDA. What
# only some need is an extra: `pip install '.[onnx]'` reads and writes ONNX files, `.[web]` has the explorer in the browser,
# `.[notebook]` its widget in Jupyter, `.[cluster]` Dask and SLURM, `.[parquet]` tables. A function whose extra is missing
# says which one to install. `make demo` does everything at once and writes a page. Plica is free software under the MIT license.

# A network, a square, and all its cells. The first call may wait a second for kernels that are compiled aside and then kept.

net = plica.random_network([2, 16, 16, 1], seed=0, weights="he-normal", bias_std=0.5)
print(net)
cx = plica.decompose(net, plica.Box([-1, -1], [1, 1]))
print(cx.n_cells, "cells,", cx.n_regions, "regions;", cx.decisions.integer, "signs were decided by integers")

# It is right: the affine map of the cell around a point gives what the network gives there.

x = np.array([0.3, 0.4])
slope, value = cx.cells[cx.cell_at(x)].affine_map
print("the cell's map says", (slope @ x + value).round(12), "and the network", net(x).round(12))

# Then: `plica demo` for a page that shows a network learning, `plica explore` for the explorer, `plica report model.onnx` for
# a model of your own, and `plica --help` for the other commands.

figure, ax = plt.subplots(figsize=(5, 4), layout="constrained")
cx.plot(ax=ax)
ax.set_title(f"{cx.n_cells} cells of a random network")
alt = "The cells of a random network with two hidden layers in a square, colored by the network's output."
