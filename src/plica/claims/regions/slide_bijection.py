r"""Are ReLU networks in bijection with piecewise-linear functions?

Claim
    ReLU networks are in bijection with the appropriate class of piecewise-linear functions (up to isomorphism): networks
    with different weights, up to the order of the neurons, compute different functions.
Source
    Summer@ICERM 2020, final presentation [icerm-2020].
Prediction
    two networks that are not a reordering of each other differ: their difference is a non-zero map on at least 1 cell
Measurement
    cells of the difference of a network and a changed copy, as one network, on which its exact affine map is not zero
    (plica.decompose); where it is not zero, the map of every cell beside the sum of the neurons that are active at a point
    inside
Remark
    Weights to functions is onto, not one-to-one. The smallest counterexample has one neuron: ReLU(x) = ReLU(2x) / 2. The
    corrected form is the two claims relu-symmetries and interpolation; more symmetries are in [grigsby2023].
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from plica._palette import MEASUREMENT, REFERENCE
from plica.claims import Evidence, control, counterexample, row
from plica.claims.regions._symmetries import Layer, n_nonzero_cells, n_wrong_maps

if TYPE_CHECKING:
    from matplotlib.axes import Axes

STATEMENT = "misprint (text)"
EXPECTED = "refuted"
KIND = "exact"
SEE = ("relu-symmetries", "interpolation")
SEED = 2020


def check(scale: str) -> Evidence:
    one = Layer(np.array([[1.0]]), np.array([0.0]), np.array([1.0]))
    pairs = [("ReLU(x) and ReLU(2x) / 2", one, one.rescaled(2.0), True)]
    for seed in range(SEED, SEED + (30 if scale == "full" else 4)):
        net = Layer.random(6, seed=seed)
        pairs.append((f"seed {seed}: a neuron's input times 4, its output over 4", net, net.rescaled(4.0), True))
        dead, other = net.with_dead_neuron(1.0), net.with_dead_neuron(-3.0)
        pairs.append((f"seed {seed}: another output weight of an inactive neuron", dead, other, True))
        pairs.append((f"seed {seed}: an independent network", net, Layer.random(6, seed=seed + 1000), False))
    rows = []
    for name, first, second, is_equal in pairs:
        assert first.neurons() != second.neurons()
        found = n_nonzero_cells(first, second)
        rows.append(counterexample(found, ">=", 1, truth=0, pair=name) if is_equal else row(found, ">=", 1, pair=name))
        if not is_equal:
            rows.append(
                control(n_wrong_maps(first, second), "=", 0, pair=name, what="cells whose map is not what neurons add up to")
            )
    return Evidence(rows, draw=draw, seed=SEED)


def draw(ax: Axes) -> None:
    """ReLU(x) and ReLU(2x) / 2: other weights, the same graph."""
    x = np.linspace(-1, 1, 3)
    for factor, width, color, label in ((1.0, 5.0, REFERENCE, "ReLU(x)"), (2.0, 1.5, MEASUREMENT, "ReLU(2x) / 2")):
        ax.plot(x, np.maximum(factor * x, 0) / factor, color=color, linewidth=width, label=label)
    ax.legend(frameon=False, fontsize=9)
    ax.spines[["top", "right"]].set_visible(False)
