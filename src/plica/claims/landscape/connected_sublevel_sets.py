r"""The sub-level sets of a linear network with two hidden units are connected.

Claim
    For the network x -> (a . b) x with two hidden units and the loss (a . b - 1)^2, every sub-level set {loss <= c} is
    connected; with one hidden unit those with c < 1 are not.
Source
    L. Venturi, A. Bandeira, J. Bruna, Spurious Valleys in One-hidden-layer Neural Network Optimization Landscapes, JMLR
    2019 [venturi2019]; the example is worked out here.
Prediction
    a path inside the set between any two of its points: 0 points of the path with a larger loss than c
Measurement
    random rational points of the set and the path that first moves u = (a + b) / 2 and v = (a - b) / 2 along their rays to the
    circle |u| = 1, v = 0, then walks round it; the loss is evaluated in exact rationals. For one unit the points (1, 1) and
    (-1, -1) are in the set and a b >= 1/2 keeps the sign of a, so no path joins them; on the straight line between them the
    largest loss by plica.landscape.loss_line is 1, that of a = 0. With two units, on the line from a = b = (1, 0) to (0, 1), it
    is 1/4, at the middle
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np

from plica._palette import FILLS, INK
from plica.claims import Evidence, row
from plica.landscape import LineExtreme, loss_line
from plica.network import Linear, Network

if TYPE_CHECKING:
    from matplotlib.axes import Axes


STATEMENT = "theorem"
EXPECTED = "holds"
KIND = "certified"
SEE = ("slide-simply-connected",)
SEED = 18


def loss_of(uu: Fraction, vv: Fraction) -> Fraction:
    """The loss in terms of |u|^2 and |v|^2, since a . b = |u|^2 - |v|^2."""
    return (uu - vv - 1) ** 2


def worst_on_path(uu: Fraction, vv: Fraction, steps: int) -> Fraction:
    """The largest loss while |u|^2 and |v|^2 move on a straight line to 1 and 0: the way of u itself does not matter.

    a . b - 1 moves on a straight line to 0, so the loss only falls.
    """
    worst = Fraction(0)
    for k in range(steps + 1):
        t = Fraction(k, steps)
        worst = max(worst, loss_of((1 - t) * uu + t, (1 - t) * vv))
    return worst


def random_point(rng: np.random.Generator, level: Fraction) -> tuple[Fraction, Fraction]:
    """|u|^2 and |v|^2 of a random rational point (a, b) of the set."""
    while True:
        a, b = ([Fraction(int(v), 8) for v in rng.integers(-16, 17, 2)] for _ in range(2))
        uu = sum((((p + q) / 2) ** 2 for p, q in zip(a, b, strict=True)), Fraction(0))
        vv = sum((((p - q) / 2) ** 2 for p, q in zip(a, b, strict=True)), Fraction(0))
        if loss_of(uu, vv) <= level:
            return uu, vv


def largest_loss(start: Sequence[float], end: Sequence[float]) -> LineExtreme:
    """Of the network with a = b on the straight line between two such networks, enclosed."""
    a, b = (Network.sequential(1, [Linear(np.array(v)[:, None]), Linear(np.array(v)[None])]) for v in (start, end))
    return loss_line(a, b, np.ones((1, 1)), np.ones((1, 1))).maximum


def check(scale: str) -> Evidence:
    rng = np.random.default_rng(SEED)
    n_points = 300 if scale == "full" else 30
    rows = []
    for level in (Fraction(1, 64), Fraction(1, 4), Fraction(1), Fraction(4)):
        outside = sum(worst_on_path(*random_point(rng, level), 20) > level for _ in range(n_points))
        rows.append(row(outside, "=", 0, hidden_units=2, c=level, what=f"paths that leave the set, of {n_points}"))
    # one unit: a b >= 1/2 on the set, so a keeps its sign along any path inside, but (1, 1) and (-1, -1) are both in it
    both_signs = {a > 0 for a, b in ((1, 1), (-1, -1)) if (a * b - 1) ** 2 <= Fraction(1, 4)}
    rows.append(row(len(both_signs), "=", 2, hidden_units=1, c=Fraction(1, 4), what="signs of a in the set, which no path joins"))
    for start, end, predicted in (((1.0,), (-1.0,), 1), ((1.0, 0.0), (0.0, 1.0), Fraction(1, 4))):
        found = largest_loss(start, end).value
        for bound, side in ((found.low, "at least"), (found.high, "at most")):
            what = f"largest loss on the straight line by the library, {side}"
            rows.append(row(bound, "=", predicted, kind="certified", tolerance=1e-9, hidden_units=len(start), what=what))
    return Evidence(rows, draw=draw, seed=SEED)


def draw(ax: Axes) -> None:
    """One hidden unit: where (a b - 1)^2 is at most 1/4, in two parts that no path joins."""
    a, b = np.meshgrid(np.linspace(-3, 3, 241), np.linspace(-3, 3, 241))
    ax.contourf(a, b, (a * b - 1) ** 2, levels=[0, 0.25, 1], colors=[FILLS[0], FILLS[3]])
    ax.plot([1, -1], [1, -1], "o", color=INK)
    ax.set(xlabel="a", ylabel="b", aspect="equal", title="loss at most 1/4 (blue), at most 1 (yellow)")
    ax.spines[["top", "right"]].set_visible(False)
