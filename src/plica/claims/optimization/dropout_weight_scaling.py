r"""Weights times p in place of a mean over all thinned networks: where that is exact, and how far off it is elsewhere.

Claim
    Where kept units feed a linear map, the mean output over all masks is that of the weights times p. After a ReLU the mean
    is at least as large, and as a rule larger. For a softmax over kept units the normalized geometric mean of the
    probabilities of all thinned networks is exactly the softmax with the weights times p.
Source
    N. Srivastava et al., Dropout, JMLR 15 (2014), who call the scaled network an approximation of the mean [srivastava2014];
    P. Baldi, P. Sadowski, Understanding Dropout, NIPS 2013, for the geometric mean [baldi2013].
Prediction
    equality in fractions for linear outputs; at least as much after a ReLU (Jensen), strictly more for the network shown;
    equality of geometric means
Measurement
    all 2^n thinned networks of a small network (plica.Network, a mask after its rectifiers), whose outputs are integers, averaged
    in fractions, and the network with p in the mask's place; geometric means in double precision
"""

from __future__ import annotations

from fractions import Fraction
from itertools import product
from typing import TYPE_CHECKING, Any

import numpy as np

from plica._palette import BARS, BOUND, PREDICTION
from plica._types import Array
from plica.claims import Evidence, row
from plica.network import Linear, Network, Rectifier, Scale

if TYPE_CHECKING:
    from matplotlib.axes import Axes

STATEMENT = "theorem"
EXPECTED = "holds"
KIND = "estimated"
SEE = ("dropout-linear-regression",)
SEED = 2013
HIDDEN = 8


def network(kept: Array) -> Network:
    """Integer weights to eight hidden units, of which so much is kept, and from them to two outputs and three classes."""
    rng = np.random.default_rng(SEED)
    inner, outer, classes = rng.integers(-4, 5, (HIDDEN, 3)), rng.integers(-4, 5, (2, HIDDEN)), rng.integers(-2, 3, (3, HIDDEN))
    weights = [np.asarray(w, dtype=float) for w in (inner, np.vstack([outer, classes]))]
    return Network.sequential(3, [Linear(weights[0]), Rectifier(), Scale(np.asarray(kept, dtype=float)), Linear(weights[1])])


def inputs(n: int) -> Array:
    return np.random.default_rng(SEED + 1).integers(-3, 4, (n, 3)).astype(float)


def thinned(p: Fraction) -> list[tuple[Fraction, Array]]:
    """Every mask with its probability."""
    return [(p ** sum(mask) * (1 - p) ** (HIDDEN - sum(mask)), np.array(mask)) for mask in product((0, 1), repeat=HIDDEN)]


def check(scale: str) -> Evidence:
    points = inputs(20 if scale == "full" else 6)
    outputs = {mask: network(np.array(mask))(points) for mask in product((0, 1), repeat=HIDDEN)}
    rows = []
    for p in (Fraction(1, 2), Fraction(3, 4)):
        gaps = []
        shares = [(q, outputs[tuple(mask.tolist())]) for q, mask in thinned(p)]
        all_scaled = network(np.full(HIDDEN, float(p)))(points)
        for i in range(len(points)):
            mean = [sum((q * Fraction(float(out[i, j])) for q, out in shares), Fraction(0)) for j in range(2)]
            scaled = [Fraction(float(v)) for v in all_scaled[i, :2]]
            rows.append(row(", ".join(map(str, mean)), "=", ", ".join(map(str, scaled)), what="linear output", p=str(p), input=i))
            rectified = sum((q * max(Fraction(float(out[i, 0])), Fraction(0)) for q, out in shares), Fraction(0))
            rows.append(row(rectified, ">=", max(scaled[0], Fraction(0)), what="after a ReLU", p=str(p), input=i))
            gaps.append(float(rectified - max(scaled[0], Fraction(0))))
            means = np.sum([float(q) * _log_softmax(out[i, 2:]) for q, out in shares], axis=0)
            off = np.abs(_log_softmax(means) - _log_softmax(all_scaled[i, 2:])).max()
            rounding: dict[str, Any] = {"kind": "estimated", "standard_error": 1e-13, "unit": 1.0}
            rows.append(row(float(off), "=", 0.0, **rounding, what="geometric mean", p=str(p), input=i))
        rows.append(row(max(gaps), ">", 0, what="largest gap after a ReLU", p=str(p)))
    return Evidence(rows, draw=draw, seed=SEED)


def _log_softmax(z: Array) -> Array:
    shifted = z - z.max()
    return np.asarray(shifted - np.log(np.exp(shifted).sum()))


def draw(ax: Axes) -> None:
    """The outputs of all thinned networks after a ReLU, their mean, and the scaled network."""
    x = inputs(6)[1]
    outputs = np.array([max(float(network(mask)(x)[0]), 0.0) for _, mask in thinned(Fraction(1, 2))])
    ax.hist(outputs, bins=30, color=BARS)
    ax.axvline(outputs.mean(), color=PREDICTION, label="mean of all masks")
    ax.axvline(max(float(network(np.full(HIDDEN, 0.5))(x)[0]), 0.0), color=BOUND, linestyle="--", label="weights times p")
    ax.set(xlabel="output after a ReLU", ylabel="thinned networks")
    ax.legend(frameon=False)
