"""How far data are from the folds.

The distance from a point to the nearest fold is what a perturbation needs to change the affine map. It shrinks like one over the
number of neurons, and it is computed with a certificate.
"""

import matplotlib.pyplot as plt
import numpy as np

import plica
from plica.measure import fold_distance, region_density

rng = np.random.default_rng(0)
points = rng.uniform(-1, 1, size=(100, 8))

widths, means = (8, 16, 32, 64), []
for width in widths:
    net = plica.random_network([8, width, width, 1], seed=0, weights="he-normal", bias_std=0.5)
    found = fold_distance(net, points)
    means.append(found.mean)
    print(f"{2 * width:3d} neurons: {found}")

# For one small network, exactly: the squared distance is a fraction.

small = plica.random_network([2, 4, 4, 1], seed=1, weights="he-normal", bias_std=0.5)
exact = fold_distance(small, [0.25, -0.5], method="exact")
print("distance", round(exact.mean, 6), "in layer", int(exact.layer[0]), "unit", int(exact.unit[0]))

# The same story along lines: how many folds a segment of length one crosses.

print(region_density(net, points, n_samples=20, seed=0))

figure, ax = plt.subplots(figsize=(5.5, 3.5), layout="constrained")
neurons = 2 * np.array(widths)
ax.loglog(neurons, means, "o-", color="#0072B2", label="mean distance")
ax.loglog(neurons, means[0] * neurons[0] / neurons, ":", color="#1B1B1B", label="1 / neurons")
ax.set_xlabel("neurons")
ax.legend(frameon=False)
alt = "The mean distance of points to the nearest fold falls like one over the number of neurons."
