"""Fewer weights: which of them can go, and a network that really gets smaller.

Masks by different scores are trained under one protocol, from a fifth of the weights down to a hundredth. Then whole units are
pruned, and what is left is compressed: on the box of all images the small network is the same function, up to a proved bound.
"""

import matplotlib.pyplot as plt
import numpy as np

import plica
from plica.data import load
from plica.learn import mlp
from plica.sparse import Protocol, compress, sparse_fit

digits = load("digits").split(0.8, seed=0)
protocol = Protocol(epochs=6, batch=32)
shares = (0.2, 0.05, 0.01)


def fitted(method, share):
    model = mlp([64, 100, 30, 10], seed=0, flatten=True)
    return sparse_fit(model, digits, method=method, density=share, protocol=protocol)


# One model, one order of batches, one schedule: only the masks differ.

errors = {}
for method in ("trained-magnitude", "gradual", "rigl", "snip", "synflow", "random"):
    errors[method] = [1 - fitted(method, share).accuracy for share in shares]
    print(f"{method:18}", *(f"{e:.3f}" for e in errors[method]))

# Units can be taken out: dead, constant and unread ones go, multiples are merged, and the rest is the same function.

pruned = fitted("trained-units", 0.2)
network = pruned.last.network
small = compress(network, plica.Box(np.zeros(64), np.ones(64)))
print(small)
print(f"{small.ratio:.1f} times fewer numbers, {pruned.accuracy:.3f} right")

figure, ax = plt.subplots(figsize=(6, 4), layout="constrained")
for (name, values), color in zip(errors.items(), ("#0072B2", "#E69F00", "#009E73", "#CC79A7", "#D55E00", "#56B4E9"), strict=True):
    ax.plot(shares, values, "o-", color=color, label=name)
ax.set(xscale="log", yscale="log", xlabel="share of the weights that is left", ylabel="error on other digits")
ax.invert_xaxis()
ax.legend(frameon=False)
alt = "Error on test digits against the share of weights that is left, one line for each of six ways of pruning."
