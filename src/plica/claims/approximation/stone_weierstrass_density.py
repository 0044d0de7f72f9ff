r"""Networks of cosines, and of exponentials, come as near as one likes.

Claim
    Networks with one hidden layer of cosines, or of exponentials, separate points and approximate every continuous function:
    |x| on [-1, 1] by n cosines within (4 / pi^2) sum_{k > n} (2k - 1)^-2, about 1 / (n pi^2), and x on [0, 1] by n exponentials
    within sum_{k > n} 2 / (k r^k), r = 4.08.
Source
    University of Washington lecture [washington-lecture]; M. H. Stone, Mathematics Magazine 21 (1948) [stone1948]. The errors
    are those of the Fourier series of |x| and of the Chebyshev series of log u on [1, e].
Prediction
    both tails, in closed form
Measurement
    networks fitted by least squares (plica.construct.feature_regression) and built from the series
    (plica.construct.Perceptron): their largest and their mean square deviation on fine grids that hold the points where they
    are largest; the network cos((z - y) . (x - y) / |x - y|^2), which tells x from y
"""

from __future__ import annotations

from functools import partial
from math import cos, e, pi, sqrt
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.polynomial import chebyshev, polynomial

from plica._palette import PREDICTION, SERIES
from plica._types import Array
from plica.claims import Evidence, Row, row
from plica.claims.approximation._fourier import cosine_features, cosine_tail, cosines
from plica.construct import Perceptron, feature_regression

if TYPE_CHECKING:
    from matplotlib.axes import Axes

STATEMENT = "theorem"
EXPECTED = "holds"
KIND = "estimated"
SEE = ("stone-weierstrass-closure", "hornik-1991", "random-fourier-features")
SEED = 1948
RATE = (e + 1) / (e - 1) + sqrt(((e + 1) / (e - 1)) ** 2 - 1)


def exponentials(n: int) -> Perceptron:
    """The Chebyshev series of log u on [1, e], cut after degree n, as sum_k c_k e^{k x}."""
    series = np.array([np.log((e - 1) * RATE / 4)] + [2 * (-1) ** (k + 1) / (k * RATE**k) for k in range(1, n + 1)])
    c = np.zeros(n + 1)
    for k, a in enumerate(chebyshev.cheb2poly(series)):  # in powers of s = (2u - (e + 1)) / (e - 1)
        c[: k + 1] += a * polynomial.polypow([-(e + 1) / (e - 1), 2 / (e - 1)], k)
    orders = np.arange(1.0, n + 1)
    return Perceptron.shallow(orders[:, None], np.zeros(n), c[1:], activation="exp", constant=float(c[0]))


def deviation(net: Perceptron, x: Array, y: Array) -> Array:
    """|network - y| at the points."""
    return np.asarray(np.abs(net(x[:, None])[:, 0] - y))


def check(scale: str) -> Evidence:
    rows = []
    float64: dict[str, Any] = {"kind": "estimated", "standard_error": 1e-12}
    half = 16_384 if scale == "full" else 2048  # many points for each unit, or a fit goes through all of them
    grid, middles = np.linspace(-1, 1, 20_001), (np.arange(2 * half) + 0.5) / half - 1
    for n in (1, 4, 16, 64) + ((256, 1024) if scale == "full" else ()):
        found = float(deviation(cosines(n), grid, np.abs(grid)).max())
        about: dict[str, Any] = {"activation": "cos", "units": n}
        rows.append(row(found, "=", 4 / pi**2 * cosine_tail(n, 2), tolerance=1e-5, what="largest error", **about, **float64))
        if n > 256:
            continue
        fitted = feature_regression(middles[:, None], np.abs(middles), cosine_features(*cosines(n).hidden[0]))
        rms = float(np.sqrt((deviation(fitted, middles, np.abs(middles)) ** 2).mean()))
        predicted = 4 / pi**2 * sqrt(cosine_tail(n, 4) / 2)
        rows.append(row(rms, "=", predicted, tolerance=0.01, what="mean square of a fit", **about, **float64))
    x = np.linspace(0, 1, 2001)
    for n in (1, 2, 4, 6, 8):
        found = float(deviation(exponentials(n), x, x).max())
        tail = sum(2 / (k * RATE**k) for k in range(n + 1, 60))
        rows.append(row(found, "=", tail, tolerance=1e-4, what="largest error", activation="exp", units=n, **float64))
    rng = np.random.default_rng(SEED)
    for d in (1, 2, 5):
        a, b = rng.normal(size=(2, d))
        direction = (a - b) / ((a - b) @ (a - b))
        net = Perceptron.shallow(direction[None], np.array([-direction @ b]), np.ones(1), activation="cos")
        values = net(np.stack([a, b]))[:, 0]
        difference = float(values[1] - values[0])
        rows.append(row(difference, "=", 1 - cos(1), tolerance=1e-9, what="two points told apart", d=d, **float64))
    return Evidence(rows, draw=partial(draw, rows), seed=SEED)


def draw(rows: list[Row], ax: Axes) -> None:
    """Largest errors against units, on their closed forms."""
    for name, color in zip(("cos", "exp"), SERIES, strict=False):
        chosen = [r for r in rows if r.parameters.get("activation") == name and r.parameters["what"] == "largest error"]
        n = [r.parameters["units"] for r in chosen]
        ax.loglog(n, [r.predicted for r in chosen], color=PREDICTION, linewidth=0.8)
        target = "|x| by cosines" if name == "cos" else "x by exponentials"
        ax.loglog(n, [r.measured for r in chosen], "o", color=color, label=target)
    ax.set_xlabel("units")
    ax.set_ylabel("largest error")
    ax.legend(frameon=False, fontsize=8)
    ax.spines[["top", "right"]].set_visible(False)
