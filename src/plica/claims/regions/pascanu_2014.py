r"""Pascanu, Montúfar and Bengio: deep networks can have many regions.

Claim
    Some ReLU network with widths n_0 <= n_1, ..., n_L has at least prod_{l<L} floor(n_l / n_0) sum_{j<=n_0} C(n_L, j) regions.
Source
    R. Pascanu, G. Montúfar, Y. Bengio, ICLR 2014, arXiv 1312.6098 [pascanu2014].
Prediction
    plica.theory.regions.pascanu_2014_lower_bound(widths)
Measurement
    regions of a network that folds every coordinate (plica.construct.folding), exactly, on the unit cube: plica.decompose
"""

from __future__ import annotations

from plica.claims import Evidence, row
from plica.claims.regions._cube import unit_cube
from plica.construct import folding
from plica.geometry import decompose
from plica.theory.regions import pascanu_2014_lower_bound

STATEMENT = "theorem"
EXPECTED = "holds"
KIND = "exact"
SEE = ("slide-product-bound", "slide-at-least", "montufar-2014")


def check(scale: str) -> Evidence:
    architectures = [(1, 2, 2, 1), (1, 3, 4, 1), (1, 4, 4, 4, 1), (2, 4, 4, 1), (2, 6, 6, 1), (2, 5, 5, 5, 1), (2, 4, 4, 4, 4, 1)]
    if scale == "full":
        architectures += [(1, 8, 8, 8, 8, 1), (2, 8, 8, 8, 1), (2, 6, 6, 6, 8, 1)]
    rows = []
    for widths in architectures:
        measured = decompose(folding(widths).network, unit_cube(widths[0])).n_regions
        rows.append(row(measured, ">=", pascanu_2014_lower_bound(widths), widths=widths))
    return Evidence(rows)
