r"""Elbrächter, Perekrestenko, Grohs and Bölcskei: a frequency costs its logarithm.

Claim
    cos(a x) on [-1, 1] is approximated within eps by ReLU networks of bounded width and depth O(log^2(1/eps) + log a).
Source
    D. Elbrächter, D. Perekrestenko, P. Grohs, H. Bölcskei, IEEE Trans. Inf. Theory 67 (2021), Theorem III.8 [elbraechter2021].
Prediction
    doubling a adds one layer and no width; the certified error is at most eps
Measurement
    plica.construct.cosine_network and plica.construct.sine_network: widths, depths, certified bounds and, for low frequencies,
    the error on every piece in interval arithmetic
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from plica._palette import MEASUREMENT, REFERENCE
from plica.claims import Evidence, row
from plica.construct import cosine_network, sine_network

if TYPE_CHECKING:
    from matplotlib.axes import Axes

STATEMENT = "theorem"
EXPECTED = "holds"
KIND = "certified"
SEE = ("sawtooth-unit-interval", "yarotsky-2017-square")


def check(scale: str) -> Evidence:
    rows = []
    for build in (cosine_network, sine_network):
        for eps in (0.1, 0.01) + ((0.001,) if scale == "full" else ()):
            base = build(8, eps)
            for doublings in (4, 8, 12):
                net = build(8 * 2**doublings, eps)
                what: dict[str, Any] = {"function": build.__name__, "eps": eps, "frequency": 8 * 2**doublings}
                assert net.certificate is not None
                rows.append(row(float(net.certificate.bound), "<=", eps, kind="certified", what="certified error", **what))
                rows.append(row(max(net.network.widths), "=", max(base.network.widths), what="width", **what))
                rows.append(row(net.depth - base.depth, "<=", doublings + 1, what="further layers", **what))
    for a in (8,) + ((64,) if scale == "full" else ()):
        certificate = cosine_network(a, 0.1).certificate
        assert certificate is not None
        rows.append(
            row(certificate.true_error.high, "<=", float(certificate.bound), kind="certified", what="true error", frequency=a)
        )
    return Evidence(rows, draw=draw)


def draw(ax: Axes) -> None:
    """A network for cos(40 x)."""
    x = np.linspace(0, 1, 801)
    ax.plot(x, np.cos(40 * x), color=REFERENCE, linewidth=2.5, label="cos(40 x)")
    built = cosine_network(40, 0.1)
    ax.plot(x, built(x[:, None])[:, 0], color=MEASUREMENT, linewidth=1, label=f"{built.n_units} ReLUs, error <= 0.1")
    ax.legend(frameon=False, fontsize=8, loc="lower center", ncols=2, bbox_to_anchor=(0.5, 1.0))
    ax.spines[["top", "right"]].set_visible(False)
