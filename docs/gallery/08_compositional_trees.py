"""Compositional functions: a tree pays for its nodes only.

A function of four variables that is a binary tree of functions of two is approximated node by node. Its effective dimension is
that of a node, 2/m, not n/m.
"""

from fractions import Fraction

import matplotlib.pyplot as plt
import numpy as np

from plica.construct import balanced_tree, cos, estimate_effective_dimension, sin, tree, variables
from plica.theory.approximation import effective_dimension, effective_dimension_of_tree

# The function: h(h(x1, x2), h(x3, x4)) with one smooth h from the unit square to the unit interval.

u, v = variables(2)
root = balanced_tree((1 + sin(3 * u + 1) * cos(2 * v - Fraction(1, 2))) / 2, 4)
x = np.random.default_rng(0).random((1000, 4))

weights, errors, bounds = [], [], []
for n in (4, 8, 16):
    net = tree(root, n)
    weights.append(net.n_weights)
    errors.append(np.abs(net(x)[:, 0] - root(x)).max())
    bounds.append(float(net.certificate.bound))
    print(f"n = {n:2d}: {weights[-1]:5d} weights, error at random points {errors[-1]:.5f}, certified {bounds[-1]:.5f}")

measured = estimate_effective_dimension(weights, errors)
print(f"effective dimension {measured.value:.2f}; tree: {effective_dimension_of_tree(2)}, generic: {effective_dimension(4, 2)}")

figure, ax = plt.subplots(figsize=(5.5, 3.5), layout="constrained")
ax.loglog(weights, errors, "o-", color="#0072B2", label="at random points")
ax.loglog(weights, bounds, "s:", color="#1B1B1B", label="certified")
ax.set_xlabel("weights")
ax.set_ylabel("largest error")
ax.legend(frameon=False)
alt = "Error of the network of a tree against its weights: a line of slope about minus one, below the certified bounds."
