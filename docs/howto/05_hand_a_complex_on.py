"""Hand a complex on to other tools.

Cells, vertices and incidences are plain arrays with offsets. Exports lead to networkx, shapely and GeoJSON, meshio (VTK, PLY,
OBJ), gudhi and polymake; a saved complex is checked when it is loaded again.
"""

import matplotlib.pyplot as plt
import numpy as np

import plica

net = plica.random_network([2, 16, 16, 1], seed=2, weights="he-normal", bias_std=0.5)
cx = plica.decompose(net, plica.Box([-1, -1], [1, 1]))

# Bulk arrays: cell c has the vertices `cell_vertices[cell_offsets[c] : cell_offsets[c + 1]]`.

corners = np.diff(cx.cell_offsets)
print(cx.n_cells, "cells with", corners.min(), "to", corners.max(), "corners; areas add up to", float(np.sum(cx.sizes())))
A, c = cx.affine_maps()
print("affine maps of all cells at once:", A.shape, c.shape)

# The graph of neighbors is a sparse matrix; `to_networkx()` is the same with names, `to_shapely()` and `to_geojson()` are
# polygons.

print("pairs of neighbors:", cx.adjacency().nnz // 2)
features = cx.to_geojson()["features"]
print("GeoJSON:", len(features), "features,", features[0]["geometry"]["type"])

# Rational vertices and incidences as text, for polymake and Sage.

print(cx.to_polymake().splitlines()[0])

figure, ax = plt.subplots(figsize=(5, 3.2), layout="constrained")
ax.bar(*np.unique(corners, return_counts=True), color="#0072B2")
ax.set(xlabel="corners of a cell", ylabel="cells", title="polygons of a random network")
alt = "How many cells of a random network have three, four, five and more corners."
