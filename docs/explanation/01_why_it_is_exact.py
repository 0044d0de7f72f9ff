"""Why the counts are exact.

A count of cells is a statement about signs: of which sign is this neuron at this vertex? Floating point answers with an error.
Plica bounds that error, believes the sign only where the bound allows it, and asks integers where it does not. This page is the
proof in outline, with each step run on a network that floating point gets wrong.
"""

import matplotlib.pyplot as plt
import numpy as np

import plica
from plica.network import Linear, Network, Rectifier

# (1) What is to be computed. Weights are the floats that are stored, so they are rational numbers, and a network over a
# polytope is a finite complex: cut the polytope with the zero sets of the first layer's neurons; on each part the second layer
# is affine again; and so on. Nothing in this definition rounds.

net = plica.random_network([2, 12, 12, 1], seed=3, weights="he-normal", bias_std=0.5)
box = plica.Box([-1, -1], [1, 1])
cx = plica.decompose(net, box)
print(cx.n_cells, "cells,", cx.n_vertices, "vertices; decisions:", cx.decisions)

# (2) The complex follows from signs. An edge is cut where its ends are strictly - and +; a cell is cut where it has vertices of
# both signs; in a convex cell the new vertices on the boundary, in cyclic order, say which chords cross. Besides signs only the
# order of crossings along an edge or chord is asked, and that is a sign, too: of a difference. Euler's formula must come out.

print("V - E + F =", cx.n_vertices - len(cx.edges) + cx.n_cells)

# (3) A sign in floating point. If z was computed for a form whose true value differs by at most e, then |z| > e decides the
# sign. Each affine layer multiplies the bound by its operator norm and adds what its own sums can lose, gamma_n (|A| |x| +
# |b|); interpolation at a new vertex adds what is uncertain about its place. The bound is computed upwards, so it is true
# whatever the processor rounds.

# (4) What the bound leaves open goes up a ladder: the vertex is computed anew from the affine map of its cell, in doubles and
# then in extended precision, and what is still open in integers. There it ends: a vertex is the intersection of hyperplanes
# that the engine remembers by name, all of them rational, so zero is a possible answer and not a nuisance.

eps = 2.0**-52
weight = np.array([[1.0, 0.3], [1.0 + eps, 0.3], [2.0, 0.6]])
twin = Network.sequential(2, [Linear(weight, np.array([0.1, 0.1, 0.2])), Rectifier()])
near = plica.decompose(twin, box)
print("two lines one bit apart, one of them twice:", near.n_cells, "cells;", near.decisions)

# (5) What sampling sees. A quarter of a million points of a grid find most cells of a network of two layers, and miss the small
# ones.

wider = plica.random_network([2, 40, 40], seed=0, weights="he-normal", bias_std=0.5)
hidden = Network.sequential(2, [*[n.op for n in wider.nodes[1:]], Rectifier()])
exact = plica.decompose(hidden, box)
grid = np.stack(np.meshgrid(*[np.linspace(-1, 1, 501)] * 2), axis=-1).reshape(-1, 2)
first = grid @ hidden.nodes[1].op.weight.T + hidden.nodes[1].op.bias
on = np.concatenate([first > 0, hidden(grid) > 0], axis=1)
print(exact.n_cells, "cells; on a grid of 251,001 points", len(np.unique(on, axis=0)), "of them are seen")

# (6) Regions are cells glued where two neighbors have one affine map, which is a question about zero, asked in the same room.
# So `n_regions` may be smaller than `n_cells`, as it should: here a neuron switches and nothing reads it.

unread = Network.sequential(2, [*[n.op for n in twin.nodes[1:]], Linear(np.array([[1.0, 0.0, 0.0]]))])
count = plica.count_regions(unread, box)
print(count.n_cells, "cells are", count.n_regions, "regions")

# (7) What is not exact, and says so: coordinates, areas and maps are rounded once from exact or bounded values; averages over
# random networks are estimates with a standard error; smooth activations are refused, or put between two piecewise-linear
# networks.

print("a vertex in fractions:", cx.exact_vertex(cx.n_vertices - 1))

figure, (left, right) = plt.subplots(1, 2, figsize=(9, 3.8), layout="constrained")
cx.plot(ax=left, colorbar=False)
left.set_title("every sign of this picture is proved")
names, sizes = ("doubles", "extended", "integers"), (near.decisions.double, near.decisions.extended, near.decisions.integer)
right.barh(names, sizes, color=["#0072B2", "#E69F00", "#D55E00"])
right.set(xlabel="decisions", title="two lines one bit apart: who decided")
right.bar_label(right.containers[0])
alt = "Left: a small network. Right: signs decided by doubles, extended precision and integers for two lines a bit apart."
