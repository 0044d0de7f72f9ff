"""Intrinsic dimension: how many numbers describe the data.

Estimators that look at distances to neighbors find the dimension of a manifold however many coordinates it is given in; noise
has as many dimensions as there are coordinates.
"""

import matplotlib.pyplot as plt

import plica
from plica.dimension import MLE, HeinAudibert, TwoNN, bootstrap

estimators = {"MLE": MLE(), "TwoNN": TwoNN(), "Hein-Audibert": HeinAudibert()}
truth: list[int] = []
found: dict[str, list[float]] = {name: [] for name in estimators}
shapes: dict[str, dict[str, int]] = {"helix": {}, "swiss-roll": {}, "torus": {"dimension": 3}, "sphere": {"dimension": 5}}
for name, options in shapes.items():
    data = plica.data.load(name, n=600, ambient=20, seed=0, **options)
    truth.append(data.dimension)
    for label, estimator in estimators.items():
        found[label].append(float(estimator.fit(data.x).dimension_))
    print(f"{name}: dimension {data.dimension},", ", ".join(f"{label} {values[-1]:.2f}" for label, values in found.items()))

# How sure one estimate is.

print(bootstrap(MLE(), data.x, n_resamples=5, seed=0))

# Digits: 64 pixels, far fewer degrees of freedom.

digits = plica.data.load("digits").x.reshape(-1, 64)[:900]
print("digits:", ", ".join(f"{label} {e.fit(digits).dimension_:.1f}" for label, e in estimators.items()))

figure, ax = plt.subplots(figsize=(5.5, 3.5), layout="constrained")
for (label, values), mark in zip(found.items(), "osD", strict=True):
    ax.plot(truth, values, mark, label=label, alpha=0.8)
ax.axline((1, 1), slope=1, color="#1B1B1B", linewidth=0.8)
ax.set_xlabel("dimension of the manifold")
ax.set_ylabel("estimate")
ax.legend(frameon=False)
alt = "Estimates of three estimators for four manifolds, near the diagonal."
