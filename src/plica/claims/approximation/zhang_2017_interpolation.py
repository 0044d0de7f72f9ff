r"""Zhang et al.: 2n + d weights fit any n points.

Claim
    For any n distinct points of R^d and any n values there is a ReLU network with one hidden layer and 2n + d weights that takes
    these values there: units ReLU(a . x - b_i) with one direction a, and n output weights.
Source
    C. Zhang, S. Bengio, M. Hardt, B. Recht, O. Vinyals, Understanding Deep Learning Requires Rethinking Generalization, ICLR
    2017, Theorem 1 [zhang2017].
Prediction
    0, the largest residual, in rational numbers; 2n + d numbers that are not shared; n units
Measurement
    the network of the proof for random integer points and values, random labels, and points on a line in an awkward order: solved
    and evaluated in rationals, and as a plica.Network in floating point; one unit fewer leaves a residual
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from functools import partial
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from plica._palette import BOUND, MEASUREMENT
from plica.claims import Evidence, row
from plica.network import Linear, Network, Rectifier

if TYPE_CHECKING:
    from matplotlib.axes import Axes

STATEMENT = "theorem"
EXPECTED = "holds"
KIND = "estimated"
SEE = ("memorization", "interpolation")
SEED = 2017
Fit = tuple[list[int], list[Fraction], list[Fraction]]


def direction(points: np.ndarray, rng: np.random.Generator) -> list[int]:
    """Integers with different inner products with all points."""
    while True:
        a = rng.integers(-(10**6), 10**6, size=(points.shape[1],))
        if len(np.unique(points @ a)) == len(points):
            return [int(v) for v in a.tolist()]


def fit(points: np.ndarray, values: Sequence[int], rng: np.random.Generator) -> Fit:
    """a, b, w of the proof: b_1 < z_1 < b_2 < z_2 < ..., so that the matrix of units at points is triangular."""
    a = direction(points, rng)
    z = [sum(int(p) * v for p, v in zip(point, a, strict=True)) for point in points]
    order = sorted(range(len(z)), key=z.__getitem__)
    knots = [Fraction(z[order[0]] - 1)] + [Fraction(z[i] + z[j], 2) for i, j in pairwise(order)]
    weights: list[Fraction] = []
    for k, i in enumerate(order):
        reached = sum((w * (z[i] - b) for w, b in zip(weights, knots[:k], strict=True)), Fraction(0))
        weights.append((values[i] - reached) / (z[i] - knots[k]))
    return a, knots, weights


def residual(found: Fit, points: np.ndarray, values: Sequence[int], *, n_units: int | None = None) -> Fraction:
    """The largest deviation at the points, without rounding."""
    a, knots, weights = found
    units = list(zip(knots, weights, strict=True))[:n_units]
    worst = Fraction(0)
    for point, value in zip(points, values, strict=True):
        z = sum(int(p) * v for p, v in zip(point, a, strict=True))
        worst = max(worst, abs(sum((w * max(Fraction(0), z - b) for b, w in units), Fraction(0)) - value))
    return worst


def as_network(found: Fit) -> Network:
    a, knots, weights = found
    hidden = Linear(np.tile(np.array(a, dtype=float), (len(knots), 1)), -np.array([float(b) for b in knots]))
    return Network.sequential(len(a), [hidden, Rectifier(), Linear(np.array([[float(w) for w in weights]]), np.zeros(1))])


def check(scale: str) -> Evidence:
    rng = np.random.default_rng(SEED)
    rows, shown = [], None
    for n, d in ((2, 1), (10, 1), (40, 3), (60, 784)) + (((400, 784),) if scale == "full" else ()):
        points = rng.permutation(np.arange(n))[:, None] if d == 1 else rng.integers(0, 256, (n, d))
        for name, values in (
            ("random values", rng.integers(-100, 100, n).tolist()),
            ("random labels", rng.integers(0, 10, n).tolist()),
        ):
            found = fit(points, values, rng)
            about: dict[str, Any] = {"n": n, "d": d, "values": name}
            rows.append(row(residual(found, points, values), "=", 0, what="largest residual, in rationals", **about))
            rows.append(row(len(found[0]) + len(found[1]) + len(found[2]), "=", 2 * n + d, what="weights", **about))
            network = as_network(found)
            rows.append(row(network.n_neurons, "=", n, what="units", **about))
            off = float(np.abs(network(points.astype(float))[:, 0] - values).max())
            size = 1e-16 * max(abs(float(w)) for w in found[2]) * float(np.abs(points).max()) * 10**6 * d * n
            rows.append(
                row(off, "=", 0.0, kind="estimated", standard_error=size, unit=100.0, what="residual of the Network", **about)
            )
            if d == 1 and n > 2:
                shown = (points[:, 0], values, network)
                fewer = residual(found, points, values, n_units=n - 1)
                rows.append(row(fewer, ">", 0, what="residual with one unit fewer", **about))
    assert shown is not None
    return Evidence(rows, draw=partial(draw, *shown), seed=SEED)


def draw(x: np.ndarray, y: list[int], network: Network, ax: Axes) -> None:
    """The network through its points."""
    t = np.linspace(x.min() - 0.5, x.max() + 0.5, 801)
    ax.plot(t, network(t[:, None])[:, 0], color=MEASUREMENT, linewidth=1, label=f"{network.n_neurons} ReLUs")
    ax.plot(x, y, "o", color=BOUND, markersize=5, label=f"{len(x)} points")
    ax.set(xlabel="x", ylabel="value")
    ax.legend(frameon=False, fontsize=8)
    ax.spines[["top", "right"]].set_visible(False)
