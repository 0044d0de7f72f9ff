"""Barron: one hidden layer whose error does not know the dimension.

A function with Barron constant C is the mean of random ridge functions. The average of n of them has the squared error
(2 r C)^2 / n on the ball of radius r, in two dimensions as in twenty.
"""

import matplotlib.pyplot as plt
import numpy as np

from plica.construct import GaussianSpectrum, barron, estimate_squared_error

sizes = (25, 100, 400)
figure, ax = plt.subplots(figsize=(6, 3.5), layout="constrained")
for d, color in ((2, "#0072B2"), (20, "#E69F00")):
    spectrum = GaussianSpectrum(d)
    errors, limits = [], []
    for n in sizes:
        networks = [barron(spectrum, n, units="step", seed=seed) for seed in range(8)]
        found = [estimate_squared_error(net, spectrum, d, n_points=500, seed=100).value for net in networks]
        errors.append(np.mean(found))
        limits.append(networks[0].theorem["squared error"])
        print(f"d = {d:2d}, n = {n:3d}: squared error {errors[-1]:.4f}, bound {limits[-1]:.4f}")
    ax.loglog(sizes, errors, "o-", color=color, label=f"d = {d}")
    ax.loglog(sizes, limits, ":", color=color, label=f"d = {d}, bound")

# The constant of a Gaussian grows like the root of the dimension; the rate in n stays.

print("Barron constants:", [round(GaussianSpectrum(d).constant, 3) for d in (1, 2, 5, 10, 20)])
ax.set_xticks(sizes, [str(n) for n in sizes])
ax.minorticks_off()
ax.set_xlabel("units")
ax.set_ylabel("squared error")
ax.legend(frameon=False)
alt = "Squared error against the number of units, falling with slope minus one in 2 and in 20 dimensions, below the bounds."
