r"""Banchoff: critical points of a piecewise-linear function.

Claim
    The indices of all critical points of a piecewise-linear function on a polyhedron add up to its Euler characteristic; turning
    the function upside down turns index k inside the domain into d - k.
Source
    T. F. Banchoff, Critical Points and Curvature for Embedded Polyhedra, J. Differential Geometry 1 (1967) [banchoff1967]; for
    networks, with flat parts, J. E. Grigsby, K. Lindsey, M. Masden, 2022 [grigsby2022c].
Prediction
    1 for a cube; for each k as many points of index k of f inside as of index d - k of -f
Measurement
    plica.measure.critical_points over [-1, 1]^d: relative Betti numbers over GF(2) at every vertex and flat part
Remark
    The count that sampling gives, local extremes among neighbors, satisfies neither.
"""

from __future__ import annotations

from plica.claims import Evidence, control, row
from plica.claims.topology._ternary import ternary
from plica.geometry import BoundedComplex, Box, decompose
from plica.measure import critical_points, persistence
from plica.network import Network, random_network

STATEMENT = "theorem"
EXPECTED = "holds"
KIND = "exact"
SEE = ("grigsby-2022-local-complexity",)
SEED = 1967


def inside(cx: BoundedComplex, sign: float) -> list[int]:
    """How many critical points of each index are inside, with their multiplicities."""
    points = critical_points(cx, weights=[sign]).interior
    return [sum(p.multiplicities[k] for p in points) for k in range(cx.dimension + 1)]


def check(scale: str) -> Evidence:
    rows = []
    n_seeds = 2 if scale == "quick" else 20
    for d in (1, 2, 3, 4):
        cases: list[tuple[str, int, Network]] = []
        for seed in range(SEED, SEED + n_seeds):
            cases.append(("random", seed, random_network([d, 8, 6, 1], seed=seed, weights="he-normal", bias_std=0.5)))
            cases.append(("ternary", seed, ternary([d, 6, 5, 1], seed=seed)))
        for name, seed, net in cases:
            cx = decompose(net, Box([-1.0] * d, [1.0] * d))
            assert isinstance(cx, BoundedComplex)
            found = critical_points(cx)
            rows.append(row(found.euler, "=", 1, what="sum of indices", d=d, weights=name, seed=seed))
            for k, (up, down) in enumerate(zip(inside(cx, 1.0), reversed(inside(cx, -1.0)), strict=True)):
                rows.append(row(up, "=", down, what=f"index {k}, upside down", d=d, weights=name, seed=seed))
            diagram = persistence(cx)
            changes = 2 * len(diagram) - 1  # all classes end but the first component
            rows.append(control(sum(found.multiplicities), "=", changes, what="births and deaths", d=d, weights=name, seed=seed))
    return Evidence(rows, seed=SEED)
