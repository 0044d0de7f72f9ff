"""Regions over training.

A probe counts the regions on a square after every few epochs, exactly. The function becomes another one, from errors on half the
points to none; the number of regions changes by a tenth.
"""

import matplotlib.pyplot as plt

import plica
from plica.learn import FoldDistance, Regions, fit, mlp
from plica.plot import plot_complex, plot_history

data = plica.data.load("moons", n=150, noise=0.1, seed=0)
square = Regions(domain=plica.Box([-1.5, -1.2], [2.5, 1.7]), every=20, keep=True)
near = FoldDistance(points=data.x[:50], every=20)

model = mlp([2, 16, 16, 1], seed=0, weights="he-normal", bias_std=0.3)
trained = fit(model, data, epochs=40, rate=0.01, seed=0, probes=[square, near])
first, last = trained.history["accuracy"][0], trained.history["accuracy"][-1]
print(f"accuracy from {first:.2f} to {last:.2f}")
_, distances = trained.history.curve("fold_distance_mean")
for (_, epoch, cx), distance in zip(square.frames, distances, strict=True):
    print(f"epoch {epoch:2d}: {cx.n_regions} regions, data at distance {distance:.3f} from the nearest fold")

# The first and the last complex, with the decision boundary, and the loss.

figure, axes = plt.subplots(1, 3, figsize=(11, 3.4), layout="constrained")
for ax, (_, epoch, cx) in zip(axes, (square.frames[0], square.frames[-1]), strict=False):
    plot_complex(cx, ax=ax, boundary=True, colorbar=False)
    ax.set_title(f"epoch {epoch}: {cx.n_regions} regions")
plot_history(trained.history, "loss", ax=axes[2])
alt = "Regions and decision boundary of a network before and after it learned two moons, and its loss."
