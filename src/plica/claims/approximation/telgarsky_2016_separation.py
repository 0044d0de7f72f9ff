r"""Telgarsky: a deep sawtooth is far from every shallow network.

Claim
    For L >= 2 the sawtooth of depth L^2 + 2, a ReLU network with O(L^2) units and layers, has L1 distance at least 1/32 on [0, 1]
    from every ReLU network with at most 2^L units and L layers.
Source
    M. Telgarsky, Deep Learning Theory Lecture Notes (2021), Theorem 5.1 [telgarsky2021]; Benefits of Depth in Neural
    Networks, COLT 2016 [telgarsky2016].
Prediction
    1/32; and plica.theory.approximation.sawtooth_distance_lower_bound for all functions with as many pieces as such a network
    can have, (2^{L+1} / L)^L by plica.theory.regions.telgarsky_2015_upper_bound_by_size
Measurement
    the integral of the absolute difference, exactly in rationals: for networks trained by Adam on the mean absolute error, for
    the constant 1/2, and for networks that follow the sawtooth (plica.construct.sawtooth) segment by segment: with as many units,
    and with as many pieces as such a network could have at all
Remark
    The printed "for every L" needs L >= 2, and the statement is that of the later notes, not of the paper of 2015.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np

from plica._palette import REFERENCE, SERIES
from plica.claims import Evidence, Row, row
from plica.claims.approximation._sawtooth_distance import copying_network, distance, trained_network
from plica.construct import interpolant, sawtooth
from plica.network import Network
from plica.theory.approximation import sawtooth_distance_lower_bound
from plica.theory.regions import telgarsky_2015_upper_bound_by_size

if TYPE_CHECKING:
    from matplotlib.axes import Axes

STATEMENT = "theorem"
EXPECTED = "holds"
KIND = "exact"
SEE = ("telgarsky-2015-pieces", "sawtooth-unit-interval")
SEED = 1602
LAYOUTS = {2: ((4,), (2, 2)), 3: ((8,), (4, 4), (3, 3, 2))}


def check(scale: str) -> Evidence:
    rows: list[Row] = []
    bound = Fraction(1, 32)
    for L in (2, 3, 4, 5, 6):
        k, pieces = L**2 + 2, int(telgarsky_2015_upper_bound_by_size(2**L, L))
        rows.append(row(sawtooth_distance_lower_bound(k, pieces), ">=", bound, L=L, what=f"every function with {pieces} pieces"))
    half = interpolant([0.0], [0.5]).network
    for k in (2, 4, 6):  # one piece: the constant 1/2 is 1/4 away, as far as the bound but for the two outer segments
        rows.append(
            row(
                distance(half, k) * (1 - Fraction(1, 2**k)),
                "=",
                sawtooth_distance_lower_bound(k, 1),
                k=k,
                what="the constant 1/2",
            )
        )
    shown: list[tuple[str, Network]] = []
    for L in (2, 3) if scale == "full" else (2,):
        k, pieces = L**2 + 2, int(telgarsky_2015_upper_bound_by_size(2**L, L))
        deep = sawtooth(k)
        rows.append(row(distance(deep.network, k), "=", 0, L=L, what=f"the sawtooth itself, {deep.n_units} units"))
        candidates: list[tuple[str, Network]] = [("the constant 1/2", interpolant([0.0], [0.5]).network)]
        candidates.append((f"a copy with {2**L} units", copying_network(k, 2**L)))
        candidates.append((f"a copy with all {pieces} pieces", copying_network(k, pieces - 1)))
        for hidden in LAYOUTS[L]:
            for seed in range(5 if scale == "full" else 1):
                net = trained_network(hidden, k, steps=1000 if scale == "full" else 200, seed=SEED + seed)
                candidates.append((f"trained, hidden layers {hidden}", net))
        for what, net in candidates:
            found = distance(net, k)
            rows.append(row(found, ">=", bound, L=L, what=what))
            rows.append(
                row(found, ">=", sawtooth_distance_lower_bound(k, pieces), L=L, what=f"{what}, against the sharper bound")
            )
        if L == 2:
            shown = candidates
    return Evidence(rows, draw=figure(shown), seed=SEED)


def figure(candidates: list[tuple[str, Network]]) -> Callable[[Axes], None]:
    """The sawtooth of depth 6 and the networks with at most 4 units."""

    def draw(ax: Axes) -> None:
        x: Any = np.linspace(0, 1, 2049)
        ax.plot(x, 1 - np.abs(1 - np.mod(64 * x, 2)), color=REFERENCE, linewidth=0.6, label="depth 6")
        for (what, net), color in zip(candidates[2:5], SERIES, strict=False):
            ax.plot(x, net(x[:, None])[:, 0], color=color, linewidth=1.4, label=what)
        ax.set_ylim(-0.1, 1.5)
        ax.set_xlabel("x")
        ax.legend(frameon=False, fontsize="small", ncols=2, loc="upper center")
        ax.spines[["top", "right"]].set_visible(False)

    return draw
