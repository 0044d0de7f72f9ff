"""The sawtooth and what depth buys.

Composing a tent with itself doubles its teeth: 2 L layers of at most two units have 2^L pieces on [0, 1]. One hidden layer has
at most one piece more than it has units, so it needs 2^L - 1 of them for the same function.
"""

import matplotlib.pyplot as plt
import numpy as np

import plica
from plica.construct import approximation_error, sawtooth
from plica.theory.regions import telgarsky_2015_upper_bound

interval = plica.Segment([0.0], [1.0])
for depth in (1, 2, 4, 8):
    saw = sawtooth(depth)
    count = plica.count_regions(saw.network, interval)
    print(f"depth {depth}: {saw.n_units:2d} units, {count.n_regions:3d} pieces; one hidden layer: {2**depth - 1:3d} units")

# No network of the same shape can have more than this.

print("upper bound for the shape 1-4-4-4-1:", telgarsky_2015_upper_bound([1, 4, 4, 4, 1]), "pieces")

# Flattening the sawtooth costs accuracy: the interpolant with half as many pieces misses it by a whole tooth.

shallow = plica.construct.interpolant(np.linspace(0, 1, 5), [0.0, 1.0, 0.0, 1.0, 0.0])
error = approximation_error(sawtooth(3).network, shallow.network, interval)
print("4 pieces for 8:", error)

figure, ax = plt.subplots(figsize=(7, 3), layout="constrained")
x = np.linspace(0, 1, 513)
for depth, color in ((1, "#E69F00"), (2, "#009E73"), (4, "#0072B2")):
    ax.plot(x, sawtooth(depth)(x[:, None]).ravel(), color=color, label=f"{2**depth} pieces")
ax.set_xlabel("x")
ax.legend(loc="upper left", bbox_to_anchor=(1, 1), frameon=False)
alt = "Sawtooth functions with 2, 4 and 16 straight pieces on the unit interval."
