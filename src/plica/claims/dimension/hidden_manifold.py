r"""The hidden manifold model has the dimension of its latent space.

Claim
    Data X = f(C F / sqrt(D)) with D latent Gaussian coordinates in C and any smooth increasing f have intrinsic dimension D,
    however many coordinates X has.
Source
    S. Goldt, M. Mezard, F. Krzakala, L. Zdeborova, Physical Review X 10 (2020) [goldt2020]; lecture 4 of Theories of Deep
    Learning [oxford-lecture-4].
Prediction
    D
Measurement
    plica.dimension.HeinAudibert and plica.dimension.TwoNN on the hidden manifold of plica.data, with 100 coordinates
Remark
    C holds the latent coordinates of the samples and is dense; the form is that of a generator of one layer.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

import plica.data
from plica.claims import Evidence, Row, row
from plica.claims.dimension._draw import estimates
from plica.dimension import HeinAudibert, TwoNN, bootstrap

if TYPE_CHECKING:
    from matplotlib.axes import Axes

STATEMENT = "theorem"
EXPECTED = "holds"
KIND = "estimated"
SEE = ("generator-dimension", "manifold-dimensions")
SEED = 1909


def check(scale: str) -> Evidence:
    n = 20_000 if scale == "full" else 5000
    rows: list[Row] = []
    for activation in ("tanh", "erf"):
        for dimension in (2, 4, 6) if scale == "full" else (2, 6):
            X = plica.data.load("hidden-manifold", n=n, dimension=dimension, ambient=100, activation=activation, seed=SEED).x
            about: dict[str, Any] = {"f": activation, "dimension": dimension, "coordinates": 100}
            rows.append(
                row(int(HeinAudibert(max_dimension=20).fit(X).dimension_), "=", dimension, estimator="Hein-Audibert", **about)
            )
            found = bootstrap(TwoNN(), X, method="points", seed=SEED)
            error = found.standard_error
            rows.append(
                row(
                    found.dimension,
                    "=",
                    dimension,
                    kind="estimated",
                    standard_error=error,
                    tolerance=0.03,
                    estimator="TwoNN",
                    **about,
                )
            )
    return Evidence(rows, draw=partial(draw, rows), seed=SEED)


def draw(rows: list[Row], ax: Axes) -> None:
    """Estimates against latent dimensions."""
    estimates(rows, ax, x="dimension", x_label="latent dimension D")
