r"""Yarotsky: error^(-d/m) log(1/error) weights, in one network for all functions.

Claim
    All functions on [0, 1]^d with m bounded derivatives are approximated within eps by one ReLU network of depth O(ln(1/eps) + 1)
    with O(eps^{-d/m} (ln(1/eps) + 1)) weights, only the last of which depend on the function.
Source
    D. Yarotsky, Neural Networks 94 (2017), Theorem 1 [yarotsky2017].
Prediction
    a grid of (C / (3/4 eps))^{1/m} points a side, with C = (2/3)^m sum_{|k| = m} sup |D^k f| / k! from calculus; weights for
    each bump proportional to the teeth, which grow like log_4(1/eps); an error below the certified one, below eps
Measurement
    several functions for each d (plica.construct.sobolev): grid, teeth and weights over accuracies
    (plica.construct.sobolev_size); the true error, enclosed on the exact complex (plica.construct.approximation_error), which
    does not know the proof; and which weights differ between the networks of different functions
Remark
    The paper also proves that of the order of eps^{-d/(2m)} weights are needed; with weights that depend continuously on the
    function eps^{-d/m} are: claim curse-of-dimensionality.
"""

from __future__ import annotations

from functools import cache
from itertools import pairwise
from math import ceil, log
from typing import TYPE_CHECKING, Any

import numpy as np

from plica._palette import SERIES
from plica.claims import Evidence, row
from plica.construct import Expression, SobolevSize, approximation_error, cos, sin, sobolev, sobolev_size, variables
from plica.geometry import Box, Segment
from plica.network import Linear, Network

if TYPE_CHECKING:
    from matplotlib.axes import Axes

STATEMENT = "theorem"
EXPECTED = "holds"
KIND = "certified"
SEE = ("yarotsky-2017-square", "yarotsky-2017-product", "curse-of-dimensionality", "effective-dimension")

Errors = list[float]
ACCURACIES: dict[tuple[int, int], Errors] = {
    (1, 1): [2.0**-k for k in range(4, 10)],
    (1, 2): [2.0**-k for k in range(4, 12, 2)],
    (1, 3): [2.0**-k for k in range(4, 14, 3)],
    (2, 1): [0.5, 0.25, 0.12],
    (2, 2): [0.3, 0.1, 0.03],
}
FURTHER: dict[tuple[int, int], Errors] = {
    (1, 1): [2.0**-10],
    (1, 2): [2.0**-12, 2.0**-14, 2.0**-16],
    (1, 3): [2.0**-16, 2.0**-19],
    (2, 1): [0.06, 0.04],
    (2, 2): [0.01, 0.004],
}
#: (2/3)^m sum_{|k| = m} sup |D^k f| / k!: 3^m / m! for sines of 3x, 2^m / m! for sines of x + y, whose suprema are in [0, 1]^d
CONSTANTS = {(1, 1): 2.0, (1, 2): 2.0, (1, 3): 8 / 6, (2, 1): 4 / 3, (2, 2): 8 / 9}


def functions(d: int) -> dict[str, Expression]:
    """Functions whose derivatives have the same suprema on the cube, and no zero among their values on the grids used here."""
    x = variables(d)
    if d == 1:
        return {"sin(3x + 1)": sin(3 * x[0] + 1), "cos(3x + 1/2)": cos(3 * x[0] + 0.5), "sin(3x + 5/4)": sin(3 * x[0] + 1.25)}
    return {"sin(x + y)": sin(x[0] + x[1]), "sin(x + y + 1/4)": sin(x[0] + x[1] + 0.25)}


@cache
def size(d: int, m: int, name: str, error: float) -> SobolevSize:
    return sobolev_size(functions(d)[name], error, dimension=d, smoothness=m)


def n_different(first: Network, second: Network) -> tuple[int, int]:
    """Affine maps that differ between two networks: before the last one, and the last one."""
    ops = [[node.op for node in net.nodes if isinstance(node.op, Linear)] for net in (first, second)]
    differ = [
        not (np.array_equal(p.weight, q.weight) and np.array_equal(np.asarray(p.bias), np.asarray(q.bias)))
        for p, q in zip(*ops, strict=True)
    ]
    return sum(differ[:-1]), int(differ[-1])


def check(scale: str) -> Evidence:
    rows = []
    full = scale == "full"
    for (d, m), errors in ACCURACIES.items():
        asked = errors + (FURTHER[d, m] if full else [])
        share = 0.75 if d > 1 or m > 1 else 0.999
        name = next(iter(functions(d)))
        found = [size(d, m, name, e) for e in asked]
        for s, e in zip(found, asked, strict=True):
            about: dict[str, Any] = {"d": d, "m": m, "f": name, "eps": e}
            rows.append(row(s.grid, "=", ceil((CONSTANTS[d, m] / (share * e)) ** (1 / m) - 1e-9), what="grid", **about))
        for (s, e), (t, smaller) in pairwise(zip(found, asked, strict=True)):
            about = {"d": d, "m": m, "f": name, "eps": smaller}
            rows.append(row(t.teeth - s.teeth, "<=", ceil(log(e / smaller, 4) - 1e-9), what="more teeth", **about))
            per_bump = [x.n_weights / ((x.grid + 1) ** d * x.teeth) for x in (s, t)]
            rows.append(row(per_bump[1], "<=", max(per_bump[0], 6.0), what="weights for each bump and tooth", **about))
            rows.append(row(t.depth - s.depth, "<=", (d + m - 1) * (t.teeth - s.teeth), what="more depth", **about))
    cases = [(1, 1, 1 / 16), (1, 2, 1 / 32), (2, 1, 0.5)] + ([(1, 3, 1 / 64), (2, 2, 0.3)] if full else [])
    for d, m, error in cases:
        domain = Segment([0.0], [1.0]) if d == 1 else Box([0.0] * d, [1.0] * d)
        reference = None
        chosen = list(functions(d).items())[: None if full else 3 - d]
        for name, f in chosen:
            built = sobolev(f, error, dimension=d, smoothness=m)
            assert built.certificate is not None
            true = approximation_error(built.network, f, domain)
            about = {"d": d, "m": m, "f": name, "eps": error, "kind": "certified"}
            rows.append(row(float(true.high), "<=", float(built.certificate.bound), what="true error, within the bound", **about))
            rows.append(row(float(built.certificate.bound), "<=", error, what="the bound, within eps", **about))
            rows.append(row(float(true.low), ">=", error / 12, what="true error, of the order of eps", **about))
            if d == 1:
                if reference is not None:
                    inner, last = n_different(reference, built.network)
                    rows.append(row(inner, "=", 0, what="hidden layers that depend on f", d=d, m=m, f=name, eps=error))
                    rows.append(row(last, "=", 1, what="output layer that depends on f", d=d, m=m, f=name, eps=error))
                reference = built.network
    return Evidence(rows, draw=draw)


def draw(ax: Axes) -> None:
    """Certified error against weights."""
    colors = dict(zip((1, 2, 3), SERIES, strict=False))
    for (d, m), errors in ACCURACIES.items():
        found = [size(d, m, next(iter(functions(d))), e) for e in errors]
        style = "o-" if d == 1 else "s--"
        weights, bounds = [s.n_weights for s in found], [float(s.bound) for s in found]
        ax.loglog(weights, bounds, style, color=colors[m], markersize=4, label=f"d = {d}, m = {m}")
    ax.set_xlabel("weights")
    ax.set_ylabel("certified error")
    ax.legend(frameon=False, fontsize=8)
    ax.spines[["top", "right"]].set_visible(False)
