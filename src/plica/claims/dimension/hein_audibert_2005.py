r"""Hein and Audibert: the intrinsic dimension of the digits of MNIST.

Claim
    The U-statistic estimates the dimensions of the digits 1, ..., 9, 0 of MNIST as 8, 13, 14, 13, 12, 11, 10, 14, 12, 12.
Source
    M. Hein, J.-Y. Audibert, ICML 2005, Table 7 [hein2005]; copied in lecture 4 of Theories of Deep Learning [oxford-lecture-4].
Prediction
    the first entries of the table; 6313 images of digit 5, where 6903 is printed
Measurement
    plica.dimension.HeinAudibert on all 70000 images
Stand-in
    The estimator gives 2, 3 and 5 for points on spheres of these dimensions, and on the ten digits of the small set (8 x 8
    pixels) what the definition gives, written out over all pairs, with all slopes; so do correlation dimension and Takens'
    estimator there, at given radii.
Remark
    The other two entries of the table are correlation dimension and Takens' estimator, at scales that are not printed; at the
    scale of the tenth neighbor they come, rounded, within one of the table.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import numpy as np

import plica.data
from plica._palette import CONTROL, MEASUREMENT
from plica.claims import Evidence, Row, control, row
from plica.dimension import CorrelationDimension, HeinAudibert, Takens

if TYPE_CHECKING:
    from matplotlib.axes import Axes

STATEMENT = "published result"
EXPECTED = "reproduced"
KIND = "exact"
SEE = ("digit-counts", "slide-digit-counts")
SEED = 2005
ROUNDING = 1e-9
UNIT = 256  # squared distances of the small digits, whose pixels are sixteenths, are multiples of 1 / 256
TABLE = {1: (8, 7, 7), 2: (13, 12, 13), 3: (14, 13, 13), 4: (13, 12, 12), 5: (12, 12, 12)}
TABLE |= {6: (11, 11, 11), 7: (10, 10, 10), 8: (14, 13, 13), 9: (12, 11, 11), 0: (12, 11, 11)}


def check(scale: str) -> Evidence:
    rows = []
    if scale == "full":
        data = plica.data.load("mnist")
        assert data.y is not None and data.y_test is not None
        x, y = np.concatenate([data.flat, data.flat_test]), np.concatenate([data.y, data.y_test])
        rows.append(row(int((y == 5).sum()), "=", 6313, what="images of digit 5"))
        for digit, (dimension, correlation, takens) in TABLE.items():
            images = x[y == digit]
            rows.append(row(int(HeinAudibert(max_dimension=30).fit(images).dimension_), "=", dimension, what=f"digit {digit}"))
            for name, estimator, printed in (
                ("correlation", CorrelationDimension((2, 10)), correlation),
                ("Takens", Takens(10), takens),
            ):
                away = abs(round(estimator.fit(images).dimension_) - printed)
                rows.append(row(away, "<=", 1, what=f"digit {digit}, {name}: distance to the table"))
    else:
        small = plica.data.load("digits")
        assert small.y is not None
        for digit in range(10):
            mine = small.flat[small.y == digit].astype(np.float64)
            fitted, slopes = HeinAudibert(max_dimension=20).fit(mine), written_out(mine, 20)
            rows.append(row(int(fitted.dimension_), "=", 1 + int(np.argmin(np.abs(slopes))), what=f"digit {digit}"))
            miss = float(np.abs(fitted.slopes_ - slopes).max())
            rows.append(control(miss, "<=", ROUNDING, what=f"digit {digit}, slopes off those written out"))
            pairs = np.sqrt(((mine[:, None] - mine) ** 2).sum(2))[np.triu_indices(len(mine), 1)]
            near, far = np.sqrt(np.floor(np.quantile(pairs, [0.05, 0.2]) ** 2 * UNIT) / UNIT + 0.5 / UNIT)  # between distances
            shares = [float((pairs < r).mean()) for r in (near, far)]
            slope = float(np.log(shares[1] / shares[0]) / np.log(far / near))
            found = float(CorrelationDimension(radii=[near, far]).fit(mine).dimension_)
            rows.append(control(found, "=", slope, what=f"digit {digit}, correlation dimension", tolerance=ROUNDING))
            likely = 1 / float(np.log(far / pairs[pairs < far]).mean())
            found = float(Takens(radius=far).fit(mine).dimension_)
            rows.append(control(found, "=", likely, what=f"digit {digit}, Takens", tolerance=ROUNDING))
    for dimension in (2, 3, 5):
        points = plica.data.load("sphere", n=1500, dimension=dimension, ambient=12, seed=SEED).x
        rows.append(row(int(HeinAudibert().fit(points).dimension_), "=", dimension, what=f"sphere of dimension {dimension}"))
    return Evidence(rows, draw=partial(draw, rows), seed=SEED)


def written_out(X: np.ndarray, largest: int) -> np.ndarray:
    """The definition: U(h) at the bandwidths of N, N/2, ..., N/5 points, the slope of the line for each dimension."""
    distances = np.sqrt(((X[:, None] - X) ** 2).sum(2))
    nearest = (distances + np.diag(np.full(len(X), np.inf))).min(1).mean()
    pairs = distances[np.triu_indices(len(X), 1)]
    N = len(X)
    slopes = []
    for d in range(1, largest + 1):
        points = []
        for part in range(1, 6):
            n = N // part
            h = nearest * (N / n * np.log(n) / np.log(N)) ** (1 / d)
            U = 2 / (N * (N - 1)) * np.sum(np.maximum(1 - pairs**2 / h**2, 0.0)) / h**d
            points.append((np.log(h), np.log(U), 1 / part))
        x, y, w = np.array(points).T
        slopes.append(np.polyfit(x, y, 1, w=np.sqrt(w))[0])
    return np.array(slopes)


def draw(rows: list[Row], ax: Axes) -> None:
    """The table and the measurements."""
    chosen = [r for r in rows if r.relation == "=" and "images" not in r.parameters["what"]]
    x = range(len(chosen))
    ax.bar(x, [r.predicted for r in chosen], color=CONTROL, width=0.7, label="table")
    ax.plot(x, [r.measured for r in chosen], "o", color=MEASUREMENT, label="measured")
    ax.set_xticks(list(x), [r.parameters["what"].removeprefix("digit ").replace("sphere of dimension ", "S") for r in chosen])
    ax.set_ylabel("dimension")
    ax.legend(frameon=False)
