"""The singular values of a deep network's Jacobian.

Free probability predicts the whole distribution of the singular values of the input-output Jacobian for wide layers. Gaussian
weights spread it with depth; orthogonal ones keep it together if the slopes of the activation let them.
"""

import matplotlib.pyplot as plt
import numpy as np

import plica
from plica.measure import Ensemble, jacobian
from plica.plot import plot_jacobian_spectrum
from plica.theory.meanfield import JacobianSpectrum

width, depth, weight_std = 100, 4, 2**0.5
x = np.random.default_rng(0).standard_normal(width)

# The same prediction and measurement for the two kinds of weights: ReLU, He's scale, no biases.

figure, axes = plt.subplots(1, 2, figsize=(9, 3.5), layout="constrained", sharey=True)
for ax, prediction, weights in zip(axes, ("gaussian", "orthogonal"), ("normal", "orthogonal"), strict=True):
    spectrum = JacobianSpectrum("relu", depth=depth, weight_std=weight_std, length=1.0, weights=prediction)
    ensemble = Ensemble([width] * (depth + 1), n_networks=10, seed=0, weights=weights, weight_std=weight_std)
    jacobians = ensemble.estimate_jacobians(x)
    mean, variance = jacobians.moments
    print(f"{prediction}: squares have mean {mean:.3f} and variance {variance:.2f}; predicted largest {spectrum.largest:.2f}")
    plot_jacobian_spectrum(jacobians, spectrum, ax=ax)
    ax.set_title(f"{prediction} weights")

# Absolute values have slopes of size one: with orthogonal weights every singular value stays at one, however deep the network.

print(jacobian(plica.random_network([20] * 21, seed=0, weights="orthogonal", activation="abs"), x[:20]))
alt = "Histograms of singular values of ReLU networks with Gaussian and orthogonal weights, each with the predicted density."
