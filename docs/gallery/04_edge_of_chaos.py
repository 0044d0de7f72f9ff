"""Mean field and the edge of chaos.

In a wide random network the correlation of two inputs follows a map from layer to layer. If its slope chi_1 at one is below
one, all inputs come together (order); above one, near inputs part (chaos). Signals go deepest on the edge between.
"""

import matplotlib.pyplot as plt
import numpy as np

from plica.plot import plot_phase_diagram
from plica.theory.meanfield import MeanField, edge_of_chaos, phase_diagram

for weight_std in (0.9, 1.5, 2.5):
    field = MeanField("tanh", weight_std=weight_std, bias_std=0.3)
    length, correlation = field.fixed_length(), field.fixed_correlation
    print(f"sigma_w = {weight_std}: {field.phase}, length q* = {length:.4f}, correlation c* = {correlation:.4f}")

# Where the edge is, for the biases above. For ReLU it is He's variance 2 without biases, and nowhere else.

edge = edge_of_chaos("tanh", bias_std=0.3)
print(f"tanh: the edge is at sigma_w = {edge.weight_std:.4f}, with q* = {edge.length:.4f}")
print(f"ReLU: sigma_w^2 = {edge_of_chaos('relu', bias_std=0.0).weight_std ** 2:.4f}")

# The whole diagram.

diagram = phase_diagram("tanh", weight_stds=np.linspace(0.5, 3.0, 45), bias_stds=np.linspace(0.0, 1.0, 25))
print(diagram)

figure, ax = plt.subplots(figsize=(6, 4), layout="constrained")
plot_phase_diagram(diagram, ax=ax).collections[0].set_edgecolor("face")
alt = "Phase diagram of tanh networks: ordered for small weights, chaotic for large ones, with the edge of chaos as a line."
