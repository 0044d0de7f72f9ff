r"""Zhang, Naitzat and Lim: regions are vertices.

Claim
    A ReLU network is a difference of two maxima of affine functions. The regions of such a maximum are as many as the vertices
    of the upper hull of its terms (slope, constant).
Source
    L. Zhang, G. Naitzat, L.-H. Lim, Tropical Geometry of Deep Neural Networks, ICML 2018 [zhang2018].
Prediction
    vertices of the upper hull: plica.measure.tropical_form, Minkowski sums and hulls in fractions, layer by layer
Measurement
    regions of the network over all of R^n (plica.decompose). Weights after the first layer are not negative, so that the network
    is convex, the second maximum has one term, and the network's regions are those of the first
Remark
    For other networks the two functions have regions of their own; their number has no bearing on those of the difference.
"""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from plica.claims import Evidence, control, row
from plica.geometry import Space, decompose
from plica.measure import tropical_form
from plica.network import Linear, Network, Op, Rectifier
from plica.theory.regions import zaslavsky

STATEMENT = "theorem"
EXPECTED = "holds"
KIND = "exact"
SEE = ("zaslavsky-1975", "tropical-bernstein")
SEED = 1805


def convex_network(widths: tuple[int, ...], seed: int) -> Network:
    """ReLU layers with weights that are multiples of 1/4096, those after the first layer not negative."""
    rng = np.random.default_rng(seed)
    ops: list[Op] = []
    for i, (n_in, n_out) in enumerate(pairwise(widths)):
        weight = np.round(rng.normal(size=(n_out, n_in)) * 4096) / 4096
        bias = np.round(rng.normal(size=n_out) * 4096) / 4096
        ops += [Linear(np.abs(weight) if i else weight, bias), Rectifier()]
    return Network.sequential(widths[0], ops[:-1])


def check(scale: str) -> Evidence:
    rows = []
    shapes = [(1, 6, 1), (2, 5, 1), (2, 3, 3, 1), (3, 3, 2, 1)]
    shapes += [(2, 8, 1), (2, 4, 4, 1), (3, 6, 1)] if scale == "full" else []
    for widths in shapes:
        for seed in range(SEED, SEED + (2 if scale == "quick" else 5)):
            net = convex_network(widths, seed)
            form, n_regions = tropical_form(net), decompose(net, Space(widths[0])).n_regions
            rows.append(row(n_regions, "=", form.positive.n_regions, widths=widths, seed=seed))
            rows.append(control(form.negative.n_regions, "=", 1, what="terms of the second maximum", widths=widths, seed=seed))
            if len(widths) == 3:
                count = zaslavsky(widths[1], widths[0])
                rows.append(control(n_regions, "=", count, what="one layer: an arrangement", widths=widths, seed=seed))
    return Evidence(rows, seed=SEED)
