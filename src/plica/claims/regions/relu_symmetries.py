r"""What leaves the function of a ReLU network unchanged.

Claim
    Permuting the neurons of a layer, and multiplying a neuron's input by c > 0 while dividing its output by c, do not change
    the function a ReLU network computes.
Source
    Folklore; J. E. Grigsby, K. Lindsey, D. Rolnick, Hidden Symmetries of ReLU Networks, ICML 2023 [grigsby2023].
Prediction
    the difference of the two networks is the zero map on all of its cells: 0 cells are left
Measurement
    cells of the difference, as one network on a box, on which its exact affine map is not zero (plica.decompose)
"""

from __future__ import annotations

from plica.claims import Evidence, row
from plica.claims.regions._symmetries import Layer, n_nonzero_cells

STATEMENT = "theorem"
EXPECTED = "holds"
KIND = "exact"
SEE = ("slide-bijection",)
SEED = 2023


def check(scale: str) -> Evidence:
    rows = []
    for seed in range(SEED, SEED + (60 if scale == "full" else 6)):
        net = Layer.random(8, seed=seed)
        for name, other in (
            ("permuted", net.permuted(seed)),
            ("rescaled by 2", net.rescaled(2.0)),
            ("rescaled by 1/8", net.rescaled(0.125)),
        ):
            rows.append(row(n_nonzero_cells(net, other), "=", 0, network=f"seed {seed}", change=name))
    return Evidence(rows, seed=SEED)
