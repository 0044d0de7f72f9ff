"""How long a line becomes.

A random network stretches a line by a factor in every layer. For ReLU layers with Gaussian weights the expected factor is known
in closed form for every width; one network of finite width scatters around it.
"""

import matplotlib.pyplot as plt
import numpy as np

import plica
from plica.measure import Ensemble
from plica.plot import plot_ensemble_lengths
from plica.theory.lengths import relu_length_factor

# One network: the path is broken at every fold, so that its length after each layer is exact up to rounding.

width, depth, weight_std = 32, 6, 2.0
a, b = np.zeros(width), np.ones(width)
net = plica.random_network([width] * (depth + 1) + [1], seed=0, weights="normal", gain=weight_std)
length = plica.trajectory_length(net, plica.Segment(a, b))
print(length)
print("factor of each layer:", length.ratios.round(3))

# A hundred networks, and the law.

ensemble = Ensemble([width] * (depth + 1), n_networks=100, seed=1, weight_std=weight_std)
lengths = ensemble.estimate_lengths(plica.Segment(a, b), n_points=40)
factor = relu_length_factor(width, width, weight_std=weight_std)
rate, error = lengths.growth
print(f"measured factor {rate:.4f} ± {error:.4f}, expected {factor:.4f}")

figure, ax = plt.subplots(figsize=(6, 3.5), layout="constrained")
plot_ensemble_lengths(lengths, ax=ax, expected=[lengths.input * factor**k for k in range(1, depth + 1)])
alt = "The mean length of the image of a segment grows by a constant factor per layer, on the predicted line."
