r"""Are the level sets of the loss simply connected?

Claim
    For a one-hidden-layer network at least as wide as the theorem of Venturi, Bandeira and Bruna asks, the sub-level sets of
    the loss are simply connected.
Source
    Theories of Deep Learning, lecture 15, "simply connected" [oxford-lecture-15]; the theorem is about the absence of
    spurious valleys and about connected sub-level sets [venturi2019].
Prediction
    1 component, and winding number 0 for every closed path in the set
Measurement
    the linear network x -> (a . b) x and the loss (a . b - 1)^2, for which any width is enough, at the level 1/4. One hidden
    unit: (1, 1) and (-1, -1) are in the set, and a cannot change its sign there because a b >= 1/2. Two hidden units: on the
    loop a = b = (cos t, sin t) the loss is 0 and u = (a + b) / 2 turns once round the origin, while |u|^2 >= a . b >= 1/2 on
    the whole set, so the winding number of u cannot change. It is counted exactly on rational points of the circle; the largest
    loss on the edges between them, by plica.landscape.loss_line, stays at most 1/4
Remark
    a . b = |u|^2 - |v|^2 with v = (a - b) / 2, so {a . b = 1} is a circle times a plane for two units: connected, with
    fundamental group Z. From three units on, this set is simply connected. What holds is the claim
    connected-sublevel-sets.
"""

from __future__ import annotations

from fractions import Fraction
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from plica._palette import FILLS, INK, MEASUREMENT
from plica.claims import Evidence, control, counterexample
from plica.claims.landscape.connected_sublevel_sets import largest_loss

if TYPE_CHECKING:
    from matplotlib.axes import Axes

STATEMENT = "misprint (text)"
EXPECTED = "refuted"
KIND = "certified"
SEE = ("connected-sublevel-sets",)
LEVEL = Fraction(1, 4)
Point = tuple[Fraction, Fraction]


def circle(n: int) -> list[Point]:
    """Rational points once round the unit circle, four quarters from t = tan(angle / 2) = k / n."""
    quarter = [(Fraction(n * n - k * k, n * n + k * k), Fraction(2 * n * k, n * n + k * k)) for k in range(n)]
    turn = [((x, y), (-y, x), (-x, -y), (y, -x)) for x, y in quarter]
    return [points[q] for q in range(4) for points in turn]


def loss(a: Point, b: Point) -> Fraction:
    return (a[0] * b[0] + a[1] * b[1] - 1) ** 2


def winding_number(points: list[Point]) -> int:
    """Signed crossings of the positive x-axis by the closed polygon."""
    turns = 0
    for (x0, y0), (x1, y1) in pairwise([*points, points[0]]):
        if (y0 < 0) != (y1 < 0) and (x0 * (y1 - y0) - y0 * (x1 - x0)) * (y1 - y0) > 0:
            turns += 1 if y1 > y0 else -1
    return turns


def check(scale: str) -> Evidence:
    branches = {a > 0 for a, b in ((1, 1), (-1, -1)) if (a * b - 1) ** 2 <= LEVEL}
    rows = [counterexample(len(branches), "=", 1, truth=2, hidden_units=1, what="components, at least")]
    for n in (2, 4, 16) + ((64, 256) if scale == "full" else ()):
        loop = circle(n)
        assert all(loss(p, p) == 0 for p in loop)
        # along an edge from p to q with a = b the loss is (|u|^2 - 1)^2, largest at the middle
        middles = [((p[0] + q[0]) / 2, (p[1] + q[1]) / 2) for p, q in pairwise([*loop, loop[0]])]
        assert all(loss(m, m) <= LEVEL for m in middles), "the polygon leaves the set"
        if n <= 4:
            edges = [[tuple(map(float, p)) for p in ends] for ends in pairwise([*loop, loop[0]])]
            on_edges, what = max(largest_loss(*ends).value.high for ends in edges), f"largest loss on a loop of {len(loop)} edges"
            told: dict[str, Any] = {"kind": "certified", "hidden_units": 2, "what": what}
            rows.append(control(on_edges, "=", max(loss(m, m) for m in middles), tolerance=1e-7, **told))
            rows.append(control(on_edges, "<=", LEVEL, **told))
        turns = winding_number(loop)
        rows.append(counterexample(turns, "=", 0, truth=1, hidden_units=2, what=f"winding number of a loop of {len(loop)} edges"))
    return Evidence(rows, draw=draw)


def draw(ax: Axes) -> None:
    """The set of a = b inside the sub-level set: a ring."""
    from matplotlib.patches import Annulus

    ax.add_patch(Annulus((0, 0), 1.5**0.5, 1.5**0.5 - 0.5**0.5, facecolor=FILLS[0], edgecolor=INK, alpha=0.7))
    loop = circle(32)
    ax.plot([float(x) for x, _ in loop] + [1.0], [float(y) for _, y in loop] + [0.0], color=MEASUREMENT)
    ax.set_xlim(-1.4, 1.4)
    ax.set_ylim(-1.4, 1.4)
    ax.set_aspect("equal")
    ax.set_title("a = b with loss at most 1/4: a ring, and a loop that cannot contract", fontsize=8)
