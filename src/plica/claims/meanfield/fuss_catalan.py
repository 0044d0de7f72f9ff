r"""Deep linear Gaussian networks: the largest singular value grows like the root of the depth.

Claim
    The squared singular values of a product of L wide Gaussian matrices with variance 1/n have the Fuss-Catalan numbers
    C(kL + k, k) / (kL + 1) as moments, and lie below (L+1)^{L+1} / L^L ~ e L.
Source
    J. Pennington, S. S. Schoenholz, S. Ganguli, NeurIPS 2017 [pennington2017].
Prediction
    plica.theory.meanfield.JacobianSpectrum for the identity, its largest value; the Fuss-Catalan numbers
Measurement
    the mean, and in its units two moments and the largest of the squared singular values of products of random matrices
    (plica.measure.Ensemble)
"""

from __future__ import annotations

from functools import partial
from math import comb, sqrt
from typing import TYPE_CHECKING, Any

import numpy as np

from plica._palette import SERIES
from plica.claims import Evidence, row
from plica.claims.meanfield._inputs import clean
from plica.measure import Ensemble
from plica.theory.meanfield import JacobianSpectrum

if TYPE_CHECKING:
    from matplotlib.axes import Axes

STATEMENT = "theorem"
EXPECTED = "holds"
KIND = "estimated"
SEE = ("pennington-2017-variance", "pennington-2018-spectrum")
SEED = 400


def check(scale: str) -> Evidence:
    width, n_networks = (400, 80) if scale == "full" else (320, 36)
    rows, found = [], {}
    for depth in (1, 2, 4):
        ensemble = Ensemble((width,) * (depth + 1), n_networks=n_networks, seed=SEED, activation="identity")
        values = ensemble.estimate_jacobians(np.ones(width)).squared
        found[depth] = values
        about: dict[str, Any] = {"kind": "estimated", "L": depth}
        means = values.mean(1)
        error = float(means.std(ddof=1) / sqrt(n_networks))
        rows.append(row(float(means.mean()), "=", 1.0, standard_error=error, quantity="moment 1", **about))
        for k in (2, 3):  # in units of the mean, which varies from network to network more than the shape
            moments = (values**k).mean(1) / means**k
            error = float(moments.std(ddof=1) / sqrt(n_networks))
            predicted = comb(k * depth + k, k) / (k * depth + 1)
            slack = 2 * depth / width
            rows.append(
                row(float(moments.mean()), "=", predicted, standard_error=error, tolerance=slack, quantity=f"moment {k}", **about)
            )
        largest = values.max(1) / means
        error = float(largest.std(ddof=1) / sqrt(n_networks))
        edge = (depth + 1) ** (depth + 1) / depth**depth
        # for one matrix the edge is 4 - 3.04 n^(-2/3) on average (Tracy and Widom): it is approached from below
        slack = 2.5 * width ** (-2 / 3)
        rows.append(row(float(largest.mean()), "=", edge, standard_error=error, tolerance=slack, quantity="largest", **about))
        exact = JacobianSpectrum("identity", depth=depth).largest
        rows.append(row(exact, "=", edge, tolerance=1e-9, quantity="largest, from the S-transform", L=depth))
    return Evidence(rows, draw=partial(draw, found), seed=SEED)


def draw(found: dict[int, np.ndarray], ax: Axes) -> None:
    """Histograms of singular values with the densities over them."""
    for color, (depth, values) in zip(SERIES, found.items(), strict=False):
        spectrum = JacobianSpectrum("identity", depth=depth)
        ax.hist(np.sqrt(values).reshape(-1), bins=60, density=True, color=color, alpha=0.3, label=f"L = {depth}")
        x = np.linspace(0.03, 0.999, 150) * sqrt(spectrum.largest)
        ax.plot(x, spectrum.singular_value_density(x), color=color, linewidth=1.2)
    clean(ax, "singular value", "density (lines: predicted)", ylim=(0, 1.5))
