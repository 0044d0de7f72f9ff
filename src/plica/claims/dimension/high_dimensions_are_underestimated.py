r"""Estimates of high dimensions are too small.

Claim
    With a fixed number of points in a cube, estimates from neighbors fall behind the dimension as it grows: most points are
    near the boundary, and neighbors are not near.
Source
    E. Levina, P. J. Bickel, NeurIPS 2004, on the negative bias in high dimensions [levina2004].
Prediction
    at most nine tenths of the dimension, for cubes of dimension 10 and more, and a share of the dimension that falls
Measurement
    plica.dimension.MLE and plica.dimension.TwoNN on uniform points of cubes
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

import plica.data
from plica.claims import Evidence, Row, row
from plica.claims.dimension._draw import estimates
from plica.dimension import MLE, TwoNN, bootstrap

if TYPE_CHECKING:
    from matplotlib.axes import Axes

EXPECTED = "holds"
KIND = "estimated"
SEE = ("manifold-dimensions",)
SEED = 2004


def check(scale: str) -> Evidence:
    n, n_resamples = (4000, 30) if scale == "full" else (800, 4)
    rows: list[Row] = []
    for name, estimator in (("MLE", MLE(unbiased=True)), ("TwoNN", TwoNN())):
        share = 1.0
        for dimension in (10, 15, 20):
            points = plica.data.load("cube", n=n, dimension=dimension, ambient=30, seed=SEED).x
            found = bootstrap(estimator, points, n_resamples=n_resamples, seed=SEED)
            limit = dimension * min(0.9, share)
            about: dict[str, Any] = {"estimator": name, "dimension": dimension, "points": n}
            rows.append(row(found.dimension, "<=", limit, kind="estimated", standard_error=found.standard_error, **about))
            share = found.dimension / dimension
    return Evidence(rows, draw=partial(draw, rows), seed=SEED)


def draw(rows: list[Row], ax: Axes) -> None:
    """Estimates and the limits they stay below."""
    estimates(rows, ax, x="dimension", x_label="dimension of the cube")
