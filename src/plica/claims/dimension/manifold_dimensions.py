r"""Estimators find the dimension of spheres, rolls, strips, tori and curves.

Claim
    On smooth manifolds of dimension 1 to 5, sampled evenly and without noise, curvature and the surrounding space do not matter:
    Hein and Audibert's estimate is the dimension, and likelihoods of neighbors are within a tenth of it; borders and curvature
    cost a few percent.
Source
    M. Hein, J.-Y. Audibert, ICML 2005 [hein2005]; E. Levina, P. J. Bickel, NeurIPS 2004 [levina2004]; E. Facco et al., Scientific
    Reports 7 (2017) [facco2017].
Prediction
    the dimension of the manifold
Measurement
    plica.dimension.HeinAudibert, plica.dimension.MLE and plica.dimension.TwoNN on the manifolds of plica.data
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

import plica.data
from plica.claims import Evidence, Row, row
from plica.claims.dimension._draw import estimates
from plica.dimension import MLE, HeinAudibert, TwoNN, bootstrap

if TYPE_CHECKING:
    from matplotlib.axes import Axes

STATEMENT = "published result"
EXPECTED = "reproduced"
KIND = "estimated"
SEE = ("high-dimensions-are-underestimated", "noise-has-full-dimension")
SEED = 1705
MANIFOLDS: tuple[tuple[str, dict[str, Any]], ...] = (
    ("helix", {}),
    ("sphere", {"dimension": 2}),
    ("swiss-roll", {}),
    ("moebius", {}),
    ("moebius", {"twists": 10}),
    ("torus", {"dimension": 3}),
    ("sphere", {"dimension": 5}),
)


def check(scale: str) -> Evidence:
    n = 10_000 if scale == "full" else 4000
    rows: list[Row] = []
    for name, options in MANIFOLDS:
        data = plica.data.load(name, n=n, ambient=20, seed=SEED, **options)
        about = {"manifold": " ".join([name, *(f"{k} {v}" for k, v in options.items())]), "dimension": data.dimension}
        found = int(HeinAudibert().fit(data.x).dimension_)
        rows.append(row(found, "=", data.dimension, estimator="Hein-Audibert", **about))
        for label, estimator in (("MLE", MLE()), ("TwoNN", TwoNN())):
            interval = bootstrap(estimator, data.x, method="points", seed=SEED)
            rows.append(
                row(
                    interval.dimension,
                    "=",
                    data.dimension,
                    kind="estimated",
                    standard_error=interval.standard_error,
                    tolerance=0.04 if label == "MLE" else 0.02,
                    estimator=label,
                    **about,
                )
            )
    return Evidence(rows, draw=partial(draw, rows), seed=SEED)


def draw(rows: list[Row], ax: Axes) -> None:
    """Estimates against dimensions."""
    estimates(rows, ax, x="dimension", x_label="dimension of the manifold")
