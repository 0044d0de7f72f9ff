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
    all 2^n thinned networks of a small network, in fractions; geometric means in double precision
"""

from __future__ import annotations

from fractions import Fraction
from itertools import product
from typing import TYPE_CHECKING, Any

import numpy as np

from plica._palette import BARS, BOUND, PREDICTION
from plica._types import Array
from plica.claims import Evidence, row

if TYPE_CHECKING:
    from matplotlib.axes import Axes

STATEMENT = "theorem"
EXPECTED = "holds"
KIND = "estimated"
SEE = ("dropout-linear-regression",)
SEED = 2013
HIDDEN = 8


def network() -> tuple[Array, Array, Array]:
    """Integers: weights to and from a hidden layer of eight units, and from it to three classes."""
    rng = np.random.default_rng(SEED)
    return rng.integers(-4, 5, (HIDDEN, 3)), rng.integers(-4, 5, (2, HIDDEN)), rng.integers(-2, 3, (3, HIDDEN))


def thinned(p: Fraction) -> list[tuple[Fraction, Array]]:
    """Every mask with its probability."""
    return [(p ** sum(mask) * (1 - p) ** (HIDDEN - sum(mask)), np.array(mask)) for mask in product((0, 1), repeat=HIDDEN)]


def check(scale: str) -> Evidence:
    inner, outer, classes = network()
    inputs = np.random.default_rng(SEED + 1).integers(-3, 4, (20 if scale == "full" else 6, 3))
    rows = []
    for p in (Fraction(1, 2), Fraction(3, 4)):
        gaps = []
        for i, x in enumerate(inputs):
            hidden = np.maximum(inner @ x, 0)
            outputs = [(q, outer @ (mask * hidden)) for q, mask in thinned(p)]
            mean = [sum((q * int(out[j]) for q, out in outputs), Fraction(0)) for j in range(2)]
            scaled = [p * int(v) for v in outer @ hidden]
            rows.append(row(", ".join(map(str, mean)), "=", ", ".join(map(str, scaled)), what="linear output", p=str(p), input=i))
            rectified = sum((q * max(int(out[0]), 0) for q, out in outputs), Fraction(0))
            rows.append(row(rectified, ">=", max(scaled[0], Fraction(0)), what="after a ReLU", p=str(p), input=i))
            gaps.append(float(rectified - max(scaled[0], Fraction(0))))
            logits = [(float(q), np.asarray(classes @ (mask * hidden), dtype=float)) for q, mask in thinned(p)]
            means = np.sum([q * _log_softmax(z) for q, z in logits], axis=0)
            off = np.abs(_log_softmax(means) - _log_softmax(float(p) * np.asarray(classes @ hidden, dtype=float))).max()
            rounding: dict[str, Any] = {"kind": "estimated", "standard_error": 1e-13, "unit": 1.0}
            rows.append(row(float(off), "=", 0.0, **rounding, what="geometric mean", p=str(p), input=i))
        rows.append(row(max(gaps), ">", 0, what="largest gap after a ReLU", p=str(p)))
    return Evidence(rows, draw=draw, seed=SEED)


def _log_softmax(z: Array) -> Array:
    shifted = z - z.max()
    return np.asarray(shifted - np.log(np.exp(shifted).sum()))


def draw(ax: Axes) -> None:
    """The outputs of all thinned networks after a ReLU, their mean, and the scaled network."""
    inner, outer, _ = network()
    x = np.random.default_rng(SEED + 1).integers(-3, 4, (6, 3))[1]
    hidden = np.maximum(inner @ x, 0)
    outputs = np.array([max(int((outer @ (mask * hidden))[0]), 0) for _, mask in thinned(Fraction(1, 2))])
    ax.hist(outputs, bins=30, color=BARS)
    ax.axvline(outputs.mean(), color=PREDICTION, label="mean of all masks")
    ax.axvline(max(float((outer @ hidden)[0]) / 2, 0), color=BOUND, linestyle="--", label="weights times p")
    ax.set(xlabel="output after a ReLU", ylabel="thinned networks")
    ax.legend(frameon=False)
