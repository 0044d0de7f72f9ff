"""Valleys of the loss: exact along a line of all weights.

Everyone draws the loss between two networks from a grid of points. For a network of rectifiers it can be computed: its
breakpoints, maxima and barriers, here on the line between two networks that learned the same digits, before and after the units
of one are put into the order of the other's. Beside it the plane that a training moved in, and its negative curvature.
"""

from copy import deepcopy

import matplotlib.pyplot as plt
import numpy as np

import plica
from plica.data import load
from plica.landscape import curvature_path, loss_line, match, weights_view
from plica.learn import fit, mlp

digits = load("digits")
x, y = np.asarray(digits.flat, dtype=np.float32), np.asarray(digits.y)
x = (x - x.mean()) / x.std()
models, states = [], []
for seed in (0, 1):
    model = mlp([64, 32, 32, 10], seed=seed)
    for steps in (5, 15, 30, 50, 100):
        if seed == 0:
            states.append(deepcopy(model))
        fit(model, (x, y), steps=steps, batch=50, rate=3e-3, seed=seed)
    states += [model] * (seed == 0)
    models.append(plica.from_torch(model))

a, b = models
found = match(a, b)
lines = [loss_line(a, other, x[:60], y[:60], loss="cross-entropy") for other in (b, found.network)]
for name, line in zip(("as trained", "matched"), lines, strict=True):
    low, high = line.barrier.value.low, line.barrier.value.high
    print(f"{name}: {line.n_breakpoints:,} breakpoints, barrier in [{low:.9f}, {high:.9f}] at t = {line.barrier.t:.4f}")

# The training itself, in the plane that explains most of its way, and its negative curvature.

seen = weights_view(states, x[:200], y[:200], loss="cross-entropy")
print(seen)
small = x @ np.linalg.eigh(x.T @ x)[1][:, -6:].astype(np.float32)
little, way = mlp([6, 12, 10], seed=0), []
for steps in (3, 10, 30, 100):
    way.append(deepcopy(little))
    fit(little, (small, y), steps=steps, batch=50, rate=1e-2, seed=0)
path = curvature_path([*way, little], small[:200], y[:200], loss="cross-entropy")
print(path)

figure, (left, middle, right) = plt.subplots(1, 3, figsize=(13, 3.8), layout="constrained")
t = np.linspace(0, 1, 201)
for line, color, name in zip(lines, ("#D55E00", "#0072B2"), ("as trained", "matched"), strict=True):
    left.plot(t, line(t), color=color, label=f"{name}: barrier {line.barrier.value.middle:.4f}")
left.set(xlabel="t", ylabel="cross-entropy")
left.legend(fontsize=8)
seen.plot(ax=middle)
path.plot(ax=right)
alt = (
    "The loss between two networks before and after matching, a training's path over levels of the loss, its negative curvature."
)
