"""A sawtooth whose weights were moved.

The network with 64 pieces is an exception among the networks of its shape: multiply every weight by one plus a little noise and
most teeth are gone.
"""

import matplotlib.pyplot as plt
import numpy as np

import plica
from plica.construct import sawtooth
from plica.network import Linear, Network, Rectifier

layers = sawtooth(6).network.dense_layers


def perturbed(std: float, rng: np.random.Generator) -> Network:
    ops: list[Linear | Rectifier] = []
    for op in layers:
        bias = np.zeros(len(op.weight)) if op.bias is None else op.bias
        noise, shift = rng.standard_normal(op.weight.shape), rng.standard_normal(bias.shape)
        ops += [Linear(op.weight * (1 + std * noise), bias * (1 + std * shift)), Rectifier()]
    return Network.sequential(1, ops)


# Pieces on [0, 1], counted exactly for each of ten perturbations.

interval = plica.Segment([0.0], [1.0])
stds, means = (0.0, 0.1, 0.2, 0.3), []
for std in stds:
    counts = [plica.count_regions(perturbed(std, np.random.default_rng((64, k))), interval).n_regions for k in range(10)]
    means.append(np.mean(counts))
    print(f"standard deviation {std}: {means[-1]:5.1f} pieces on average, {min(counts)} to {max(counts)}")

figure, axes = plt.subplots(2, 1, figsize=(7, 3.6), layout="constrained", sharex=True)
x = np.linspace(0, 1, 1025)[:, None]
for ax, std in zip(axes, (0.0, 0.2), strict=True):
    ax.plot(x, perturbed(std, np.random.default_rng((64, 0)))(x), color="#0072B2", linewidth=0.8)
    ax.set_title(f"standard deviation {std}", fontsize=9)
alt = "Above, a regular sawtooth with 64 pieces; below, what is left of it after its weights were moved."
