"""What the complex knows.

Cells, with their affine maps, are the whole function. Extremes, integrals, distributions, Lipschitz constants, attributions and
the topology of decision regions can be read off them: exactly, or with certified bounds, where sampling gives estimates.
"""

import matplotlib.pyplot as plt
import numpy as np

import plica
from plica import measure

net = plica.random_network([2, 16, 16, 1], seed=4, weights="he-normal", bias_std=0.5)
box = plica.Box([-1, -1], [1, 1])
cx = plica.decompose(net, box)

# The largest value is at a vertex, and rational arithmetic names it. Ten thousand samples stay below.

found = measure.extremes(cx)
sample = net(np.random.default_rng(0).uniform(-1, 1, (10_000, 2)))[:, 0]
print(f"maximum {float(found.maximum):.6f} at {np.round(found.maximum.point, 4)}, exact; sampled {sample.max():.6f}")

# Mean and variance with certified bounds; the volume where the output is positive.

m = measure.moments(cx)
print("mean", m.mean, "variance", m.variance)
print("classes", measure.class_volumes(net, box))

# The Lipschitz constant is that of the steepest cell; the product of the layers' norms is far above it.

steep = measure.lipschitz(cx)
print(steep, f"; product of norms {steep.gap:.1f} times as large")

# Integrated gradients need no steps: in fractions they add up to the change of the output to the last bit.

ig = measure.integrated_gradients(net, [0.9, 0.4], [-0.8, -0.6], exact=True)
print("attributions", np.round(ig.values, 6), "defect", ig.defect, "sum of 50 steps", np.round(ig.riemann(50), 6))

# Components and holes of the positive region, and how cells hang together.

shape, graph = measure.class_topology(net, box, 1), measure.dual_graph(cx)
print(shape, "; mean degree", round(graph.mean_degree, 3), "diameter", graph.diameter)

# As a level rises, components of the set below it appear and merge, holes open and close: where, and at which exact values.

diagram, points = measure.persistence(cx), measure.critical_points(cx)
print(diagram, "; inside the square", [p.index for p in points.interior], "; indices add up to", points.euler)

# A small network as a difference of two convex functions, and what leaves the function of a network as it is.

small = plica.random_network([2, 3, 1], seed=0, weights="he-normal", bias_std=0.5)
form = measure.tropical_form(small)
print(form.positive, form.negative, "; at (1/2, 1/4):", float(form([0.5, 0.25])))
print(measure.symmetries(plica.decompose(small, plica.Space(2))))

# Rounding the weights to half precision: the largest change of the output on the whole square.

ops = [node.op for node in net.nodes[1:]]
half = [type(op)(op.weight.astype(np.float16).astype(float), op.bias) if hasattr(op, "weight") else op for op in ops]
print(measure.compare(net, plica.Network.sequential(2, half), box))

figure, axes = plt.subplots(1, 3, figsize=(13, 3.6), layout="constrained")
cx.plot(ax=axes[0], boundary=True)
axes[0].plot(*found.maximum.point, "k*", markersize=12)
axes[0].set_title("the network; its maximum is starred")
measure.distribution(cx).plot(ax=axes[1])
diagram.plot(ax=axes[2])
alt = (
    "Left: a network on a square with its zero set and the point of its maximum. Middle: the distribution function of its "
    "output. Right: the persistence diagram of its sublevel sets."
)
