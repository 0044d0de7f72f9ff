r"""Bartlett, Harvey, Liaw and Mehrabian: deep networks label more points in every way than they have weights.

Claim
    ReLU networks of one architecture with W weights and L layers label of the order of W L points in every way, and never more
    than W L log W: with L of the order of W as many as W^2. So within eps of every function on [0, 1] with Lipschitz constant one
    there is a network only if 1/(2 eps) is at most of that order: W of the order of eps^{-1/2} at least.
Source
    P. Bartlett, N. Harvey, C. Liaw, A. Mehrabian, Nearly-tight VC-dimension and Pseudodimension Bounds for Piecewise Linear
    Neural Networks, JMLR 20 (2019), Theorems 3 and 7 [bartlett2019]: the orders are in its abstract; the explicit bound is from
    memory, since no copy of the theorem was found; the consequence is D. Yarotsky's, Neural Networks 94 (2017), Theorem 4
    [yarotsky2017].
Prediction
    from below m n points by 6 (m - 1) + 14 n + 3 weights; from above plica.theory.approximation.bartlett_2019_vc_upper_bound
Measurement
    networks of plica.construct.stored_bits for all 2^{m n} labels of few points, and for random ones of many: their labels at the
    points, in exact arithmetic, and their weights that are not zero, counted
Remark
    The upper bound is for real weights; those used here have at most n bits. In d dimensions pyramids on N^d boxes do the same:
    plica.theory.approximation.lipschitz_packing_bits is the case d = 1.
"""

from __future__ import annotations

from functools import partial
from itertools import product
from math import e, log2
from typing import TYPE_CHECKING, Any

import numpy as np

from plica._palette import BOUND, MEASUREMENT, REFERENCE
from plica.claims import Evidence, control, row
from plica.construct import Construction, stored_bits
from plica.network import Linear
from plica.theory.approximation import bartlett_2019_vc_upper_bound, lipschitz_packing_bits

if TYPE_CHECKING:
    from matplotlib.axes import Axes

STATEMENT = "theorem"
EXPECTED = "holds"
KIND = "exact"
SEE = ("yarotsky-2018-deep", "curse-of-dimensionality", "zhang-2017-interpolation")
SEED = 1703


def labels(built: Construction, n_points: int) -> tuple[int, ...]:
    return tuple(int(v) for v in built(np.arange(float(n_points))[:, None])[:, 0])


def sizes(built: Construction) -> tuple[list[int], list[int]]:
    """Weights and biases that are not zero, and units, of each layer and of the output."""
    layers = [node.op for node in built.network.nodes if isinstance(node.op, Linear)]
    counts = [int(np.count_nonzero(op.weight)) + int(np.count_nonzero(0 if op.bias is None else op.bias)) for op in layers]
    return counts, [op.weight.shape[0] for op in layers]


def check(scale: str) -> Evidence:
    rng = np.random.default_rng(SEED)
    rows, seen = [], []
    for m, n in [(1, 3), (2, 2), (2, 3), (3, 2)] + ([(3, 3), (2, 5)] if scale == "full" else []):
        found = {labels(stored_bits(np.reshape(bits, (m, n)).tolist()), m * n) for bits in product((0, 1), repeat=m * n)}
        rows.append(row(len(found), "=", 2 ** (m * n), what="ways to label all points", blocks=m, bits=n))
    for m, n in [(8, 8), (16, 16), (48, 48)] + ([(256, 48), (1024, 48)] if scale == "full" else []):
        bits = rng.integers(0, 2, size=(m, n))
        bits[0, 0] = 1  # no block begins with a number that needs no bias
        built = stored_bits(bits.tolist())
        about: dict[str, Any] = {"blocks": m, "bits": n}
        right = sum(a == b for a, b in zip(labels(built, m * n), bits.ravel().tolist(), strict=True))
        rows.append(row(right, "=", m * n, what="points with the label asked for", **about))
        weights, units = sizes(built)
        rows.append(row(sum(weights), "=", 6 * (m - 1) + 14 * n + 3, what="weights", **about))
        rows.append(row(built.depth, "=", 3 * n + 3, what="layers", **about))
        bound = bartlett_2019_vc_upper_bound(weights, units)
        rows.append(row(m * n, "<=", bound, what="points, against the bound", **about))
        plain = len(weights) + sum(sum(weights[: i + 1]) for i in range(len(weights))) * _factor(units)
        rows.append(control(bound, "=", plain, tolerance=1e-12, what="the bound as printed", **about))
        rows.append(row(lipschitz_packing_bits(1 / (2 * m * n)) + 1, "=", m * n, what="bits of 1/(2 m n)", **about))
        seen.append((sum(weights), m * n, bound))
    rows.append(row(48 * 48, ">", 6 * 47 + 14 * 48 + 3, what="points, against weights", blocks=48, bits=48))
    return Evidence(rows, draw=partial(draw, seen), seed=SEED)


def _factor(units: list[int]) -> float:
    """log2(4 e R log2(2 e R)), R the sum of i k_i."""
    r = float(np.arange(1, len(units) + 1) @ np.array(units))
    return log2(4 * e * r * log2(2 * e * r))


def draw(seen: list[tuple[int, int, float]], ax: Axes) -> None:
    """Points that are labeled in every way against weights, under the bound."""
    weights = [s[0] for s in seen]
    ax.loglog(weights, [s[2] for s in seen], "v--", color=BOUND, label="at most")
    ax.loglog(weights, [s[1] for s in seen], "o", color=MEASUREMENT, label="labeled in every way")
    ax.loglog(weights, weights, ":", color=REFERENCE, label="as many as weights")
    ax.set(xlabel="weights W", ylabel="points")
    ax.legend(frameon=False, fontsize=8)
    ax.spines[["top", "right"]].set_visible(False)
