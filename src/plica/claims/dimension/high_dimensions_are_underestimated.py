r"""Estimates of high dimensions are too small.

Claim
    With a fixed number of points in a cube, estimates from neighbors fall behind the dimension as it grows: most points are
    near the boundary, and neighbors are not near.
Source
    E. Levina, P. J. Bickel, NeurIPS 2004, on the negative bias in high dimensions [levina2004].
Prediction
    less than the dimension for cubes of dimension 10 and more, less than nine tenths for 20, and a share of the dimension that
    falls
Measurement
    plica.dimension.MLE and plica.dimension.TwoNN on uniform points of cubes
"""

from __future__ import annotations

from functools import partial
from math import hypot
from typing import TYPE_CHECKING, Any

import plica.data
from plica.claims import Evidence, Row, row
from plica.claims.dimension._draw import estimates
from plica.dimension import MLE, TwoNN, bootstrap

if TYPE_CHECKING:
    from matplotlib.axes import Axes

STATEMENT = "published result"
EXPECTED = "reproduced"
KIND = "estimated"
SEE = ("manifold-dimensions",)
SEED = 2004


def check(scale: str) -> Evidence:
    n = 4000 if scale == "full" else 2000
    rows: list[Row] = []
    for name, estimator in (("MLE", MLE(unbiased=True)), ("TwoNN", TwoNN())):
        shares = {}
        for dimension in (10, 15, 20):
            points = plica.data.load("cube", n=n, dimension=dimension, ambient=30, seed=SEED).x
            found = bootstrap(estimator, points, method="points", seed=SEED)
            about: dict[str, Any] = {"estimator": name, "dimension": dimension, "points": n}
            error = found.standard_error
            rows.append(
                row(
                    found.dimension,
                    "<",
                    (0.9 if dimension == 20 else 1.0) * dimension,
                    kind="estimated",
                    standard_error=error,
                    **about,
                )
            )
            shares[dimension] = found.dimension / dimension, error / dimension
        (low, e1), (high, e2) = shares[10], shares[20]
        about = {"estimator": name, "dimension": 20, "points": n, "what": "share of 20 against share of 10"}
        rows.append(row(high, "<", low, kind="estimated", standard_error=hypot(e1, e2), **about))
    return Evidence(rows, draw=partial(draw, rows), seed=SEED)


def draw(rows: list[Row], ax: Axes) -> None:
    """Estimates and the limits they stay below."""
    estimates(rows, ax, x="dimension", x_label="dimension of the cube")
