r"""Softmax attention stays in the convex hull of the values.

Claim
    Every output of softmax attention is a convex combination of the visible values, whatever queries, keys, score and mask; with
    the identity in place of the softmax it is not.
Source
    University of Washington lecture, which calls attention a weighted average [washington-lecture].
Prediction
    0, the largest distance of an output from the hull; more than 0.1 without the softmax
Measurement
    plica.measure.hull_distance, by linear programming, for random queries, keys and values
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import torch

from plica._palette import BOUND, FILLS, INK, MEASUREMENT
from plica.claims import Evidence, row
from plica.measure import hull_distance
from plica.models import attention as a

if TYPE_CHECKING:
    from matplotlib.axes import Axes

STATEMENT = "theorem"
EXPECTED = "holds"
KIND = "estimated"
SEE = ("slide-scale-invariant",)
SEED = 17
SOLVER = 1e-8


def check(scale: str) -> Evidence:
    n = 64 if scale == "full" else 10
    with torch.random.fork_rng(devices=[]), torch.no_grad():
        torch.manual_seed(SEED)
        q, k, v = torch.randn(3, n, 4, dtype=torch.float64)
        cases = {
            "scaled": a.Attend(),
            "dot, causal": a.Attend(a.Dot(), mask="causal"),
            "additive": a.Attend(a.Additive(4).double()),
            "cosine, window": a.Attend(a.Cosine(), mask=a.window(2)),
            "performer": a.Attend(normalizer=a.Performer(4, 8).double()),
        }
        rows = [
            row(
                float(hull_distance(f(q, k, v), v).max()),
                "=",
                0.0,
                kind="estimated",
                standard_error=SOLVER,
                unit=1.0,
                attention=name,
            )
            for name, f in cases.items()
        ]
        identity = float(hull_distance(a.Attend(normalizer=a.Pointwise("identity"))(q, k, v), v).max())
    rows.append(
        row(identity, ">", 0.1, kind="estimated", standard_error=SOLVER, attention="scaled, identity in place of softmax")
    )
    return Evidence(rows, draw=draw, seed=SEED)


def draw(ax: Axes) -> None:
    """Values in the plane and their hull; outputs of softmax attention inside it, without the softmax not."""
    from scipy.spatial import ConvexHull

    with torch.random.fork_rng(devices=[]), torch.no_grad():
        torch.manual_seed(SEED)
        q, k, v = torch.randn(3, 12, 2, dtype=torch.float64)
        inside, outside = (f(q, k, v).numpy() for f in (a.Attend(), a.Attend(normalizer=a.Pointwise("identity"))))
    corners = v.numpy()[ConvexHull(v.numpy()).vertices]
    ax.fill(corners[:, 0], corners[:, 1], facecolor=FILLS[0], alpha=0.3, edgecolor=INK)
    ax.plot(*v.numpy().T, "o", color=INK, markersize=4, label="values")
    ax.plot(*inside.T, "o", color=MEASUREMENT, markersize=5, label="softmax")
    ax.plot(*outside.T, "X", color=BOUND, markersize=6, label="without it")
    reach = 1.6 * float(abs(v.numpy()).max())
    ax.set(xlim=(-reach, reach), ylim=(-reach, reach), aspect="equal")
    ax.legend(frameon=False, fontsize=8, loc="upper left")
    ax.spines[["top", "right"]].set_visible(False)
