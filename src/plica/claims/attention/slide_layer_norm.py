r"""Layer norm, as printed: every row to unit length.

Claim
    Layer normalization scales each row to unit Euclidean length.
Source
    Theories of Deep Learning, lecture 4, on the queries and keys of a transformer [oxford-lecture-4].
Prediction
    1, the squared length of a normalized row
Measurement
    the squared length of (z - mean) / std for integer rows z, in exact rationals
Remark
    It is d, the length of the row. Unit rows are another method, query-key normalization [henry2020], with its own scale. And the
    transformer of 2017 normalizes after the residual sums, not queries and keys. See the claim layer-norm-length.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from plica._palette import BOUND, MEASUREMENT, PREDICTION
from plica.claims import Evidence, Row, counterexample
from plica.claims.attention.layer_norm_length import squared_length

if TYPE_CHECKING:
    from matplotlib.axes import Axes

STATEMENT = "misprint (text)"
EXPECTED = "refuted"
KIND = "exact"
SEE = ("layer-norm-length", "unit-rows-attend-uniformly")


def check(scale: str) -> Evidence:
    rows = [
        counterexample(squared_length(z), "=", 1, truth=len(z), d=len(z), z=str(z))
        for z in ((1, -1), (1, 2, 3), (3, 1, 4, 1, 5, 9, 2, 6))
    ]
    return Evidence(rows, draw=partial(draw, rows))


def draw(rows: list[Row], ax: Axes) -> None:
    """Squared lengths of normalized rows against their number of entries: d, and not one."""
    d = [r.parameters["d"] for r in rows]
    ax.plot([0, max(d)], [0, max(d)], color=PREDICTION, linewidth=1, label="d")
    ax.axhline(1, color=BOUND, linestyle="--", linewidth=1, label="as printed: 1")
    ax.plot(d, [float(r.measured) for r in rows], "o", color=MEASUREMENT, label="measured")
    for r in rows:
        ax.annotate(
            str(r.parameters["z"]),
            (r.parameters["d"], float(r.measured)),
            (-6, 4),
            textcoords="offset points",
            ha="right",
            fontsize=7,
        )
    ax.set(xlabel="entries d of the row", ylabel="squared length after layer norm")
    ax.legend(frameon=False, fontsize=8)
    ax.spines[["top", "right"]].set_visible(False)
