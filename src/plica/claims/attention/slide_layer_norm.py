r"""Layer norm, as printed: every row to unit length.

Claim
    Layer normalization scales each row to unit Euclidean length.
Source
    Theories of Deep Learning, lecture 4, on the queries and keys of a transformer [oxford-lecture-4].
Prediction
    1, the squared length of a normalized row
Measurement
    the squared length of (z - mean) / std for integer rows z, in exact rationals, and after the norm of a
    plica.models.attention.Block in double precision, which adds 10^-5 to the variance
Remark
    It is d, the length of the row. Unit rows are another method, query-key normalization [henry2020], with its own scale. And the
    transformer of 2017 normalizes after the residual sums, not queries and keys. See the claim layer-norm-length.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from plica._palette import BOUND, MEASUREMENT, PREDICTION
from plica.claims import Evidence, Row, counterexample
from plica.claims.attention.layer_norm_length import EPSILON, ROUNDING, normalized, squared_length

if TYPE_CHECKING:
    from matplotlib.axes import Axes

STATEMENT = "misprint (text)"
EXPECTED = "refuted"
KIND = "estimated"
SEE = ("layer-norm-length", "unit-rows-attend-uniformly")


def check(scale: str) -> Evidence:
    rows = []
    for z in ((1, -1), (1, 2, 3), (3, 1, 4, 1, 5, 9, 2, 6)):
        rows.append(counterexample(squared_length(z), "=", 1, truth=len(z), d=len(z), z=str(z)))
        found, truth = normalized([float(v) for v in z]), float(squared_length(z, EPSILON))
        about: dict[str, Any] = {"kind": "estimated", "standard_error": ROUNDING * truth, "d": len(z), "z": str(z)}
        rows.append(counterexample(float(found @ found), "=", 1, truth=truth, **about, norm="of a block"))
    return Evidence(rows, draw=partial(draw, rows))


def draw(rows: list[Row], ax: Axes) -> None:
    """Squared lengths of normalized rows against their number of entries: d, and not one."""
    rows = [r for r in rows if "norm" not in r.parameters]
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
