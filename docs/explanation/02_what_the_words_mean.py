"""What the words mean.

Cell, region, fold, piece, state, complex, boundary, claim: each has one meaning everywhere in Plica: in the library, the
commands, the explorer and these pages. Here they are, on a network so small that everything can be counted by eye.
"""

import matplotlib.pyplot as plt

import plica

# A *network* is a graph of affine operations and folds. A *layer* is a folding operation, counted from 0; its *units*
# (neurons) fold where their input is zero. This one has 3 units in layer 0 and 2 in layer 1.

net = plica.random_network([2, 3, 2, 1], seed=14, weights="he-normal", bias_std=0.7)
cx = plica.decompose(net, plica.Box([-2, -2], [2, 2]))
print(net)

# A *cell* is a maximal set of inputs with one *pattern*: every unit is in the same *state*, for a ReLU off (0) or on (1).
# Cells are convex, and on a cell the network is one affine map, `A x + c`. The *complex* is all cells, folds and vertices in a
# *domain* (a segment, a plane, a box), and how they touch.

cell = cx.cells[cx.cell_at([0.0, 0.0])]
slope, value = cell.affine_map
pattern = " ".join("".join(map(str, layer)) for layer in cell.pattern)
print(f"the cell at the origin: pattern {pattern}, area {cell.size:.3f}, A = {slope[0].round(3)}, c = {value[0]:.3f}")

# A *fold* is a face between two cells, where one unit changes its state. All folds of one unit are its *bent hyperplane*:
# straight in layer 0, bent in later layers wherever it crosses an earlier fold. On a line cells are called *pieces*, folds
# *breakpoints*.

for layer in (0, 1):
    counts = [len(cx.folds(layer=layer, neuron=unit)) for unit in range(3 - layer)]
    print("folds of layer", layer, "by unit:", counts)

# A *region* is a connected union of cells on which the network is one and the same affine map. Two cells may be one region:
# where a unit switches and nothing reads it, the map stays. So there are at most as many regions as cells.

print(cx.n_cells, "cells,", cx.n_regions, "regions,", cx.n_vertices, "vertices")
line = plica.decompose(net, plica.Segment([-2, -1], [2, 1]))
print(line.n_cells, "pieces on a segment")

# The *decision boundary* is where the answer changes: where the only output is zero, or where two outputs are the largest.

# Every number says what it is: *exact* (decided by certified signs on the weights as stored), *certified* (a bound that is
# proved) or *estimated* (with a standard error and a seed).

# A *claim* is a statement from a paper or a lecture with a check that runs. Its verdict: it *holds*; it is *refuted*, with a
# counterexample; it is *reproduced* or *not reproduced*, if somebody published numbers; it is *answered*, if nobody had. A
# *certificate* is an inequality with its numbers that `verify` proves again by another way.

figure, (left, right) = plt.subplots(1, 2, figsize=(9, 4.2), layout="constrained")
cx.plot(ax=left, color="layer")
left.set_title("folds, by the layer of their unit")
cx.plot(ax=right, color="region", boundary=True)
right.set_title(f"{cx.n_cells} cells, {cx.n_regions} regions, and the boundary")
alt = "Left: three straight folds of layer 0 and the bent folds of layer 1. Right: regions in colors, with the decision boundary."
