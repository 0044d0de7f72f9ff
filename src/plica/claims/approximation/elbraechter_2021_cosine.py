r"""Elbrächter, Perekrestenko, Grohs and Bölcskei: a frequency costs its logarithm.

Claim
    cos(a x) on [-1, 1] is approximated within eps by ReLU networks of O(log^2(1/eps) + log a) units: digits cost the square of
    their number, frequencies their logarithm.
Source
    D. Elbrächter, D. Perekrestenko, P. Grohs, H. Bölcskei, IEEE Trans. Inf. Theory 67 (2021), Theorem III.8, with bounded width
    and depth O(log^2(1/eps) + log a) [elbraechter2021].
Prediction
    doubling a adds one layer and no width; at most (log2(1/eps))^2 + 3 log2(a) + 25 units; the certified error is at most eps, at
    least the true error and at most twice it
Measurement
    plica.construct.cosine_network and plica.construct.sine_network: widths, depths, units, certified bounds; beside them the
    error at 20,001 points against the C library's cosine, and, for a low frequency, on every piece in interval arithmetic
"""

from __future__ import annotations

from functools import partial
from math import log2
from typing import TYPE_CHECKING, Any

import numpy as np

from plica._palette import BOUND, MEASUREMENT
from plica.claims import Evidence, row
from plica.construct import Construction, cosine_network, sine_network

if TYPE_CHECKING:
    from matplotlib.axes import Axes

STATEMENT = "theorem"
EXPECTED = "holds"
KIND = "certified"
SEE = ("sawtooth-unit-interval", "yarotsky-2017-square", "elbraechter-2021-weierstrass")


def error_at_points(net: Construction, wave: Any, frequency: float) -> float:
    """The largest deviation from a wave at points of [-1, 1], which knows neither certificate nor complex."""
    x = np.linspace(-1, 1, 20_001)
    return float(np.abs(net(x[:, None])[:, 0] - wave(frequency * x)).max())


def check(scale: str) -> Evidence:
    rows, sizes = [], {}
    for build, wave in ((cosine_network, np.cos), (sine_network, np.sin)):
        for eps in (0.1, 0.01) + ((0.001,) if scale == "full" else ()):
            base = build(8, eps)
            for doublings in (4, 8, 12):
                net = build(8 * 2**doublings, eps)
                what: dict[str, Any] = {"function": build.__name__, "eps": eps, "frequency": 8 * 2**doublings}
                assert net.certificate is not None
                rows.append(row(float(net.certificate.bound), "<=", eps, kind="certified", what="certified error", **what))
                rows.append(row(max(net.network.widths), "=", max(base.network.widths), what="width", **what))
                rows.append(row(net.depth - base.depth, "<=", doublings + 1, what="further layers", **what))
        for digits in (1, 2, 4, 6, 8):
            net = build(30, 10.0**-digits)
            assert net.certificate is not None
            bound, true = float(net.certificate.bound), error_at_points(net, wave, 30)
            sizes[build.__name__, digits] = net.n_units
            what = {"function": build.__name__, "eps": f"1e-{digits}", "frequency": 30}
            rows.append(row(true, "<=", bound, what="true error, certified", **what))
            rows.append(row(bound, "<=", 2 * true, kind="certified", what="certified, twice the true error", **what))
            units = log2(10**digits) ** 2 + 3 * log2(30) + 25
            rows.append(row(net.n_units, "<=", units, what="units", **what))
    for a in (8,) + ((64,) if scale == "full" else ()):
        certificate = cosine_network(a, 0.1).certificate
        assert certificate is not None
        enclosed = certificate.true_error
        about: dict[str, Any] = {"kind": "certified", "frequency": a, "function": "cosine_network", "eps": 0.1}
        rows.append(row(enclosed.high, "<=", float(certificate.bound), what="true error, enclosed", **about))
        seen = error_at_points(cosine_network(a, 0.1), np.cos, a)
        rows.append(row(seen, "<=", enclosed.high, what="at points, enclosed", frequency=a, function="cosine_network", eps=0.1))
    return Evidence(rows, draw=partial(draw, sizes))


def draw(sizes: dict[tuple[str, int], int], ax: Axes) -> None:
    """Units against digits, below the square of the number of binary digits."""
    digits = [d for name, d in sizes if name == "cosine_network"]
    ax.plot(digits, [sizes["cosine_network", d] for d in digits], "o-", color=MEASUREMENT, label="units for cos(30 x)")
    t = np.linspace(1, 8, 60)
    ax.plot(t, np.log2(10**t) ** 2 + 3 * log2(30) + 25, "--", color=BOUND, linewidth=1, label="square of the binary digits")
    ax.set(xlabel="decimal digits of the error", ylabel="ReLUs")
    ax.legend(frameon=False, fontsize=8)
    ax.spines[["top", "right"]].set_visible(False)
